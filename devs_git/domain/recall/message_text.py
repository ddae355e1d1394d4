"""A message as one text: what is searched, and what a snippet is cut from. JSON in it is written without its syntax."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

# The syntax of a JSON text that is not complete, because its middle was left out.
_SYNTAX: Final = re.compile(r'\\[nrt]|\\(?=["/\\])|["{}\[\]]')
# The beginning of an object, or of a list of objects or texts.
_JSON: Final = re.compile(r'^\s*(?:\{\s*"|\[\s*["{])', re.MULTILINE)
# Deeper values are left out.
_DEEPEST: Final = 20


def text_of(record: dict[str, Any]) -> str:
    """The content, the calls of tools with their inputs, and the result of a tool, of a message as a record."""
    calls = (f"{call['name']} {plain(call['input'])}" for call in record.get("tool_calls", ()))
    found = (record.get("content"), *calls, record.get("tool_name"), plain(record.get("tool_result")))
    return "\n".join(filter(None, found)).encode("utf-8", "replace").decode().replace("\0", " ")


def plain(value: Any) -> str:
    """A value as text: `command: ls, timeout: 10` for an object. A text that is JSON, or a line of it that is, is read."""
    if not isinstance(value, str):
        return ", ".join(_parts(value, 0))
    if not _JSON.search(value):
        return value
    return _read(value) or "\n".join(_lines(value.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    """The lines, with JSON in them read. After a line that is cut JSON comes the rest of that JSON."""
    is_cut = False
    for line in lines:
        read = _read(line) if _JSON.match(line) else ""
        is_cut = is_cut or bool(_JSON.match(line) and not read)
        yield read or (_SYNTAX.sub(" ", line) if is_cut else line)


def _read(given: str) -> str:
    """The values in a JSON text; '' for any other text."""
    try:
        return ", ".join(_parts(json.loads(given), 0))
    except (ValueError, RecursionError):
        return ""


def _parts(value: Any, depth: int) -> Iterator[str]:
    """The parts of a value, each of them with its name if it has one."""
    if value is None or depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{name}: {', '.join(_parts(inner, depth + 1))}"
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner, depth + 1)
    else:
        yield value if isinstance(value, str) else json.dumps(value)
