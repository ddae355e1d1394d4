"""Compare the index with the ledger, for `doctor`. Who can write into `.git/devs` can write an index that leaves out events."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.indexing.index_rows import Rows
from devs_git.errors import DevsError
from devs_git.storage.ledger.index import NAME, commit_changes, index_file, index_tables, reached_commits

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger, Tip

_FIX: Final = 'rm -r "$(git rev-parse --git-common-dir)"/devs/index.db*'
# Bytes. An honest index has 350 for each event.
_ROOM: Final = 1 << 26
_EACH: Final = 1 << 14


def findings(tip: Tip) -> Iterator[Finding]:
    """What is wrong with the index. Nothing, if it would be made anew; then no command is told anything by this file."""
    path = tip.ledger.common / NAME
    if not (tip.oid and path.exists()):
        return
    if path.is_dir():
        # Nothing of ours deletes it.
        yield Finding("INDEX_WRONG", "warning", "A folder is in the place of the index of the ledger.", _FIX)
        return
    base = index_file.open_at(tip.ledger, tip.oid)
    if base:
        # What is wrong with the ledger itself, others say.
        with closing(base), suppress(DevsError):
            if not _is_wrong(tip.ledger, tip.oid, base):
                return
            text = "The index of the ledger (devs/index.db in the git directory) does not agree with the ledger. Lists may be wrong."
            yield Finding("INDEX_WRONG", "warning", text, _FIX)


def _is_wrong(ledger: Ledger, tip: str, base: sqlite3.Connection) -> bool:
    rows = Rows()
    # doctor needs the history: the events are read once for both.
    ledger.history_at(tip, rows.watch)
    if not rows.events:
        rows.add_all(ledger.events(tip, oldest_first=True))
    try:
        base.execute("BEGIN")
        if index_tables.size(base) > _ROOM + _EACH * rows.seq:
            return True
        checked = base.execute("PRAGMA integrity_check(1)").fetchone()[0]
        same = _same(base, rows) and _has_changes(ledger, base, rows.seq)
        return checked != "ok" or not (same and reached_commits.agrees(ledger, base))
    except index_tables.TROUBLE:
        return True


def _same(base: sqlite3.Connection, rows: Rows) -> bool:
    """Whether the file has these rows. A name may have another number, and names may be left from before a merge."""
    numbers = {
        number: rows.names.get(name, -1) if name else -1
        for name, number in base.execute("SELECT text, id FROM names")
    }
    numbers[0] = 0
    links = {link[:2]: link for link in reversed(rows.links)}
    return (
        _equal(
            (
                (*row[:3], *(numbers.get(name, -1) for name in row[3:9]), row[9])
                for row in _all(base, "events", "seq")
            ),
            rows.events,
        )
        and _equal(_all(base, "touches", "task, seq"), rows.touch_rows())
        and _equal(_all(base, "tasks", "task"), sorted(rows.tasks))
        and _equal(_all(base, "points", "seq, at"), rows.points)
        and _equal(_all(base, "links", "task, other"), sorted(links.values()))
    )


def _all(base: sqlite3.Connection, table: str, order: str) -> Iterator[tuple[object, ...]]:
    return base.execute(f"SELECT * FROM {table} ORDER BY {order}")  # noqa: S608 - names of our own tables


def _equal(found: Iterable[tuple[object, ...]], expected: Iterable[tuple[object, ...]]) -> bool:
    return all(one == other for one, other in zip_longest(found, expected))


def _has_changes(ledger: Ledger, base: sqlite3.Connection, seq: int) -> bool:
    """Whether the commits that somebody looked at have their rows. More rows than these only cost time."""
    looked = min(int(index_tables.about(base, index_tables.LOOKED) or 0), seq)
    known = dict(base.execute("SELECT commit_oid, bits FROM changes"))
    # A commit that is not here now may have been here then, and the reverse.
    unsure = commit_changes.UNKNOWN
    return all(
        known.get(oid, 0) & unsure or known.get(oid, 0) & bits == bits or bits == unsure
        for first in range(0, looked, commit_changes.AT_ONCE)
        for oid, bits in commit_changes.rows(ledger, base, first, min(first + commit_changes.AT_ONCE, looked))
    )
