"""Purge a secret from the catalog: its traces are deleted, and the content of its messages is overwritten.

A message that is deleted would be read again from the client's transcript, and the digests of a session are a chain. So
its row stays, with its id and digest, which reveal nothing. Then the file is rewritten, so that the secret is in no free
page, not in the full-text index and not in the write-ahead log. A setting marks a purge that is not finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from devs_git.domain.recall.conversation import canonical
from devs_git.domain.recall.purge_terms import contains
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable

PENDING: Final = "purging"
PURGED: Final = "[purged]"
_KEPT: Final = ("timestamp", "is_error", "token_count", "cost_usd")
_PLACE: Final = ("parent", "call_id", "answer", "kind")
_COLUMNS: Final = "trace_id, tool_name, tool_use_id, agent, session_id"

Progress = Callable[[str, int, int], None]


@immutable
class Hits:
    """The ids of traces, the numbers of messages, and the paths of transcripts whose saved state has the secret."""

    traces: tuple[str, ...] = ()
    messages: tuple[int, ...] = ()
    memories: tuple[bytes, ...] = ()


def look(catalog: Catalog, forms: tuple[bytes, ...], progress: Progress) -> Hits:
    """Find what contains one of the forms of the secret. Every text of the catalog is read."""
    if not forms:
        return Hits()
    found = tuple(_traces(catalog, forms, progress))
    said = catalog.rows("SELECT number, body, native, message_id, tool_name FROM messages ORDER BY number")
    numbers = tuple(
        number
        for number, body, native, *words in said
        if any(contains(bodies.unpack(packed), forms) for packed in (body, native) if packed)
        or _any_holds(words, forms)
    )
    memories = catalog.rows("SELECT path, memory FROM transcripts")
    return Hits(found, numbers, tuple(path for path, memory in memories if _any_holds([memory], forms)))


def _traces(catalog: Catalog, forms: tuple[bytes, ...], progress: Progress) -> Iterator[str]:
    rows = catalog.rows(f"SELECT {_COLUMNS} FROM traces ORDER BY body_id")
    for done, (trace_id, *words) in enumerate(rows):
        progress("reading traces", done, len(rows))
        given = catalog.rows(
            "SELECT input FROM bodies JOIN traces USING (body_id) WHERE trace_id = ?", trace_id
        )
        texts = (*(bodies.unpack(row[0]) for row in given), traces.raw(catalog, trace_id))
        if (
            _any_holds([trace_id, *words], forms)
            or any(contains(text, forms) for text in texts)
            or contains(traces.output(catalog, trace_id), forms)
        ):
            yield str(trace_id)


def _any_holds(words: list[Any], forms: tuple[bytes, ...]) -> bool:
    return any(contains(str(word).encode("utf-8", "surrogatepass"), forms) for word in words)


def is_unfinished(catalog: Catalog) -> bool:
    """Whether a purge was interrupted before the file was rewritten."""
    return catalog.setting(PENDING) != ""


def take_out(catalog: Catalog, hits: Hits, forms: tuple[bytes, ...]) -> None:
    """Delete and overwrite the hits, inside `fulltext.write_transaction`. Call `overwrite_deleted` before."""
    for trace_id in hits.traces:
        catalog.base.execute("DELETE FROM traces WHERE trace_id = ?", (trace_id,))
    for number in hits.messages:
        _overwrite(catalog, number, forms)
    for path in hits.memories:
        query = "SELECT memory FROM transcripts WHERE path = ?"
        memory = catalog.base.execute(query, (path,)).fetchone()[0].encode("utf-8", "surrogatepass")
        for form in forms:
            memory = memory.replace(form, PURGED.encode())
        catalog.base.execute(
            "UPDATE transcripts SET memory = ? WHERE path = ?",
            (memory.decode("utf-8", "surrogatepass"), path),
        )
    catalog.set(PENDING, "1")


def _overwrite(catalog: Catalog, number: int, forms: tuple[bytes, ...]) -> None:
    base, index = catalog.base, fulltext.MESSAGES
    query = "SELECT body, native FROM messages WHERE number = ?"
    old, native = base.execute(query, (number,)).fetchone()
    record = {key: value for key, value in json.loads(bodies.unpack(old)).items() if key in _KEPT}
    body = bodies.pack(canonical({**record, "content": PURGED}).encode())
    fulltext.forget(catalog, index, number)
    base.execute(
        "UPDATE messages SET body = ?, tool_name = '', native = ? WHERE number = ?",
        (body, _place(native, forms), number),
    )
    fulltext.add(catalog, index, number, bodies.message(body))


def _place(native: bytes | None, forms: tuple[bytes, ...]) -> bytes:
    """The place of a message in its session. It is never NULL, so that nobody reads the rest from the transcript again."""
    known = json.loads(bodies.unpack(native)) if native else {}
    kept = {name: known[name] for name in _PLACE if name in known and not _any_holds([known[name]], forms)}
    return bodies.pack(canonical(kept).encode())


def write_anew(catalog: Catalog, progress: Progress) -> None:
    """Merge the indexes, rewrite the file and empty its log; BUSY if another program is reading it all the time."""
    progress("rewriting the catalog", 0, 0)
    for index in fulltext.INDEXES:
        name = index.of(fulltext.engine_of(catalog))
        with fulltext.write_transaction(catalog) as base:
            base.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
    catalog.rows("VACUUM")
    if catalog.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
        raise still_read()
    with fulltext.write_transaction(catalog) as base:
        base.execute("DELETE FROM settings WHERE key = ?", (PENDING,))


def still_read() -> DevsError:
    return DevsError(
        "BUSY",
        "The purge is recorded, but another program still reads the old content of the catalog.",
        hint="End that program (such as devs-git serve), then run the same purge again to finish it.",
    )


def overwrite_deleted(catalog: Catalog) -> None:
    """From now on, overwrite with zeros whatever this connection deletes."""
    catalog.rows("PRAGMA secure_delete = ON")


def transcripts(catalog: Catalog) -> Iterator[Path]:
    """The transcripts that were read, or that hooks reported."""
    known = catalog.rows("SELECT path FROM transcripts UNION SELECT path FROM heard")
    yield from sorted(Path(os.fsdecode(row[0])) for row in known)
