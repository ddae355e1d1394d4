"""Traces: the whole output of one tool call, byte for byte, and what is known about the call.

A trace is never shortened. A message may have a shortened output, which then names the trace.
"""

from __future__ import annotations

from typing import Final

from devs_git.values import immutable

TOOL_OUTPUT_TRACE_THRESHOLD: Final = (
    # In characters. A longer output is shortened in messages, which then name its trace.
    500
)
# How many characters of a shortened output are its beginning. The others are its end.
_HEAD: Final = 300


@immutable
class Trace:
    """One tool call. `output` and `raw` (the payload as a client sent it) are kept byte for byte.

    `created_at` is UTC with milliseconds, `2001-02-03T04:05:06.789Z`; `duration_ms` is None if nobody measured it.
    `tool_use_id` is the client's id of the call, `event` the event of its hook.
    """

    trace_id: str
    created_at: str
    output: bytes
    input: str = ""
    task_id: str = ""
    session_id: str = ""
    agent: str = ""
    client: str = ""
    tool_name: str = ""
    is_error: bool = False
    duration_ms: int | None = None
    commit: str = ""
    tool_use_id: str = ""
    event: str = ""
    raw: bytes = b""


@immutable
class TraceRow:
    """A stored trace without its output. `size` is in bytes, `digest` the SHA-256."""

    trace_id: str
    task_id: str
    session_id: str
    agent: str
    client: str
    tool_name: str
    is_error: bool
    duration_ms: int | None
    commit: str
    created_at: str
    digest: str
    size: int
    rewound: bool


def is_long(text: str) -> bool:
    """Whether messages have this output shortened: over TOOL_OUTPUT_TRACE_THRESHOLD characters (500 is not)."""
    return len(text) > TOOL_OUTPUT_TRACE_THRESHOLD


def shorten(text: str, trace_id: str) -> str:
    """`text`, if it is short; else its beginning, its end, and how to get the whole."""
    if not is_long(text):
        return text
    tail = TOOL_OUTPUT_TRACE_THRESHOLD - _HEAD
    left_out = len(text) - TOOL_OUTPUT_TRACE_THRESHOLD
    way_back = f"[{left_out} characters are left out; the whole output: devs-git trace get {trace_id}]"
    return f"{text[:_HEAD]}\n{way_back}\n{text[-tail:]}"
