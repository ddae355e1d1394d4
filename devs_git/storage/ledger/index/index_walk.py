"""The events before one, newest first, without those that a filter leaves out: the index says which are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.indexing.touches import ALONE, MERGES, RECORDS
from devs_git.storage.ledger.index import index_queries

if TYPE_CHECKING:
    from devs_git.domain.timeline.stream_rows import Filter
    from devs_git.storage.ledger.store import Tip


# Events that are read with the first child of git; each next one reads twice as many.
_FIRST: Final = 50


def back(tip: Tip, start: str, merge: str, wanted: Filter) -> Iterator[tuple[Event, str]] | None:
    """See `listing.before`."""
    rows = index_queries.ask(tip, lambda base: _rows(base, start, merge, wanted))
    return None if rows is None else _read(tip, rows)


def _read(tip: Tip, rows: list[tuple[int, str, str]]) -> Iterator[tuple[Event, str]]:
    first = 0
    for step in count():
        some = rows[first : first + (_FIRST << step)]
        if not some:
            return
        merges = {oid: merge for _, oid, merge in some}
        for event in reversed(index_queries.events_of(tip.ledger, [row[:2] for row in some])):
            yield event, merges[event.oid]
        first += len(some)


def _rows(
    base: sqlite3.Connection, start: str, merge: str, wanted: Filter
) -> list[tuple[int, str, str]] | None:
    """Number and oid of each event from `start` on, and the merge below which it is read."""
    place = base.execute("SELECT seq FROM events WHERE oid = ?", (start,)).fetchone()
    # Only below such an event the order does not depend on newer ones.
    alone = base.execute(
        f"SELECT 1 FROM events WHERE oid = ? AND flags & {ALONE}",  # noqa: S608 - a number of ours
        (merge or start,),
    ).fetchone()
    if not (place and alone):
        return None
    newest = base.execute(
        f"SELECT seq, oid FROM events WHERE seq <= ? AND flags & {MERGES} ORDER BY seq DESC LIMIT 1",  # noqa: S608
        place,
    ).fetchone()
    if not merge and newest and not _is_alone(base, newest[0]):
        return None
    below, name = newest or (0, "")
    found = base.execute(*_query(base, place[0], wanted))
    return [(seq, oid, merge or (name if seq <= below else "")) for seq, oid in found]


def _is_alone(base: sqlite3.Connection, seq: int) -> bool:
    return bool(base.execute("SELECT flags & ? FROM events WHERE seq = ?", (ALONE, seq)).fetchone()[0])


def _query(base: sqlite3.Connection, seq: int, wanted: Filter) -> tuple[str, list[object]]:
    """The query for what one event alone tells: its contract and its phase may be those of the catalog."""
    words, values = ["seq <= ?"], list[object]([seq])
    if wanted.task_id:
        words.append("seq IN (SELECT seq FROM touches WHERE task = ?)")
        values.append(wanted.task_id)
    if wanted.agent:
        words.append("agent = (SELECT id FROM names WHERE text = ?)")
        values.append(wanted.agent)
    if wanted.since:
        words.append("finished >= ?")
        values.append(wanted.since)
    if wanted.until:
        words.append("finished <= ?")
        values.append(wanted.until)
    names = {str(text): int(number) for text, number in base.execute("SELECT text, id FROM names")}
    if wanted.actor:
        words.append(_among("actor", [names[name] for name in names if wanted.actor.lower() in name.lower()]))
    if wanted.types or wanted.subtypes:
        kinds = _among("kind", [number for name, number in names.items() if _is_wanted(name, wanted)])
        # A file is a row of the event that records its commit.
        words.append(f"({kinds} OR flags & {RECORDS})" if wanted.wants_files else kinds)
    where = " AND ".join(words)
    return f"SELECT seq, oid FROM events WHERE {where} ORDER BY seq DESC", values  # noqa: S608 - no values


def _is_wanted(name: str, wanted: Filter) -> bool:
    kind, _, subtype = name.partition("/")
    return wanted.has_type(kind) and (not wanted.subtypes or subtype in wanted.subtypes)


def _among(column: str, numbers: list[int]) -> str:
    return f"{column} IN ({','.join(map(str, numbers))})"
