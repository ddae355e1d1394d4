"""What a file contains after a call of an editing tool, if the tool alone wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.clients.client import Client


_WHOLE: Final = "content"
_ONE: Final = (("old_string", "new_string", "replace_all"), ("oldString", "newString", "replaceAll"))
_SECTION: Final = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)[ \t\r]*\n", re.MULTILINE)
_MOVE: Final = re.compile(r"\*\*\* Move to: (.+?)[ \t\r]*\n")
_HUNK: Final = re.compile(r"^@@.*\n", re.MULTILINE)


def text_after(client: Client, tool: str, tool_input: Any, name: str, before: str) -> str | None:
    """The text of the file that the call names `name`; '' if the call deletes it, None if this cannot be told.

    `before` is its text before the call; of a file that the call moved, the text at the old place.
    """
    if tool in client.patches:
        return _patched(_patch(client, tool, tool_input), name, before)
    if tool not in client.edits or not isinstance(tool_input, Mapping):
        return None
    if isinstance(tool_input.get(_WHOLE), str):
        return str(tool_input[_WHOLE])
    several = tool_input.get("edits")
    text: str | None = before
    for one in several if isinstance(several, list) else [tool_input]:
        text = _replaced(one, text) if text is not None else None
    return text


def moved_from(client: Client, tool: str, tool_input: Any, name: str) -> str:
    """The old name of a file that a patch moves to `name`; '' if it moves none there."""
    parts = _SECTION.split(_patch(client, tool, tool_input)) if tool in client.patches else [""]
    moved = ((place, _MOVE.match(body)) for place, body in zip(parts[2::3], parts[3::3], strict=True))
    return next((place for place, move in moved if move and move[1] == name), "")


def _patch(client: Client, tool: str, tool_input: Any) -> str:
    found = tool_input.get(client.patches[tool]) if isinstance(tool_input, Mapping) else tool_input
    return found if isinstance(found, str) else ""


def _replaced(given: Any, text: str) -> str | None:
    for old_name, new_name, all_name in _ONE:
        old, new = (given.get(name) if isinstance(given, Mapping) else None for name in (old_name, new_name))
        if isinstance(old, str) and isinstance(new, str):
            if not old:
                return None if text else new
            return text.replace(old, new, -1 if given.get(all_name) else 1) if old in text else None
    return None


def _patched(patch: str, name: str, before: str) -> str | None:
    """The text after a patch in the form of Codex."""
    parts = _SECTION.split(patch.partition("*** End Patch")[0])
    for kind, place, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        move = _MOVE.match(body)
        if move and move[1] == name:
            return _with_hunks(body, before)
        if place != name:
            continue
        if kind == "Delete" or move:
            return ""
        if kind == "Add":
            return "".join(line[1:] for line in body.splitlines(keepends=True) if line.startswith("+"))
        return _with_hunks(body, before)
    return None


def _with_hunks(body: str, text: str) -> str | None:
    at = 0
    for hunk in _HUNK.split(body):
        lines = [line or " " for line in hunk.split("\n")[:-1] if not line.startswith("***")]
        if not lines:
            continue
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        found = text.find(old, at)
        if found < 0:
            return None
        text = text[:found] + new + text[found + len(old) :]
        at = found + len(new)
    return text
