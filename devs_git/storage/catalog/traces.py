"""Traces in the catalog: store, read and count them. A trace is stored completely and comes back byte for byte."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterable, Iterator

from devs_git.errors import invalid
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.database import Catalog
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.recall.traces import Trace, TraceRow
    from devs_git.storage.catalog.bodies import Packed, Readable

COLUMNS: Final = (
    "trace_id, task_id, session_id, agent, client, tool_name, is_error, duration_ms, "
    '"commit", created_at, digest, size, rewound_by, cut_by_client, full_bytes, masked'
)
# One statement, whether the id is new or not: two writers of one id cannot mix their values.
_UPSERT: Final = """
INSERT INTO traces (trace_id, body_id, task_id, session_id, agent, client, tool_name, is_error, duration_ms, "commit",
  tool_use_id, event, created_at, cut_by_client, full_bytes, masked, digest, size, stored, rewound_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (trace_id) DO UPDATE SET body_id = excluded.body_id, task_id = excluded.task_id,
  session_id = excluded.session_id, agent = excluded.agent, client = excluded.client, tool_name = excluded.tool_name,
  is_error = excluded.is_error, duration_ms = excluded.duration_ms, "commit" = excluded."commit",
  tool_use_id = excluded.tool_use_id, event = excluded.event, created_at = excluded.created_at,
  cut_by_client = excluded.cut_by_client, full_bytes = excluded.full_bytes, masked = excluded.masked,
  digest = excluded.digest, size = excluded.size, stored = excluded.stored,
  rewound_by = excluded.rewound_by
"""
# Bytes of input and output together that are indexed as one bound text: that is the quickest way for most outputs.
_SHORT: Final = 1 << 12
# The first byte of a stored payload. It is complete, or the output in it, written as JSON, is replaced by a byte that no
# JSON has.
_WHOLE: Final = b"\2"
_CUT_PLAIN: Final = b"\0"
_CUT_ASCII: Final = b"\1"


def put(
    catalog: Catalog,
    trace: Trace,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    packed: Packed | None = None,
) -> str:
    """Store a trace, inside `fulltext.write_transaction`, and return its digest. It replaces a trace with the same id.

    `packed` is the output, if it is packed already; then `trace.output` is not read. INVALID_ARGUMENTS if input and output
    together are longer than SQLite allows (a billion bytes).
    """
    # Imported late: who only reads traces does not need it.
    from devs_git.storage.catalog import fulltext

    base, in_memory = catalog.base, packed is None
    packed = packed or bodies.pack_output(trace.output)
    # A short output that is in memory is not unpacked again.
    pieces = (trace.output,) if in_memory and len(packed.parts) == 1 else _Pieces(packed)
    given = trace.input.encode("utf-8", "surrogatepass")
    is_short = in_memory and len(given) + packed.size <= _SHORT
    text = (
        f"{bodies.readable(given)}\n{bodies.readable(trace.output)}"
        if is_short
        else _text_for_index(base, given, pieces)
    )
    given, raw = bodies.pack(given), bodies.pack(_cut(trace.raw, packed.size, pieces))
    body_id = base.execute("INSERT INTO bodies (input, raw) VALUES (?, ?)", (given, raw)).lastrowid
    assert body_id is not None
    stored = len(given) + len(raw)
    for number, part in enumerate(packed.parts):
        base.execute("INSERT INTO parts VALUES (?, ?, ?)", (body_id, number, part))
        stored += len(part)
        progress("storing", min((number + 1) * bodies.PART, packed.size), packed.size + 1)
    progress("indexing", 0, 0)
    if isinstance(text, str):
        fulltext.add(catalog, fulltext.TRACES, body_id, text)
    else:
        fulltext.add_large(catalog, fulltext.TRACES, body_id, text)
    hidden = rewound_by(catalog, trace.task_id, trace.created_at)
    base.execute(_UPSERT, (*_values(trace, body_id), packed.digest, packed.size, stored, hidden))
    return packed.digest


def known_or_not(is_error: bool | None) -> int:
    """Whether a call failed, as a column: 1, 0, or -1 if nobody knows."""
    return -1 if is_error is None else int(is_error)


def failure_of(column: int) -> bool | None:
    """Whether a call failed, from the column; None if nobody knows."""
    return None if column < 0 else bool(column)


def rewound_by(catalog: Catalog, task_id: str, created_at: str) -> str:
    """The first operation that undid the task's work of that time; '' if there is none. For traces that are stored late."""
    query = "SELECT operation FROM rewinds WHERE task_id = ? AND upto >= ? ORDER BY upto LIMIT 1"
    found = catalog.base.execute(query, (task_id, created_at)).fetchone() if task_id else None
    return str(found[0]) if found else ""


class _Pieces:
    """An output, one unpacked part at a time."""

    def __init__(self, packed: Packed) -> None:
        self._parts = packed.parts

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[bytes]:
        return map(bodies.unpack, self._parts)


def _text_for_index(base: sqlite3.Connection, given: bytes, pieces: _Pieces | tuple[bytes, ...]) -> Readable:
    """The same text for the index as `Texts.text`, made part by part."""
    most, found = base.getlimit(sqlite3.SQLITE_LIMIT_LENGTH), bodies.Readable()
    found.add(bodies.readable(given).encode() + b"\n")
    for left, piece in zip(reversed(range(len(pieces))), pieces, strict=True):
        found.add(piece, last=not left)
        if found.size > most:
            raise invalid("output", f"A trace has at most {most} bytes of text.", hint="Store it in parts.")
    return found


def _values(trace: Trace, body_id: int) -> tuple[Any, ...]:
    return (
        trace.trace_id,
        body_id,
        trace.task_id,
        trace.session_id,
        trace.agent,
        trace.client,
        trace.tool_name,
        known_or_not(trace.is_error),
        trace.duration_ms,
        trace.commit,
        trace.tool_use_id,
        trace.event,
        trace.created_at,
        trace.cut_by_client,
        trace.full_bytes,
        trace.masked,
    )


def _cut(raw: bytes, size: int, pieces: Iterable[bytes]) -> bytes:
    """The payload without the output, which is stored already, if the output is in it literally. The first byte says how."""
    # Written as JSON, an output is never shorter, and up to six times as long.
    if size < len(raw) and _CUT_PLAIN not in raw and _CUT_ASCII not in raw:
        for mark, literal in _literals(b"".join(pieces)):
            if len(literal) > 2 and raw.count(literal) == 1:
                return mark + raw.replace(literal, mark)
    return _WHOLE + raw


def _literals(output: bytes) -> Iterator[tuple[bytes, bytes]]:
    try:
        text = output.decode()
    except UnicodeDecodeError:
        return
    import json

    yield _CUT_PLAIN, json.dumps(text, ensure_ascii=False).encode()
    yield _CUT_ASCII, json.dumps(text).encode()


def raw(catalog: Catalog, trace_id: str) -> bytes:
    """The payload as the hook received it; b'' if the trace came in another way, or does not exist."""
    query = "SELECT raw FROM bodies JOIN traces USING (body_id) WHERE trace_id = ?"
    found = catalog.rows(query, trace_id)
    data = bodies.unpack(found[0][0]) if found else _WHOLE
    how, rest = data[:1], data[1:]
    if how == _WHOLE:
        return rest
    return rest.replace(how, dict(_literals(output(catalog, trace_id)))[how])


def row(catalog: Catalog, trace_id: str) -> TraceRow | None:
    """The row of a trace; None if there is no trace with this id."""
    found = catalog.rows(f"SELECT {COLUMNS} FROM traces WHERE trace_id = ?", trace_id)
    return row_of(found[0]) if found else None


def ids_beginning_with(catalog: Catalog, text: str) -> list[str]:
    """The ids of traces that begin with a text, at most ten."""
    # Nothing in an id is greater than the last character, and the index of ids finds a range.
    last = text + chr(0x10FFFF)
    sql = "SELECT trace_id FROM traces WHERE trace_id >= ? AND trace_id < ? ORDER BY trace_id LIMIT 10"
    return [str(row[0]) for row in catalog.rows(sql, text, last)]


def trace(catalog: Catalog, trace_id: str) -> Trace | None:
    """The whole trace; None if there is no trace with this id."""
    from devs_git.domain.recall.traces import Trace

    known = row(catalog, trace_id)
    if known is None:
        return None
    use_id, event = catalog.rows("SELECT tool_use_id, event FROM traces WHERE trace_id = ?", trace_id)[0]
    return Trace(
        trace_id,
        known.created_at,
        output(catalog, trace_id),
        input_of(catalog, trace_id),
        known.task_id,
        known.session_id,
        known.agent,
        known.client,
        known.tool_name,
        known.is_error,
        known.duration_ms,
        known.commit,
        use_id,
        event,
        known.cut_by_client,
        known.full_bytes,
        raw(catalog, trace_id),
        known.masked,
    )


def row_of(found: tuple[Any, ...]) -> TraceRow:
    """The trace in a row of COLUMNS."""
    from devs_git.domain.recall.traces import TraceRow

    task, session, agent, client, tool = found[1:6]
    is_error, duration, commit, created, digest, size, rewound_by, cut, full, masked = found[6:]
    return TraceRow(
        found[0],
        task,
        session,
        agent,
        client,
        tool,
        failure_of(is_error),
        duration,
        commit,
        created,
        digest,
        size,
        bool(rewound_by),
        bool(cut),
        full,
        bool(masked),
    )


def count(catalog: Catalog, task_id: str = "") -> int:
    """The number of traces; only those of `task_id` if it is not ''."""
    return int(catalog.rows("SELECT count(*) FROM traces WHERE ? IN ('', task_id)", task_id)[0][0])


def input_of(catalog: Catalog, trace_id: str) -> str:
    """The input of the tool call; '' if there is no such trace."""
    query = "SELECT input FROM bodies JOIN traces USING (body_id) WHERE trace_id = ?"
    found = catalog.rows(query, trace_id)
    return bodies.unpack(found[0][0]).decode("utf-8", "surrogatepass") if found else ""


def output(catalog: Catalog, trace_id: str) -> bytes:
    """The complete output; b'' if there is no such trace."""
    query = "SELECT output FROM traces JOIN parts USING (body_id) WHERE trace_id = ? ORDER BY number"
    whole = io.BytesIO()
    for (part,) in catalog.rows(query, trace_id):
        whole.write(bodies.unpack(part))
    return whole.getvalue()


def window(catalog: Catalog, trace_id: str, offset: int, limit: int) -> bytes:
    """At most `limit` bytes of the output from `offset` on. Only the parts with these bytes are read."""
    query = (
        "SELECT number, output FROM traces JOIN parts USING (body_id) "
        "WHERE trace_id = ? AND number BETWEEN ? AND ? ORDER BY number"
    )
    first, last = offset // bodies.PART, (offset + max(limit, 1) - 1) // bodies.PART
    found = catalog.rows(query, trace_id, first, last)
    data = b"".join(bodies.unpack(part) for _number, part in found)
    start = offset - first * bodies.PART
    return data[start : start + limit]
