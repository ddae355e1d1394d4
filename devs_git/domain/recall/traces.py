"""Traces: the whole output of one tool call, byte for byte, and what is known about the call.

We never shorten a trace. A message may have a shortened output, which then names the trace. A client may have cut the
output before we got it: then the trace says so.
"""

from __future__ import annotations

from devs_git.values import Final, immutable

TOOL_OUTPUT_TRACE_THRESHOLD: Final = (
    # In characters. A longer output is shortened in messages, which then name its trace.
    500
)
# What people read about a trace of an export that masked something.
MASKED: Final = "masked when it was exported"
# The largest size that a client is believed to know.
_MOST: Final = 1 << 53
# How many characters of a shortened output are its beginning. The others are its end.
HEAD: Final = 300


@immutable
class Cut:
    """A client kept only a part of an output. `full_bytes`: the size of the whole, None if the client does not tell it.

    `path`: the file in which the client keeps the whole; '' if it keeps none. `characters`: how many the whole has, as
    UTF-16 units; None if the client does not tell it.
    """

    full_bytes: int | None = None
    path: str = ""
    characters: int | None = None


@immutable
class Trace:
    """One tool call. `output` and `raw` (the payload as a client sent it) are kept byte for byte.

    `created_at` is UTC with milliseconds, `2001-02-03T04:05:06.789Z`; `duration_ms` is None if nobody measured it.
    `is_error` is None if nobody knows whether the call failed. `tool_use_id` is the client's id of the call, `event` the event of its hook. `cut_by_client`: the client had cut the
    output before we got it; `full_bytes` is the size of the whole, None if it is unknown or the output was not cut.
    `masked`: it came from an export that masked what looks like a secret.
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
    is_error: bool | None = False
    duration_ms: int | None = None
    commit: str = ""
    tool_use_id: str = ""
    event: str = ""
    cut_by_client: bool = False
    full_bytes: int | None = None
    raw: bytes = b""
    masked: bool = False


@immutable
class TraceRow:
    """A stored trace without its output. `size` is in bytes, `digest` the SHA-256.

    `cut_by_client`, `full_bytes` and `masked`: see `Trace`.
    """

    trace_id: str
    task_id: str
    session_id: str
    agent: str
    client: str
    tool_name: str
    is_error: bool | None
    duration_ms: int | None
    commit: str
    created_at: str
    digest: str
    size: int
    rewound: bool
    cut_by_client: bool
    full_bytes: int | None
    masked: bool


def known_size(value: object) -> int | None:
    """A size in bytes that a client told; None if it is no sensible one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST else None


def cut_text(size: int, full_bytes: int | None) -> str:
    """What people read about an output that the client cut: `cut by the client: 30,000 of 168,894 bytes`."""
    rest = (
        f"{size:,} bytes of an unknown number" if full_bytes is None else f"{size:,} of {full_bytes:,} bytes"
    )
    return f"cut by the client: {rest}"


def is_long(text: str) -> bool:
    """Whether messages have this output shortened: over TOOL_OUTPUT_TRACE_THRESHOLD characters (500 is not)."""
    return len(text) > TOOL_OUTPUT_TRACE_THRESHOLD


def shorten(text: str, trace_id: str, *, cut_by_client: bool = False) -> str:
    """`text`, if it is short; else its beginning, its end, and how to get the whole, or what the client left of it."""
    if not is_long(text):
        return text
    tail = TOOL_OUTPUT_TRACE_THRESHOLD - HEAD
    left_out = len(text) - TOOL_OUTPUT_TRACE_THRESHOLD
    more = "the output, as the client cut it" if cut_by_client else "the whole output"
    way_back = f"[{left_out} characters are left out; {more}: git devs trace get {trace_id}]"
    return f"{text[:HEAD]}\n{way_back}\n{text[-tail:]}"
