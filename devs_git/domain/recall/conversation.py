"""The messages of an agent's session, and a digest that identifies each prefix of them.

A message never changes, unless a purge overwrites its text. Its digest is made of the digest before it and of the message.
So session, count and digest always identify the first messages of a session, however long it becomes.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, Literal

from devs_git.values import field, fields, immutable

Role = Literal["user", "assistant", "system", "tool"]
_OPTIONAL: Final = {"optional": True}
# Claude Code 2.1.330 writes it, or `… by user for tool use]`.
_STOPPED: Final = "[Request interrupted by user"


@immutable
class ToolCall:
    """A call of a tool by an assistant. `input` is any JSON value, as the client wrote it."""

    id: str
    name: str
    input: Any = None


@immutable
class Message:
    """One message. Members that are unknown, or do not belong to its role, are None and left out.

    `timestamp` is UTC with milliseconds. A long tool result is shortened here; the whole is in the trace `trace_id`. A
    result of several calls has the traces `trace_ids`, and `trace_id` is the first of them.
    `token_count` counts what the message added: output, and input that is not from a cache.
    """

    id: str
    role: Role
    content: str | None = field(default=None, metadata=_OPTIONAL)
    timestamp: str | None = field(default=None, metadata=_OPTIONAL)
    tool_calls: tuple[ToolCall, ...] | None = field(default=None, metadata=_OPTIONAL)
    tool_name: str | None = field(default=None, metadata=_OPTIONAL)
    tool_input: Any = field(default=None, metadata=_OPTIONAL)
    tool_result: str | None = field(default=None, metadata=_OPTIONAL)
    trace_id: str | None = field(default=None, metadata=_OPTIONAL)
    is_error: bool | None = field(default=None, metadata=_OPTIONAL)
    token_count: int | None = field(default=None, metadata=_OPTIONAL)
    cost_usd: float | None = field(default=None, metadata=_OPTIONAL)
    trace_ids: tuple[str, ...] | None = field(default=None, metadata=_OPTIONAL)

    def record(self) -> dict[str, Any]:
        """The message as JSON values, without members that are None."""
        found = {name: getattr(self, name) for name in fields(self)}
        if self.tool_calls is not None:
            found["tool_calls"] = [
                {"id": call.id, "name": call.name, "input": call.input} for call in self.tool_calls
            ]
        return {name: value for name, value in found.items() if value is not None}


def message_of(record: dict[str, Any]) -> Message:
    """The message in a record."""
    calls = record.get("tool_calls")
    made = tuple(ToolCall(**call) for call in calls) if calls is not None else None
    ids = record.get("trace_ids")
    return Message(**{**record, "tool_calls": made, "trace_ids": tuple(ids) if ids is not None else None})


def is_prompt(message: Message) -> bool:
    """Whether a message is a prompt of a person. A client writes in the person's place that somebody stopped the agent."""
    return message.role == "user" and bool((message.content or "").strip()) and not is_stop(message)


def is_stop(message: Message) -> bool:
    """Whether a client says that a person stopped the agent."""
    return message.role == "user" and (message.content or "").strip().startswith(_STOPPED)


def session_of_subagent(session_id: str, agent_id: str) -> str:
    """The session of an agent that another agent called within a session."""
    return f"{session_id}/{agent_id}"


def main_session(session_id: str) -> str:
    """The session that hooks name: of a subagent's session that of the agent that called it."""
    return session_id.partition("/")[0]


def canonical(value: Any) -> str:
    """JSON with sorted keys, in ASCII. Equal values give equal texts, also with lone surrogates."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def chain_digest(before: str, message: Message) -> str:
    """The digest of the prefix that ends with `message`. `before` is that of the prefix before it, '' for none."""
    # Late: it loads OpenSSL, and most commands only read digests.
    import hashlib

    return hashlib.sha256(f"{before}\n{canonical(message.record())}".encode()).hexdigest()


def task_at(samples: Sequence[tuple[str, str]], timestamp: str | None) -> str:
    """The task of a message: that of the last sample before it, else that of the first sample.

    `samples` are (time, active task), oldest first. Each tool call for which a hook ran is a sample.
    """
    if not samples:
        return ""
    at = bisect_right(samples, (timestamp or "", "\U0010ffff"))
    return samples[max(0, at - 1)][1]
