"""What a transcript of Claude Code has by which its model may have been told something that we do not read.

The forms that we know are those of sessions of 2.1.330 and 2.1.332, also at a terminal, and those that its SDK and earlier
versions write. A session of another version can be written again only if it has nothing else. What a line says beside its
message (times, counts, who approved it) changes nothing of what the model is told, so any such key may be new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from devs_git.domain.clients.transcript_lines import Memory, blocks, text

_PARTS: Final = frozenset(
    {
        "document",
        "image",
        "redacted_thinking",
        "text",
        "thinking",
        "tool_reference",
        "tool_result",
        "tool_use",
    }
)
# A mark of a line can mean that the model is not told of it. Of these it is told, or we read the mark.
_MARKS: Final = frozenset(
    {
        "classifierBoundary",
        "handedOff",
        "hasOutput",
        "holdsPersonsWords",
        "interruptedByShutdown",
        "isApiErrorMessage",
        "isCompactSummary",
        "isMeta",
        "isSidechain",
        "isVisibleInTranscriptOnly",
        "mcpCallNotReadOnly",
        "preventedContinuation",
        "promptCacheRequested",
        "refusalRetry",
        "renderedBesideToolResult",
        "renderedInHumanTurn",
        "repeatsCompactSummary",
        "sandboxed",
        "textNotTyped",
        "toolCallEnded",
        "toolDenialAfterRun",
        "toolDenialBeforeRun",
        "toolDenialEndsTurn",
        "toolDenialFromHost",
        "toolDenialMonitorBlocked",
        "toolDenialUnanswered",
        "toolEndsTurn",
        "turnCompanion",
    }
)
# Another text than that of the message is told (found in the package of 2.1.332).
_OTHER_TEXTS: Final = frozenset({"modelOnlyText", "replacesSpan"})
# Names in a note of what is unknown. One is enough to refuse.
_MOST: Final = 20
# Lines that other lines follow. All others are notes beside the conversation.
_CHAIN: Final = frozenset({"user", "assistant", "system", "attachment", "progress"})


def note_unknown(line: Mapping[str, Any], memory: Memory) -> None:
    """Remember what in a line is of no form that we know."""
    for name in _unknown(line):
        if len(memory.unknown) < _MOST and name not in memory.unknown:
            memory.unknown.append(name)


def _unknown(line: Mapping[str, Any]) -> Iterator[str]:
    kind = text(line.get("type"))
    if kind not in _CHAIN:
        if "parentUuid" in line:
            yield f"line {kind}"
        return
    for key, value in line.items():
        if (value is True and key not in _MARKS) or key in _OTHER_TEXTS:
            yield f"key {text(key)}"
    message = line.get("message")
    for part in blocks(message.get("content")) if isinstance(message, dict) else ():
        if part.get("type") not in _PARTS:
            yield f"part {text(part.get('type'))}"
