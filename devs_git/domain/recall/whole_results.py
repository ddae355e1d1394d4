"""The whole of a result that a message has shortened, from the output of its trace.

The model may have been told more than what the tool printed: words of the client above it (Codex), or the tool's answer
as JSON with the output in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from devs_git.domain.recall.traces import HEAD, TOOL_OUTPUT_TRACE_THRESHOLD

# What `traces.shorten` writes.
_LEFT_OUT: Final = re.compile(
    r"\n\[([0-9]{1,15}) characters are left out; [^\]\n]*git devs trace get ([^\]\n]+)\]\n"
)
_TAIL: Final = TOOL_OUTPUT_TRACE_THRESHOLD - HEAD
# Where the output may begin: at the first character, in a new line, or in a member of a JSON object.
_BEGIN: Final = re.compile(r'^|\n|"(?:output|text)": ?"')


def is_shortened(text: str) -> bool:
    """Whether `shorten` may have made a part of this text. Any tool can print such a text."""
    return _LEFT_OUT.search(text) is not None


def lengthen(shown: str, output_of: Callable[[str], str | None]) -> str:
    """The text with each part whole that `shorten` made shorter. `output_of` has the outputs of traces, by id.

    A part that is not in the output that it names stays short.
    """
    for found in reversed(list(_LEFT_OUT.finditer(shown))):
        output = output_of(found[2])
        begin, end = max(0, found.start() - HEAD), found.end() + _TAIL
        head, tail = shown[begin : found.start()], shown[found.end() : end]
        whole = None if output is None else _whole(head, tail, int(found[1]), output)
        if whole is not None:
            shown = shown[:begin] + whole + shown[begin + len(head) + len(found[0]) + len(tail) :]
    return shown


def _whole(head: str, tail: str, left_out: int, output: str) -> str | None:
    """The text of so many characters between `head` and `tail`, with them; None if the output does not have it."""
    size = len(head) + left_out + len(tail)
    start = output.find(head)
    if start >= 0 and output[start : start + size].endswith(tail) and len(output) >= start + size:
        return output[start : start + size]
    return next(_around(head, tail, size, output), None)


def _around(head: str, tail: str, size: int, output: str) -> Iterator[str]:
    """The texts of this size that are the whole output, plain or in JSON's spelling, with words before and after it."""
    for told in (output, json.dumps(output, ensure_ascii=False)[1:-1]):
        for found in _BEGIN.finditer(head):
            after = size - found.end() - len(told)
            if not 0 <= after <= len(tail) or not told.startswith(head[found.end() :]):
                continue
            if told.endswith(tail[: len(tail) - after]):
                yield head[: found.end()] + told + tail[len(tail) - after :]
