"""What was said in an agent's session: messages, their order, and a digest that names every prefix of them.

A message never changes, unless a purge overwrites what it said. Its digest is made of the one before and of what it says, so that session, count and digest name
the first messages of a session for good, however long it becomes.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, Literal

from devs_git.values import field, fields, immutable

Role = Literal["user", "assistant", "system", "tool"]
_OPTIONAL: Final = {"optional": True}


@immutable
class ToolCall:
    """What an assistant asked a tool; `input` is any JSON value, as the client wrote it."""

    id: str
    name: str
    input: Any = None


@immutable
class Message:
    """One message. What is not known, or does not belong to its role, is None and left out.

    `timestamp` is UTC with milliseconds. A tool's result that is long is shortened here and whole in the trace `trace_id`.
    `token_count` counts what the message added: input that came from no cache, and output.
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

    def record(self) -> dict[str, Any]:
        """The message as JSON values, without what it has not."""
        found = {name: getattr(self, name) for name in fields(self)}
        if self.tool_calls is not None:
            found["tool_calls"] = [
                {"id": call.id, "name": call.name, "input": call.input} for call in self.tool_calls
            ]
        return {name: value for name, value in found.items() if value is not None}


def message_of(record: dict[str, Any]) -> Message:
    """The message that `record` was made of."""
    calls = record.get("tool_calls")
    made = tuple(ToolCall(**call) for call in calls) if calls is not None else None
    return Message(**{**record, "tool_calls": made})


def canonical(value: Any) -> str:
    """JSON with sorted keys, in ASCII: the same value is always the same text, and half a surrogate pair is no trouble."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def chain_digest(before: str, message: Message) -> str:
    """The digest of a prefix that ends with `message`, after one with the digest `before` ('' for none)."""
    return hashlib.sha256(f"{before}\n{canonical(message.record())}".encode()).hexdigest()


def task_at(samples: Sequence[tuple[str, str]], timestamp: str | None) -> str:
    """The task of a message: the one that was active when the session was last looked at before it, else the first after.

    `samples` are (time, task), oldest first: each tool call that a hook told of is one.
    """
    if not samples:
        return ""
    at = bisect_right(samples, (timestamp or "", "\U0010ffff"))
    return samples[max(0, at - 1)][1]
