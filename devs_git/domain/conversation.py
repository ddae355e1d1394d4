"""What was said in an agent's session: messages, their order, and a digest that names every prefix of them.

A message never changes. Its digest is made of the one before and of what it says, so that session, count and digest name
the first messages of a session for good, however long it becomes.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal

from devs_git.domain.dialects.dialect import Dialect
from devs_git.domain.tool_guard import reads_back
from devs_git.domain.traces import is_long, shortened

Role = Literal["user", "assistant", "system", "tool"]
SnapshotType = Literal["auto", "manual", "checkpoint"]
_OPTIONAL: Final = {"optional": True}
_SNAPSHOTS: Final = uuid.UUID("0d9f2a2e-6c0b-5f4f-8f53-0a6f7cf3a9c1")  # of checkpoints; never another


@dataclass(frozen=True)
class ToolCall:
    """What an assistant asked a tool; `input` is any JSON value, as the client wrote it."""

    id: str
    name: str
    input: Any = None


@dataclass(frozen=True)
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
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        if self.tool_calls is not None:
            found["tool_calls"] = [
                {"id": call.id, "name": call.name, "input": call.input} for call in self.tool_calls
            ]
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Metadata:
    """What a prefix cost, as far as the client told it."""

    token_count: int
    cost_usd: float


@dataclass(frozen=True)
class Snapshot:
    """A prefix of a session: its first `message_count` messages. `checkpoint` is '' where it belongs to none."""

    snapshot_id: str
    task_id: str
    checkpoint: str
    snapshot_type: str
    message_count: int
    digest: str
    metadata: Metadata
    created_at: str
    session_id: str


def message_of(record: dict[str, Any]) -> Message:
    """The message that `record` was made of."""
    calls = record.get("tool_calls")
    made = tuple(ToolCall(**call) for call in calls) if calls is not None else None
    return Message(**{**record, "tool_calls": made})


def canonical(value: Any) -> str:
    """JSON with sorted keys, in ASCII: the same value is always the same text, and half a surrogate pair is no trouble."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def chained(before: str, message: Message) -> str:
    """The digest of a prefix that ends with `message`, after one with the digest `before` ('' for none)."""
    return hashlib.sha256(f"{before}\n{canonical(message.record())}".encode()).hexdigest()


def with_trace(message: Message, trace_id: str, dialect: Dialect | None = None) -> tuple[Message, str | None]:
    """The message as it is kept, and the whole result where it has to be a trace; None where it is short.

    What a tool only read back from us is no trace again: it stays whole.
    """
    whole = message.tool_result
    if whole is None or not is_long(whole):
        return message, None
    if dialect and reads_back(dialect, message.tool_name or "", message.tool_input):
        return message, None
    return replace(message, tool_result=shortened(whole, trace_id), trace_id=trace_id), whole


def snapshot_of_checkpoint(tag: str) -> str:
    """The snapshot id of a checkpoint, named by its tag's oid: the same wherever the ledger is read."""
    return str(uuid.uuid5(_SNAPSHOTS, tag))


def task_at(samples: Sequence[tuple[str, str]], timestamp: str | None) -> str:
    """The task of a message: the one that was active when the session was last looked at before it, else the first after.

    `samples` are (time, task), oldest first: each tool call that a hook told of is one.
    """
    if not samples:
        return ""
    at = bisect_right(samples, (timestamp or "", "\U0010ffff"))
    return samples[max(0, at - 1)][1]
