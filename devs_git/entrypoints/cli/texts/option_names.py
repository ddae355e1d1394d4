"""Refusals of the command line name its options. The requests know only the names of fields, which programs use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from devs_git.errors import DevsError

if TYPE_CHECKING:
    import click

# Fields whose option has another name than its parameter.
_OTHER: Final = {
    "risk_assessment": "--risk",
    "sections_to_modify": "--section",
    "proposed_text": "--proposal",
}


def in_message(command: click.Command, given: Mapping[str, Any], error: DevsError) -> DevsError:
    """The refusal of a request, with the options instead of the fields.

    A request that was read from a file (`source`) has fields, so these stay.
    """
    words = error.message
    if given.get("source"):
        return error
    for path in error.details.get("fields") or (error.details.get("field", ""),):
        field = str(path).rpartition(".")[2]
        if option := _option(command, field):
            words = re.sub(rf"(?<![\w-])(\w+\.)?{re.escape(field)}(?![\w-])", option, words, count=1)
    return DevsError(error.code, words, hint=error.hint, **error.details)


def _option(command: click.Command, field: str) -> str:
    """What a person types for a field: `--risk`; "" if it has no option."""
    if field in _OTHER:
        return _OTHER[field]
    names = next((param.opts for param in command.params if param.name == field), [])
    return next((name for name in names if name.startswith("--")), "")
