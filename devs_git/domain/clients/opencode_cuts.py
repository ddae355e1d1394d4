"""What OpenCode leaves out of long outputs, and how it says so to its model and to plug-ins.

All forms are those of 1.18.33.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.recall.traces import Cut

_READS_FILE: Final = "read"
# The beginning of what is told instead of a command's long output: its end follows.
_END_OF_OUTPUT: Final = re.compile(r"\.\.\.output truncated\.\.\.\n\nFull output saved to: ")
# What is told of another tool's long output: its beginning is before this, or its end is behind it.
_NOTICE: Final = (
    r"\.\.\.\d+ (?:bytes|lines) truncated\.\.\.\n\n"
    r"The tool call succeeded but the output was truncated\. Full output saved to: [^\n]+\nUse [^\n]*"
)
_NOTICE_FIRST: Final = re.compile(_NOTICE + r"\n\n")
_NOTICE_LAST: Final = re.compile(r"\n\n" + _NOTICE + r"\Z")
# The last notice is looked for in so many last characters.
_LOOKED_AT: Final = 8192
# Each line of a file that was read begins with its number, so no file has these.
_CAPPED: Final = re.compile(r"^\(Output capped at [^\n]*\. Showing lines [^\n]*\)$", re.MULTILINE)
_SHORT_LINE: Final = re.compile(
    r"^\d+: [^\n]{1000,2000}\.\.\. \(line truncated to \d+ chars\)$", re.MULTILINE
)
_MORE: Final = re.compile(
    r"^\(Showing (?:lines \d+-\d+ of \d+\. Use offset=|\d+ of \d+ entries\. Use 'offset')[^\n]*\)$",
    re.MULTILINE,
)


def cut_of(payload: Mapping[str, Any]) -> Cut | None:
    """What OpenCode left out of a payload, None for nothing. Our plug-in takes the whole from a file, if it can.

    It says what it took beside the answer. The answer itself is what a tool, or a server, made of it.
    """
    response = payload.get("tool_response")
    metadata = response.get("metadata") if isinstance(response, dict) else None
    if not isinstance(response, dict) or not isinstance(metadata, dict):
        return None
    if metadata.get("outputPath"):
        return None if payload.get("whole") is True else Cut()
    told = response.get("output")
    if payload.get("tool_name") != _READS_FILE or not isinstance(told, str):
        return None
    return Cut() if _is_part_of_file(payload.get("tool_input"), told) else None


def is_cut(tool: str, given: Any, told: str) -> bool:
    """Whether OpenCode left something out of what it told the model."""
    if tool == _READS_FILE:
        return _is_part_of_file(given, told)
    if _END_OF_OUTPUT.match(told) or _NOTICE_FIRST.match(told):
        return True
    return bool(_NOTICE_LAST.search(told, max(0, len(told) - _LOOKED_AT)))


def _is_part_of_file(given: Any, told: str) -> bool:
    """Whether a file has more than was read, though the model set no limit; or the client gave less than that."""
    if _CAPPED.search(told) or _SHORT_LINE.search(told):
        return True
    asked = isinstance(given, Mapping) and given.get("limit") is not None
    return not asked and bool(_MORE.search(told))
