"""What a trace is: the full, verbatim output of one tool call, and what is known about the call.

A trace is never shortened. What is handed on in its place may be, and then names the trace.
"""

from __future__ import annotations

from typing import Final

from devs_git.values import immutable

TOOL_OUTPUT_TRACE_THRESHOLD: Final = (
    # Characters; a longer output is stored, and named where it is shortened.
    500
)
# Characters of a shortened output that come from its beginning; the rest from its end.
_HEAD: Final = 300


@immutable
class Trace:
    """One tool call. `output` and `raw` (the payload as a client sent it) are kept byte for byte.

    `created_at` is UTC with milliseconds, `2001-02-03T04:05:06.789Z`; `duration_ms` is None where nobody measured.
    `tool_use_id` and `event` are the client's own names for the call and for what it told us of it.
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
    """What is known of a stored trace without reading its output; `size` is in bytes, `digest` the SHA-256."""

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
    """Whether an output goes out shortened: over TOOL_OUTPUT_TRACE_THRESHOLD characters (500 is not)."""
    return len(text) > TOOL_OUTPUT_TRACE_THRESHOLD


def shorten(text: str, trace_id: str) -> str:
    """`text` as it stands where it is short; else its beginning and its end, and how to get the whole."""
    if not is_long(text):
        return text
    tail = TOOL_OUTPUT_TRACE_THRESHOLD - _HEAD
    left_out = len(text) - TOOL_OUTPUT_TRACE_THRESHOLD
    way_back = f"[{left_out} characters are left out; the whole output: devs-git trace get {trace_id}]"
    return f"{text[:_HEAD]}\n{way_back}\n{text[-tail:]}"
