"""Which files a client's own tools for editing wrote, as the input of a call names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.calls.tool_guard import may_run

if TYPE_CHECKING:
    from devs_git.domain.clients.client import Client

# The lines of a patch, in the form of Codex, that name a file. A move names the new place after the old one.
_NAMED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t\r]*$", re.MULTILINE)


def edited_files(client: Client, tool: str, tool_input: Any) -> tuple[str, ...]:
    """The paths as the call names them, absolute or from the client's folder; none for a tool that is not for editing."""
    given = _text(client.edits[tool], tool_input) if tool in client.edits else ""
    if given:
        return (given,)
    patch = _text(client.patches[tool], tool_input) if tool in client.patches else ""
    return tuple(dict.fromkeys(_NAMED.findall(patch)))


def may_write_any_file(client: Client, tool: str, tool_input: Any) -> bool:
    """Whether a call may write files that its input does not name. A moment is made before and after such a call."""
    return bool(tool) and tool not in client.editing and not may_run(client, tool, tool_input)


def _text(field: str, tool_input: Any) -> str:
    """A field of the input; the input itself, where a transcript has it as one text."""
    found = tool_input.get(field) if isinstance(tool_input, Mapping) else tool_input
    return found if isinstance(found, str) else ""
