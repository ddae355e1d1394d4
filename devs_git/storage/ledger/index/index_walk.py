"""The events before one, newest first, without those that a filter leaves out: the index says which are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.indexing.touches import ALONE, MERGES, RECORDS
from devs_git.storage.ledger.index import index_queries
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Tip


@immutable
class EventFilter:
    """The events that a reader wants, '' and () for any. `agent`: the role that the event names itself."""

    task: str = ""
    kinds: tuple[str, ...] = ()
    agent: str = ""


# Events that are read with the first child of git; each next one reads twice as many.
_FIRST: Final = 50


def back(tip: Tip, start: str, merge: str, wanted: EventFilter) -> Iterator[tuple[Event, str]] | None:
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
    base: sqlite3.Connection, start: str, merge: str, wanted: EventFilter
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
    found = base.execute(*_query(place[0], wanted))
    return [(seq, oid, merge or (name if seq <= below else "")) for seq, oid in found]


def _is_alone(base: sqlite3.Connection, seq: int) -> bool:
    return bool(base.execute("SELECT flags & ? FROM events WHERE seq = ?", (ALONE, seq)).fetchone()[0])


def _query(seq: int, wanted: EventFilter) -> tuple[str, list[object]]:
    words, values = ["e.seq <= ?"], list[object]([seq])
    if wanted.task:
        words.append("e.seq IN (SELECT seq FROM touches WHERE task = ?)")
        values.append(wanted.task)
    if wanted.agent:
        words.append("e.agent = (SELECT id FROM names WHERE text = ?)")
        values.append(wanted.agent)
    if wanted.kinds:
        # A file is a row of the event that records its commit.
        some = " OR ".join("n.text GLOB ?" for _ in wanted.kinds)
        records = f" OR e.flags & {RECORDS}" if "file" in wanted.kinds else ""
        words.append(f"(e.kind IN (SELECT id FROM names n WHERE {some}){records})")  # noqa: S608 - no values
        values.extend(f"{kind}/*" for kind in wanted.kinds)
    where = " AND ".join(words)
    return f"SELECT e.seq, e.oid FROM events e WHERE {where} ORDER BY e.seq DESC", values  # noqa: S608 - words of ours
