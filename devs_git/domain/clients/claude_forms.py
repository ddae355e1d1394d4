"""What a transcript of Claude Code has that we know: kinds of lines, keys of the lines of a conversation, kinds of parts.

They are those of the recorded sessions of 2.1.330, and those that its SDK and earlier versions write. A session of another
version can be written again only if it has nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from devs_git.domain.clients.transcript_lines import Memory, blocks, text

_KINDS: Final = frozenset(
    {
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "assistant",
        "atis-latch",
        "attachment",
        "cost-state",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "progress",
        "queue-operation",
        "summary",
        "system",
        "tools-used",
        "user",
    }
)
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
_KEYS: Final = frozenset(
    {
        "agentId",
        "agentName",
        "apiBlockIndex",
        "attachment",
        "attributionAgent",
        "attributionMcpServer",
        "attributionMcpTool",
        "attributionSkill",
        "commandRun",
        "compactMetadata",
        "content",
        "costUSD",
        "cwd",
        "durationMs",
        "effort",
        "entrypoint",
        "failedHookErrorIndexes",
        "forkedFrom",
        "gitBranch",
        "hasOutput",
        "hookAdditionalContext",
        "hookCount",
        "hookErrors",
        "hookInfos",
        "isApiErrorMessage",
        "isCompactSummary",
        "isMeta",
        "isSidechain",
        "isVisibleInTranscriptOnly",
        "level",
        "logicalParentUuid",
        "madeBy",
        "mcpMeta",
        "message",
        "parentUuid",
        "perTurnEffort",
        "permissionDecision",
        "permissionMode",
        "preventedContinuation",
        "promptCacheRequested",
        "promptId",
        "promptSource",
        "rendered",
        "renderedBesideToolResult",
        "renderedInHumanTurn",
        "renderedRole",
        "requestId",
        "requestRef",
        "requestSessionId",
        "requestedModel",
        "sandboxed",
        "sessionId",
        "slug",
        "sourceToolAssistantUUID",
        "stopReason",
        "subtype",
        "teamName",
        "thinkingMetadata",
        "timestamp",
        "todos",
        "toolInputStreamMs",
        "toolUseID",
        "toolUseResult",
        "turnCompanion",
        "turnOrigin",
        "turnPosition",
        "type",
        "userType",
        "uuid",
        "version",
    }
)
# Names in a note of what is unknown. One is enough to refuse.
_MOST: Final = 20
_CHAIN: Final = frozenset({"user", "assistant", "system", "attachment"})


def note_unknown(line: Mapping[str, Any], memory: Memory) -> None:
    """Remember what in a line is of no form that we know."""
    for name in _unknown(line):
        if len(memory.unknown) < _MOST and name not in memory.unknown:
            memory.unknown.append(name)


def _unknown(line: Mapping[str, Any]) -> Iterator[str]:
    kind = text(line.get("type"))
    if kind not in _KINDS:
        yield f"line {kind}"
    if kind not in _CHAIN:
        return
    for key in line.keys() - _KEYS:
        yield f"key {text(key)}"
    message = line.get("message")
    for part in blocks(message.get("content")) if isinstance(message, dict) else ():
        if part.get("type") not in _PARTS:
            yield f"part {text(part.get('type'))}"
