"""Bring an index to a tip of the ledger: by the events since its own tip, or from nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.event_names import agent_of, contract_of, kind_of
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.indexing.touches import ALONE, Known, Place, Touched, find_touches, parent_of
from devs_git.storage.ledger.index import index_tables
from devs_git.values import WithoutCollector, field, immutable, mutable

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger

# After so many attempts to find where two ledgers parted, the index is made from nothing.
_ATTEMPTS: Final = 8


@immutable
class Growth:
    """The new events in the order of the fold, and the number of the event after which they stand; 0 for none."""

    base: int
    events: Iterable[Event]


def bring_to(base: sqlite3.Connection, ledger: Ledger, tip: str) -> None:
    """Bring the index to `tip`, in one transaction. sqlite3.OperationalError if another process writes.

    LEDGER_MUTATED and LEDGER_MISSING as the fold raises them.
    """
    base.execute("BEGIN IMMEDIATE")
    try:
        if is_at(base, tip):
            base.execute("COMMIT")
            return
        growth = _growth(base, ledger, tip)
        if growth.base:
            _cut(base, growth.base)
        else:
            index_tables.drop_all(base)
            index_tables.make_tables(base)
        with WithoutCollector():
            _write(base, growth)
        if not growth.base:
            index_tables.make_indexes(base)
        index_tables.set_about(base, tip=tip, version=str(index_tables.VERSION))
        base.execute("COMMIT")
    except BaseException:
        base.execute("ROLLBACK")
        raise


def is_at(base: sqlite3.Connection, tip: str) -> bool:
    """Whether the index has this version, and was made for this tip."""
    return (index_tables.about(base, "version"), index_tables.about(base, "tip")) == (
        str(index_tables.VERSION),
        tip,
    )


def _growth(base: sqlite3.Connection, ledger: Ledger, tip: str) -> Growth:
    known = (
        index_tables.about(base, "tip")
        if index_tables.about(base, "version") == str(index_tables.VERSION)
        else ""
    )
    if known:
        from devs_git.storage.git.program import GitFailed

        try:
            found = _since(base, ledger, tip, known)
        except GitFailed:
            found = None
        if found:
            return found
    return Growth(0, ledger.events(tip, oldest_first=True))


def _since(base: sqlite3.Connection, ledger: Ledger, tip: str, known: str) -> Growth | None:
    """The events after the newest event of the index that all of them come after; None if there is none.

    The order of the fold before such an event does not depend on what comes after it.
    """
    start = known
    for _ in range(_ATTEMPTS):
        place = base.execute("SELECT seq FROM events WHERE oid = ?", (start,)).fetchone()
        if not place:
            return None
        rows = [
            line.split()
            for line in ledger.reader.run(*_PARENTS, tip, f"^{start}", "--").decode().splitlines()
        ]
        inside = {row[0] for row in rows}
        others = {parent for row in rows for parent in row[1:]} - inside - {start}
        if not rows or any(len(row) == 1 for row in rows):
            return None
        if not others:
            return Growth(place[0], list(ledger.events(tip, since=start, oldest_first=True)))
        start = ledger.reader.text("merge-base", "--octopus", start, *sorted(others))
    return None


_PARENTS: Final = ("rev-list", "--parents")


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

    def find(self, tag: str) -> Place | None:
        if tag not in self.points:
            self.points[tag] = place_of(self.base, tag)
        return self.points[tag]

    def has_task(self, task: str) -> bool:
        query = "SELECT 1 FROM tasks WHERE task = ?"
        if task not in self.tasks and self.base.execute(query, (task,)).fetchone():
            self.tasks.add(task)
        return task in self.tasks


def place_of(base: sqlite3.Connection, tag: str) -> Place | None:
    """The checkpoint with this tag object."""
    row = base.execute("SELECT tag, commit_oid, task, seq, at FROM points WHERE tag = ?", (tag,)).fetchone()
    return Place(*row) if row else None


@mutable
class _Names:
    """The numbers of names, those that the index has and new ones."""

    base: sqlite3.Connection
    ids: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ids.update(self.base.execute("SELECT text, id FROM names"))

    def id_of(self, text: str) -> int:
        if not text:
            return 0
        if text not in self.ids:
            self.ids[text] = len(self.ids) + 1
            self.base.execute("INSERT INTO names VALUES (?, ?)", (self.ids[text], text))
        return self.ids[text]


def _write(base: sqlite3.Connection, growth: Growth) -> None:
    known = _Stored(base) if growth.base else Known()
    names, heads = _Names(base), set[str]()
    if growth.base:
        heads = {base.execute("SELECT oid FROM events WHERE seq = ?", (growth.base,)).fetchone()[0]}
    events, points = list[tuple[object, ...]](), list[tuple[object, ...]]()
    links = list[tuple[str, str, int]]()
    touches, tasks = list[tuple[str, int]](), list[tuple[str, int]]()
    for seq, event in enumerate(growth.events, growth.base + 1):
        found = find_touches(event, seq, known)
        heads.difference_update(event.parents)
        heads.add(event.oid)
        events.append(_row(event, found, names, alone=len(heads) == 1))
        touches.extend((task, seq) for task in found.tasks)
        links.extend((*pair, seq) for pair in found.links)
        points += [(p.seq, p.at, p.tag, p.commit, p.task) for p in found.places]
        if found.makes is not None:
            tasks.append((found.makes, seq))
    # Rows in the order of the key are written much faster.
    touches.sort()
    tasks.sort()
    base.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", events)
    base.executemany("INSERT INTO touches VALUES (?, ?)", touches)
    base.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", links)
    base.executemany("INSERT INTO tasks VALUES (?, ?)", tasks)
    base.executemany("INSERT INTO points VALUES (?, ?, ?, ?, ?)", points)


def _row(event: Event, found: Touched, names: _Names, *, alone: bool) -> tuple[object, ...]:
    effects = event.effects
    kind, subtype = kind_of(event)
    return (
        found.seq,
        event.oid,
        found.flags | (ALONE if alone else 0),
        names.id_of(f"{kind}/{subtype}"),
        names.id_of(event.actor),
        names.id_of(agent_of(event)),
        names.id_of(contract_of(event)),
        names.id_of(event.phase),
        names.id_of(parent_of(event)) if effects.starts else 0,
        event.finished,
    )
