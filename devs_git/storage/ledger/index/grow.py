"""Bring an index to a tip of the ledger: by the events since its own tip, or from nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.ledger.indexing.index_rows import Known, Names, Rows
from devs_git.domain.ledger.indexing.notes import ALONE, reader
from devs_git.storage.ledger import event_walk
from devs_git.storage.ledger.index import index_tables
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger


@immutable
class Growth:
    """The new events in the order of the fold, and the number of the event after which they stand."""

    base: int
    events: Iterable[Event]


def bring_to(base: sqlite3.Connection, ledger: Ledger, tip: str) -> bool:
    """Bring the index to `tip`, in one transaction; False if it can only be made from nothing.

    sqlite3.OperationalError if another process writes; LEDGER_MUTATED and LEDGER_MISSING as the fold raises them.
    """
    with index_tables.transaction(base):
        if done := is_at(base, tip):
            pass
        elif growth := _growth(base, ledger, tip):
            _cut(base, growth.base)
            rows = _rows_after(base, growth.base)
            names = len(rows.names)
            rows.add_all(growth.events)
            _write(base, rows, names)
            index_tables.set_about(base, tip=tip)
            done = True
    return done


def make(base: sqlite3.Connection, ledger: Ledger, tip: str) -> None:
    """Fill an empty file."""
    base.execute("BEGIN")
    index_tables.make_tables(base)
    rows = Rows()
    # git prints the newest event at once. To print the oldest first, it reads all of them before.
    rows.add_back(replace(ledger, parse=reader()).newest_first(tip))
    _write(base, rows)
    index_tables.make_indexes(base)
    index_tables.set_about(base, tip=tip, version=str(index_tables.VERSION))
    base.execute("COMMIT")


def is_at(base: sqlite3.Connection, tip: str) -> bool:
    """Whether the index has this version, and was made for this tip."""
    return is_of_version(base) and index_tables.about(base, "tip") == tip


def is_of_version(base: sqlite3.Connection) -> bool:
    """Whether a program of this version made it."""
    return index_tables.about(base, "version") == str(index_tables.VERSION)


def _growth(base: sqlite3.Connection, ledger: Ledger, tip: str) -> Growth | None:
    known = index_tables.about(base, "tip")
    if not (is_of_version(base) and is_oid(known)):
        return None
    from devs_git.storage.git.program import GitFailed

    try:
        return _since(base, ledger, tip, known)
    except GitFailed:
        return None


def _since(base: sqlite3.Connection, ledger: Ledger, tip: str, known: str) -> Growth | None:
    """The events after the newest event of the index that all of them come after; None if there is none.

    The order of the fold before such an event does not depend on what comes after it.
    """
    start = event_walk.joint(ledger, tip, known)
    if start == tip:
        return _up_to(base, tip)
    place = base.execute("SELECT seq FROM events WHERE oid = ?", (start,)).fetchone()
    return Growth(place[0], list(ledger.events(tip, since=start, oldest_first=True))) if place else None


def _up_to(base: sqlite3.Connection, tip: str) -> Growth | None:
    """For a tip older than the index: another process wrote an event after this command had read the tip."""
    query = f"SELECT seq FROM events WHERE oid = ? AND flags & {ALONE}"  # noqa: S608 - a number of ours
    place = base.execute(query, (tip,)).fetchone()
    return Growth(place[0], ()) if place else None


def _cut(base: sqlite3.Connection, seq: int) -> None:
    """Forget the events after this one."""
    newest = base.execute("SELECT max(seq) FROM events").fetchone()[0]
    if newest > seq:
        for table in ("events", "touches", "links", "tasks", "points"):
            base.execute(f"DELETE FROM {table} WHERE seq > ?", (seq,))  # noqa: S608 - names of our own tables
        looked = int(index_tables.about(base, index_tables.LOOKED) or 0)
        index_tables.set_about(base, **{index_tables.LOOKED: str(min(looked, seq))})


class _Stored(Known):
    """What the rows of the index know."""

    def __init__(self, base: sqlite3.Connection) -> None:
        super().__init__()
        self.base = base

    def find(self, tag: str) -> str | None:
        if tag not in self.points:
            row = self.base.execute("SELECT task FROM points WHERE tag = ?", (tag,)).fetchone()
            self.points[tag] = row[0] if row else None
        return self.points[tag]

    def has_task(self, task: str) -> bool:
        query = "SELECT 1 FROM tasks WHERE task = ?"
        if task not in self.tasks and self.base.execute(query, (task,)).fetchone():
            self.tasks.add(task)
        return task in self.tasks


def _rows_after(base: sqlite3.Connection, seq: int) -> Rows:
    heads = {str(base.execute("SELECT oid FROM events WHERE seq = ?", (seq,)).fetchone()[0])}
    return Rows(seq, _Stored(base), Names(dict(base.execute("SELECT text, id FROM names"))), heads)


def _write(base: sqlite3.Connection, rows: Rows, names: int = 1) -> None:
    """Write the rows; the index has as many `names` already, the empty one among them."""
    new = [(number, name) for name, number in islice(rows.names.items(), names, None)]
    base.executemany("INSERT INTO names VALUES (?, ?)", new)
    base.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.events)
    base.executemany("INSERT INTO touches VALUES (?, ?)", rows.touch_rows())
    base.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", rows.links)
    base.executemany("INSERT INTO tasks VALUES (?, ?)", sorted(rows.tasks))
    base.executemany("INSERT INTO points VALUES (?, ?, ?, ?, ?)", rows.points)
