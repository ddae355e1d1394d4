"""A session from the catalog, as a client needs it to go on. It needs no transcript: the client may have deleted that."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import Final

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import Reader, memory_of, memory_text
from devs_git.domain.recall import whole_results
from devs_git.domain.recall.conversation import canonical
from devs_git.domain.recall.session_entries import Native, SessionEntry, native_of
from devs_git.domain.text import limits
from devs_git.storage.catalog import bodies, fulltext, messages, traces, transcript_file
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.transcripts import Source
from devs_git.values import replace

_COLUMNS: Final = "p.position, m.message_id, m.role, m.body, m.native, m.ordinal"
_PATH: Final = "FROM paths p JOIN messages m ON m.number = p.number WHERE p.session_id = ?"

_COMPLETE: Final = (
    "UPDATE messages SET native = ? WHERE message_id = ? AND native IS NULL "
    "AND number IN (SELECT number FROM paths WHERE session_id = ?)"
)


def read(catalog: Catalog, session_id: str) -> list[SessionEntry]:
    """The entries of a session, in the order of its transcript; none if it is not known."""
    rows = catalog.rows(f"SELECT {_COLUMNS} {_PATH} ORDER BY p.position", session_id)
    return [
        SessionEntry(
            position,
            messages.message_in(message_id, role, body),
            native_of(json.loads(bodies.unpack(native))) if native else Native(),
            ordinal,
        )
        for position, message_id, role, body, native, ordinal in rows
    ]


def lacks_native(catalog: Catalog, session_id: str) -> bool:
    """Whether an older devs-git read some of its messages, without what the client's own form has beside them."""
    return bool(catalog.rows(f"SELECT 1 {_PATH} AND m.native IS NULL LIMIT 1", session_id))


def unknown_forms(catalog: Catalog, session_id: str) -> list[str] | None:
    """What its transcripts have that we do not know. None if that is not known: they were read elsewhere or long ago."""
    rows = catalog.rows("SELECT memory FROM transcripts WHERE session_id = ?", session_id)
    found = [json.loads(memory).get("unknown") for (memory,) in rows if memory]
    if not found or None in found:
        return None
    return sorted({name for names in found for name in names})


def complete(catalog: Catalog, source: Source) -> None:
    """Store what an older devs-git did not store of the messages of a transcript. INVALID_ARGUMENTS if it cannot be read."""
    reader = Reader(CLIENTS[source.client], source.session_id)
    with transcript_file.open_to_read(source.path) as stream, fulltext.write_transaction(catalog) as base:
        for line in iter(partial(stream.readline, limits.LINE.most), b""):
            for one in reader.read(line):
                native = bodies.pack(canonical(one.native.record()).encode())
                base.execute(_COMPLETE, (native, one.message.id, reader.session))
        path = os.fsencode(source.path)
        (kept,) = base.execute("SELECT memory FROM transcripts WHERE path = ?", (path,)).fetchone()
        memory = memory_of(kept)
        memory.unknown = reader.memory.unknown
        base.execute("UPDATE transcripts SET memory = ? WHERE path = ?", (memory_text(memory), path))


def with_whole_result(catalog: Catalog, entry: SessionEntry) -> SessionEntry:
    """The entry with the whole of each long result that its traces have as the model was told it; else unchanged."""
    message = entry.message
    ids = {message.trace_id, *(message.trace_ids or ())}
    if not message.trace_id or not message.tool_result:
        return entry

    def output_of(trace_id: str) -> str | None:
        # Any tool can print the mark of another trace.
        return traces.output(catalog, trace_id).decode("utf-8", "replace") if trace_id in ids else None

    whole = whole_results.lengthen(message.tool_result, output_of)
    return (
        entry if whole == message.tool_result else replace(entry, message=replace(message, tool_result=whole))
    )
