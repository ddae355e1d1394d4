"""Add a value to a JSON text, and remove it again. Every other byte stays: order, spaces, line ends.

Removing leaves no trace, because the layout shows how the value was added. A container that was made for the value begins
with a line end, and is removed with it. In a container that was empty before, the value follows the bracket at once, and
the container stays. Comments and trailing commas are no JSON, but people write them: they stay, and `loose_line` finds them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from devs_git.values import immutable

Path = Sequence[str | int]
_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_WORDS: Final = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_NEEDLESS: Final = re.compile(rf"({_STRING})|,(?=\s*[\]}}])")
_NO_END: Final = re.compile(r"[^\n\r]")


class Unfit(Exception):
    """The text cannot be edited: what is wrong, and in which line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


@immutable
class _Member:
    """One member of an object or array. `start` is where its key (or value) begins, `value` where its value begins."""

    key: str | int
    start: int
    value: int
    end: int


def load(text: str) -> Any:
    """The value of a text; Unfit with the line of the error."""
    return _load(_plain(text))


def loose_line(text: str) -> int:
    """The first line that is not strict JSON; 0 if there is none."""
    try:
        _load(text)
    except Unfit as error:
        return error.line
    return 0


def _plain(text: str) -> str:
    """`text` as strict JSON of the same length: comments and trailing commas become spaces."""
    bare = _WORDS.sub(lambda found: found[0] if found[0][0] == '"' else _NO_END.sub(" ", found[0]), text)
    return _NEEDLESS.sub(lambda found: found[1] or " ", bare)


def _load(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise Unfit(error.lineno, error.msg) from error
    except _NoNumber as error:
        found = re.search(rf"(?<![\w\"]){re.escape(str(error))}", text)
        raise Unfit(_line(text, found.start() if found else 0), f"{error} is not JSON") from error
    except RecursionError as error:
        raise Unfit(1, "it is nested too deeply") from error


class _NoNumber(Exception):
    """NaN or Infinity."""


def _no_number(name: str) -> Any:
    raise _NoNumber(name)


def add(text: str, path: Path, value: Any) -> str:
    """`text` with `value` as the last member of the array or object at `path`, which is made if it is missing.

    `value` is an element of an array, or a pair of key and value for an object. An empty `text` is a new file.
    """
    if not text:
        return "{\n  " + _built(path, value, "\n", "  ", "  ") + "\n}\n"
    plain = _plain(text)
    _load(plain)
    at, missing = _walk(plain, path, "{" if isinstance(value, tuple) else "[")
    line_end, unit = ("\r\n" if "\r\n" in text else "\n"), _unit(text)
    members = _members(plain, at)
    indent = _indent_of(text, at, members, unit)
    piece = _built(missing, value, line_end, indent, unit)
    if not members:
        return text[: at + 1] + piece + text[at + 1 :]
    end = members[-1].end
    return text[:end] + "," + line_end + indent + piece + text[end:]


def remove(text: str, path: Path) -> str:
    """`text` without the member at `path` and the containers that were made for it; '' if nothing else was there."""
    plain = _plain(text)
    parent, _ = _walk(plain, path[:-1], "")
    members = _members(plain, parent)
    at = next(n for n, member in reversed(list(enumerate(members))) if member.key == path[-1])
    if at:
        return text[: members[at - 1].end] + text[members[at].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    if "\n" not in text[parent : members[0].start]:
        return text[: parent + 1] + text[members[0].end :]
    return remove(text, path[:-1]) if len(path) > 1 else ""


def _built(path: Path, value: Any, line_end: str, indent: str, unit: str) -> str:
    """The text of `value`, in a new container for each name of `path`."""
    if not path:
        return f"{json.dumps(value[0])}: {_flat(value[1])}" if isinstance(value, tuple) else _flat(value)
    inner = _built(path[1:], value, line_end, indent + unit, unit)
    opening, closing = "{}" if len(path) > 1 or isinstance(value, tuple) else "[]"
    return f"{json.dumps(path[0])}: {opening}{line_end}{indent}{unit}{inner}{line_end}{indent}{closing}"


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _walk(text: str, path: Path, last: str) -> tuple[int, Path]:
    """Where the innermost container of `path` that exists opens, and the names that are missing."""
    at = _skip(text, 0)
    for depth, name in enumerate(path):
        _must_be(text, at, "[" if isinstance(name, int) else "{", path[:depth])
        found = [member for member in _members(text, at) if member.key == name]
        if not found:
            return at, path[depth:]
        # Of a repeated key the last one counts.
        at = found[-1].value
    if last:
        _must_be(text, at, last, path)
    return at, ()


def _must_be(text: str, at: int, opening: str, path: Path) -> None:
    if text[at] != opening:
        name = ".".join(str(part) for part in path) or "the file"
        raise Unfit(_line(text, at), f"{name} is not an {'object' if opening == '{' else 'array'}")


def _members(text: str, opening: int) -> list[_Member]:
    found: list[_Member] = []
    at = _skip(text, opening + 1)
    while text[at] not in "]}":
        start, key = at, len(found)
        if text[opening] == "{":
            name, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        else:
            name = key
        end = _DECODER.raw_decode(text, at)[1]
        found.append(_Member(name, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _unit(text: str) -> str:
    """The indentation of this file: that of its first member, or two spaces."""
    found = re.match(r"\s*\{[ \t]*\r?\n([ \t]+)", text)
    return found[1] if found else "  "


def _indent_of(text: str, opening: int, members: list[_Member], unit: str) -> str:
    """The spaces before a new member: those of the first member, if that begins a line; else one unit more than the container's."""
    if members:
        before = text[opening + 1 : members[0].start]
        if "\n" in before:
            return before.rpartition("\n")[2]
    line = text[text.rfind("\n", 0, opening) + 1 : opening]
    return line[: len(line) - len(line.lstrip(" \t"))] + unit
