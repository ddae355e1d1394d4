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
# What it tells instead of a long answer of an MCP tool: how many characters that has, its file, then lines that begin so.
# A server can answer with such words, too.
_SAVED: Final = re.compile(
    r"Error: result \(([0-9,]{1,15}) characters(?: across [0-9,]{1,15} lines?)?\) exceeds maximum allowed tokens\. "
    r"Output has been saved to ([^\n]+)\.\n"
)
_ADVICE: Final = (
    "Format: ",
    "Note: the output ",
    "Use jq to make structured queries (find a value, filter by field).",
    "Use offset and limit parameters to read specific portions of the file, ",
    "Search within the file for specific content, and use jq if the content is JSON.",
    "REQUIREMENTS FOR SUMMARIZATION/ANALYSIS/REVIEW:",
    "- You MUST read the content from the file at ",
    "- Note: this file",
    "- For targeted ",
    "- For analysis or summarization that requires reading the full content: ",
    "- If the ",
    "- If you receive truncation warnings when reading the file, ",
    "- Before producing ANY summary or analysis, you MUST ",
    "- If after a few attempts you cannot read the file (",
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
        return _saved(response)
    if not isinstance(response, dict):
        return None
    if "persistedOutputPath" not in response:
        file = response.get("file")
        is_part = isinstance(file, dict) and file.get("truncatedByTokenCap") is True
        return Cut() if is_part or response.get("backgroundTaskId") else None
    path = response["persistedOutputPath"]
    return Cut(known_size(response.get("persistedOutputSize")), path if isinstance(path, str) else "")


def _saved(response: str) -> Cut | None:
    """What the client left out of an answer of an MCP tool. If there is more than the client's words, no file is taken."""
    found = _SAVED.match(response)
    if not found:
        return None
    rest = response[found.end() :].splitlines()
    if not rest or not all(line.startswith(_ADVICE) for line in rest):
        return Cut()
    return Cut(None, found[2], int(found[1].replace(",", "") or 0))


def answer_of(result: str, told: Any) -> Answer:
    """What is known of a tool's result in a transcript. `told`: the same answer as a hook gets it; None if it is not there."""
    found = cut_of({"tool_response": told}) or cut_of({"error": result})
    if found is None and told is None and (preview := _PREVIEW.match(result)):
        found = Cut(None, preview[1])
    if found is None:
        return Answer()
    printed = text_of(told) if isinstance(told, dict) and "persistedOutputPath" in told else ""
    return Answer(
        cut=True, full_bytes=found.full_bytes, path=found.path, characters=found.characters, printed=printed
    )
