"""What Claude Code leaves out of long outputs for hooks and in its transcript, and where it keeps the whole output.

All forms are those of 2.1.330.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.clients.answer_text import text_of
from devs_git.domain.clients.transcript_lines import Answer
from devs_git.domain.recall.traces import Cut, known_size

# Of a long failure the first 30,000 characters are taken, and of these 5,000 at each end are kept. Between them is a line
# that says how many of the others there were, so nobody knows the size of the whole.
_KEPT_OF_ERROR: Final = 5000
# What it tells instead of a long answer of an MCP tool.
_SAVED: Final = re.compile(
    r"Error: result \([0-9,]+ characters\) exceeds maximum allowed tokens\. Output has been saved to ([^\n]+)\.\n"
)
_ERROR_IS_CUT: Final = re.compile(r"\n\n\.\.\. \[\d+ characters truncated\] \.\.\.\n\n")
# What a transcript has of a long output: the place of the whole, and the first 2,000 bytes.
_PREVIEW: Final = re.compile(r"<persisted-output>\n[^\n]* saved to: ([^\n]+)\n")


def cut_of(payload: Mapping[str, Any]) -> Cut | None:
    """What Claude Code left out of a payload, None for nothing. The size of a whole failure is unknown.

    Of a command that goes on in the background the payload has nothing. The transcript tells when it ends. Of a long file
    that was read it has the beginning.
    """
    error, response = payload.get("error"), payload.get("tool_response")
    if isinstance(error, str):
        return Cut() if _ERROR_IS_CUT.match(error, _KEPT_OF_ERROR) else None
    if isinstance(response, str):
        saved = _SAVED.match(response)
        return Cut(None, saved[1]) if saved else None
    if not isinstance(response, dict):
        return None
    if "persistedOutputPath" not in response:
        file = response.get("file")
        is_part = isinstance(file, dict) and file.get("truncatedByTokenCap") is True
        return Cut() if is_part or response.get("backgroundTaskId") else None
    path = response["persistedOutputPath"]
    return Cut(known_size(response.get("persistedOutputSize")), path if isinstance(path, str) else "")


def answer_of(result: str, told: Any) -> Answer:
    """What is known of a tool's result in a transcript. `told`: the same answer as a hook gets it; None if it is not there."""
    found = cut_of({"tool_response": told}) or cut_of({"error": result})
    if found is None and told is None and (preview := _PREVIEW.match(result)):
        found = Cut(None, preview[1])
    if found is None:
        return Answer()
    printed = text_of(told) if isinstance(told, dict) and "persistedOutputPath" in told else ""
    return Answer(cut=True, full_bytes=found.full_bytes, path=found.path, printed=printed)
