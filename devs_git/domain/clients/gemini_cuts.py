"""What Gemini CLI leaves out of long outputs, and how it says so to its model.

All forms are those of 0.61.0. A hook gets the whole output of a command; a transcript has what the model was told. Of a
file that was read, both have the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_READS_FILE: Final = "read_file"
# The model's limit: a file is read up to this line.
_LAST: Final = "end_line"
# The beginning of a long output. What a command printed stands behind `Output: `, so no command prints this.
_TOO_LARGE: Final = re.compile(r"Output too large\. Showing first [^\n]* characters\. For full output see: ")
_OMITTED: Final = re.compile(r"\n\n\.\.\. \[[^\]\n]{1,30} characters omitted\] \.\.\.\n\n")
_PART_OF_FILE: Final = re.compile(
    r"\s*IMPORTANT: The file content has been truncated\.\n"
    r"Status: Showing lines \d{1,15}-(\d{1,15}) of (\d{1,15}) total lines\.\n"
)
# It counts 2,000 units of UTF-16; a character has one or two.
_SHORT_LINE: Final = re.compile(r"^[^\n]{1000,2000}\.\.\. \[truncated\]$", re.MULTILINE)


def is_cut(tool: str, given: Any, told: str) -> bool:
    """Whether the client left something out of what it told the model.

    The lines of a file that the model asked for are no cut output. Without a last line the client gives 2,000 lines, and
    it shortens long lines.
    """
    if tool == _READS_FILE:
        part = _PART_OF_FILE.match(told)
        asked = isinstance(given, Mapping) and given.get(_LAST) is not None
        if part is None:
            return False
        return (not asked and int(part[1]) < int(part[2])) or bool(_SHORT_LINE.search(told))
    return bool(_TOO_LARGE.match(told) and _OMITTED.search(told))
