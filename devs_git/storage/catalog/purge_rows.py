"""Taking a secret out of the catalog: traces go, messages keep their place and say that they were purged.

A message that was deleted would be read again from the client's transcript, and the digests of a session are a chain; so
its row stays, with its id and digest, which tell nothing. Afterwards the file is written anew, so that no free page, no
word of the full-text index and no line of the write-ahead log has it. A setting tells of a purge that was not ended.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from devs_git.domain.recall.conversation import canonical
from devs_git.domain.recall.purge_terms import holds
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable

PENDING: Final = "purging"
PURGED: Final = "[purged]"
_KEPT: Final = ("timestamp", "is_error", "token_count", "cost_usd")
_COLUMNS: Final = "trace_id, tool_name, tool_use_id, agent, session_id"

Progress = Callable[[str, int, int], None]


@immutable
class Hits:
    """Ids of traces, numbers of messages, and paths of transcripts of which the catalog remembers such a text."""

    traces: tuple[str, ...] = ()
    messages: tuple[int, ...] = ()
    memories: tuple[bytes, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.traces or self.messages or self.memories)


def look(catalog: Catalog, forms: tuple[bytes, ...], progress: Progress) -> Hits:
    """What holds one of the forms; every text of the catalog is read."""
    if not forms:
        return Hits()
    found = tuple(_traces(catalog, forms, progress))
    said = catalog.rows("SELECT number, body, message_id, tool_name FROM messages ORDER BY number")
    numbers = tuple(
        number
        for number, body, *words in said
        if holds(bodies.unpack(body), forms) or _any_holds(words, forms)
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
            or any(holds(text, forms) for text in texts)
            or holds(traces.output(catalog, trace_id), forms)
        ):
            yield str(trace_id)


def _any_holds(words: list[Any], forms: tuple[bytes, ...]) -> bool:
    return any(holds(str(word).encode("utf-8", "surrogatepass"), forms) for word in words)


def is_unfinished(catalog: Catalog) -> bool:
    """Whether a purge was cut off before the file was written anew."""
    return catalog.setting(PENDING) != ""


def take_out(catalog: Catalog, hits: Hits, forms: tuple[bytes, ...]) -> None:
    """Delete and overwrite, inside `fulltext.write_transaction`; what is deleted is overwritten in the file, too."""
    for trace_id in hits.traces:
        catalog.base.execute("DELETE FROM traces WHERE trace_id = ?", (trace_id,))
    for number in hits.messages:
        _overwrite(catalog, number)
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


def _overwrite(catalog: Catalog, number: int) -> None:
    base, index = catalog.base, fulltext.MESSAGES
    (old,) = base.execute("SELECT body FROM messages WHERE number = ?", (number,)).fetchone()
    record = {key: value for key, value in json.loads(bodies.unpack(old)).items() if key in _KEPT}
    body = bodies.pack(canonical({**record, "content": PURGED}).encode())
    fulltext.forget(catalog, index, number)
    base.execute("UPDATE messages SET body = ?, tool_name = '' WHERE number = ?", (body, number))
    fulltext.add(catalog, index, number, bodies.message(body))


def write_anew(catalog: Catalog, progress: Progress) -> None:
    """Merge the indexes, write the file anew and empty its log; BUSY where another program reads it all the time."""
    progress("writing the catalog anew", 0, 0)
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
        "The purge is recorded, and another program still reads the catalog as it was.",
        hint="End that program (such as devs-git serve), then run the same purge again: it finishes.",
    )


def overwrite_deleted(catalog: Catalog) -> None:
    """What this connection deletes is overwritten with zeros."""
    catalog.rows("PRAGMA secure_delete = ON")


def transcripts(catalog: Catalog) -> Iterator[Path]:
    """Files of agents that were read, or that hooks told of."""
    known = catalog.rows("SELECT path FROM transcripts UNION SELECT path FROM heard")
    yield from sorted(Path(os.fsdecode(row[0])) for row in known)
