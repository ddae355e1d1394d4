"""Refusals of the command line name its options. The requests know only the names of fields, which programs use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


@contextmanager
def in_messages(command: click.Command, given: Mapping[str, Any], *, enabled: bool) -> Iterator[None]:
    """Around the making of a request: a refusal of it names the option instead of the field.

    A request that was read from a file (`source`) has fields, so these stay.
    """
    try:
        yield
    except DevsError as error:
        field = str(error.details.get("field", "")).rpartition(".")[2]
        option = _option(command, field)
        if not (enabled and option) or given.get("source"):
            raise
        words = re.sub(rf"(?<![\w-])(\w+\.)?{re.escape(field)}(?![\w-])", option, error.message, count=1)
        raise DevsError(error.code, words, hint=error.hint, **error.details) from error


def _option(command: click.Command, field: str) -> str:
    """What a person types for a field: `--risk`; "" if it has no option."""
    if field in _OTHER:
        return _OTHER[field]
    names = next((param.opts for param in command.params if param.name == field), [])
    return next((name for name in names if name.startswith("--")), "")
