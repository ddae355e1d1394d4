"""Texts that JSON can express and other formats cannot: refused in arguments, repaired in answers."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from devs_git.entrypoints.tools.tool import Tool
from devs_git.errors import invalid

DEEPEST: Final = 32
_LONE: Final = re.compile("[\ud800-\udfff]")


def check(tool: Tool, arguments: dict[str, Any]) -> None:
    """Raise INVALID_ARGUMENTS for lone surrogates, for NUL where it is not allowed, and for values nested too deep."""
    verbatim = {one.name for one in tool.params if one.verbatim}
    if any(_LONE.search(name) for name in arguments):
        raise invalid("arguments", "A name is not valid Unicode.")
    for name, value in arguments.items():
        if _depth(value) > DEEPEST:
            raise invalid(name, f"{name} is nested deeper than {DEEPEST} levels.")
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if _LONE.search(text):
            raise invalid(name, f"{name} is not valid Unicode.")
        if name not in verbatim and ("\0" in text or (not isinstance(value, str) and "\\u0000" in text)):
            raise invalid(name, f"{name} has a NUL character.")


def _depth(value: Any) -> int:
    """How deep lists and objects are nested. No recursion, because deep nesting would exhaust it."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        depth, level = depth + bool(inner), inner
    return depth


def replace_lone_surrogates(value: dict[str, Any]) -> dict[str, Any]:
    """The value with U+FFFD for each byte of a file name that is not UTF-8, because no protocol can transport it."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii() or not _LONE.search(text):
        return value
    whole: dict[str, Any] = json.loads(_LONE.sub("\ufffd", text))
    return whole
