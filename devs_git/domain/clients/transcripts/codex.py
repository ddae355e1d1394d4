"""Codex's rollouts, `~/.codex/sessions/<date>/rollout-<time>-<session>.jsonl`: `{timestamp, type, payload}` a line.

What was said is in `response_item`; `event_msg` says much of it again for the screen, and alone how many tokens it took.
Older rollouts have the items bare, without time. No line has a name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from devs_git.domain.clients.transcripts.dialect import (
    Memory,
    Said,
    TranscriptDialect,
    blocks,
    loads,
    moment,
    spoken,
    text,
    whole_number,
)
from devs_git.domain.recall.conversation import Message, Role, ToolCall

_WRAPPED: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
}
# What Codex itself puts in front of a conversation in the user's name.
_INJECTED: Final = re.compile(
    r"\s*(<(environment_context|user_instructions|permissions instructions)>|# AGENTS\.md instructions)"
)
_CALLS: Final = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}


def knows(line: Mapping[str, Any]) -> bool:
    if line.get("type") in _WRAPPED:
        return isinstance(line.get("payload"), dict)
    bare = {"id", "timestamp"} <= set(line) and "type" not in line and "uuid" not in line
    return bare or (line.get("type") == "message" and line.get("role") in _ROLES and "uuid" not in line)


def read(line: Mapping[str, Any], memory: Memory) -> Sequence[Said]:
    """The messages of one line, one at most."""
    moment(line.get("timestamp"), memory)
    kind, payload = line.get("type"), line.get("payload")
    if kind in _WRAPPED and isinstance(payload, dict):
        if kind == "session_meta":
            memory.session_id = memory.session_id or text(payload.get("id"))
        if kind == "event_msg":
            _count(payload, memory)
        if kind == "compacted":
            return (
                Said(_message(memory, "system", text(payload.get("message")) or "Conversation compacted")),
            )
        return _item(payload, memory) if kind == "response_item" else ()
    if kind is None:
        memory.session_id = memory.session_id or text(line.get("id"))
        return ()
    return _item(line, memory)


def _message(memory: Memory, role: Role, content: str | None = None, **more: Any) -> Message:
    return Message("", role, content, memory.timestamp or None, **more)


def _item(item: Mapping[str, Any], memory: Memory) -> Sequence[Said]:
    kind = text(item.get("type"))
    if kind == "message":
        role = _ROLES.get(text(item.get("role")))
        content = spoken(blocks(item.get("content")))
        if role is None or not content.strip():
            return ()
        return (
            Said(
                _message(memory, "system" if role == "user" and _INJECTED.match(content) else role, content)
            ),
        )
    if kind in _CALLS:
        name = text(item.get("name")) or kind.removesuffix("_call")
        given = _value(item.get(_CALLS[kind]))
        call_id = text(item.get("call_id")) or text(item.get("id"))
        memory.called(call_id, name, given)
        return (Said(_message(memory, "assistant", tool_calls=(ToolCall(call_id, name, given),))),)
    if kind.endswith("_call_output"):
        return (_result(item, memory),)
    return ()


def _result(item: Mapping[str, Any], memory: Memory) -> Said:
    from devs_git.domain.clients.dialects.codex import failed

    call_id, output = text(item.get("call_id")), _value(item.get("output"))
    name, given = memory.answered(call_id)
    result = output
    if isinstance(output, dict):
        inner = next((output[key] for key in ("output", "content") if key in output), None)
        result = inner if inner is not None and (isinstance(inner, str | list)) else text(item.get("output"))
    shown = result if isinstance(result, str) else spoken(blocks(result))
    return Said(
        _message(
            memory, "tool", tool_name=name, tool_input=given, tool_result=text(shown), is_error=failed(output)
        ),
        call_id=call_id,
    )


def _value(given: Any) -> Any:
    """JSON within a text, where it is an object; anything else as it stands."""
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return given
    try:
        return loads(given)
    except (ValueError, RecursionError):
        return given


def _count(payload: Mapping[str, Any], memory: Memory) -> None:
    """Tokens that were told of since the last time: `total_token_usage` counts from the session's beginning."""
    info = payload.get("info") if payload.get("type") == "token_count" else None
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if not isinstance(total, dict):
        return
    given, cached, out = (
        whole_number(total.get(name)) for name in ("input_tokens", "cached_input_tokens", "output_tokens")
    )
    counted = max(0, given - cached) + out
    memory.loose += max(0, counted - memory.usage.get("tokens", 0))
    memory.usage = {"of": "session", "tokens": counted}


CODEX: Final = TranscriptDialect("codex", knows, read, ("PostToolUse", "PostToolUse"))
