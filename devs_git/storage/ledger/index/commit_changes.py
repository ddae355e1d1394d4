"""Which commits added, deleted or renamed files. A question about such files fills this table; nothing else reads commits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.ledger.indexing.notes import RECORDS
from devs_git.storage.ledger.index import index_tables
from devs_git.storage.ledger.index.index_file import LOCK

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger

_BITS: Final = {"added": 1, "deleted": 2, "renamed": 4}
# A commit that is not here may have changed anything: a fetch may bring it later.
UNKNOWN: Final = 8
# Not of a commit: the oid is that of an event that records a checkpoint which an event before it has recorded.
_AGAIN: Final = 16
# Events whose commits one child compares: what they changed is in memory at once.
AT_ONCE: Final = 2000


def condition(ledger: Ledger, base: sqlite3.Connection, subtypes: tuple[str, ...]) -> str:
    """SQL for events whose commits may have rows of these subtypes, as far as the index knows; '' if it does not know.

    Most commits modify files, so nobody needs to look for those.
    """
    if not subtypes or "modified" in subtypes or not _bring(ledger, base):
        return ""
    bits = sum(_BITS.get(name, 0) for name in set(subtypes)) | UNKNOWN
    return (
        "seq IN (SELECT p.seq FROM changes c CROSS JOIN points p ON p.commit_oid = c.commit_oid"  # noqa: S608 - numbers of ours
        f" WHERE c.bits & {bits} UNION ALL"
        f" SELECT e.seq FROM changes c CROSS JOIN events e ON e.oid = c.commit_oid WHERE c.bits & {_AGAIN})"
    )


def _bring(ledger: Ledger, base: sqlite3.Connection) -> bool:
    """Look at the commits that were not looked at yet. Whether the table has them all."""
    from devs_git.errors import DevsError
    from devs_git.storage.git import locks

    if _known(base) >= _newest(base):
        return True
    if not ledger.keeps_index:
        return False
    try:
        with locks.hold(ledger.common / LOCK, wait=0.0):
            # Under the lock the numbers of events stay as they are.
            newest = _newest(base)
            for known in range(_known(base), newest, AT_ONCE):
                _look(ledger, base, known, min(known + AT_ONCE, newest))
    except sqlite3.OperationalError:
        return False
    except DevsError as error:
        if error.code != "BUSY":
            raise
        return False
    return True


def _newest(base: sqlite3.Connection) -> int:
    return int(base.execute("SELECT max(seq) FROM events").fetchone()[0])


def _known(base: sqlite3.Connection) -> int:
    return int(index_tables.about(base, index_tables.LOOKED) or 0)


def _look(ledger: Ledger, base: sqlite3.Connection, known: int, newest: int) -> None:
    """Look at the commits of the events after `known`, up to `newest`: a command that is interrupted keeps what it has."""
    found = rows(ledger, base, known, newest)
    with index_tables.transaction(base):
        base.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?)", found)
        index_tables.set_about(base, **{index_tables.LOOKED: str(newest)})


def rows(ledger: Ledger, base: sqlite3.Connection, known: int, newest: int) -> list[tuple[str, int]]:
    """What belongs into the table of the events after `known`, up to `newest`."""
    commits = base.execute(_COMMITS, (known, newest)).fetchall()
    again = base.execute(_RECORDED_AGAIN, (known, newest)).fetchall()
    return [*_bits(ledger, [str(row[0]) for row in commits]), *((str(row[0]), _AGAIN) for row in again)]


_COMMITS: Final = "SELECT DISTINCT commit_oid FROM points WHERE seq > ? AND seq <= ?"
_RECORDED_AGAIN: Final = (
    f"SELECT oid FROM events WHERE seq > ? AND seq <= ? AND flags & {RECORDS}"  # noqa: S608 - a number of ours
    " AND NOT EXISTS (SELECT 1 FROM points WHERE points.seq = events.seq)"
)


def _bits(ledger: Ledger, commits: list[str]) -> Iterator[tuple[str, int]]:
    """The rows of those commits that did more than modify files, or that are not known."""
    from devs_git.storage.git.commit_files import changed_files

    files = changed_files(ledger.reader, filter(is_oid, commits))
    for oid in commits:
        bits = {_BITS.get(file.action, 0) for file in files[oid]} if oid in files else {UNKNOWN}
        if any(bits):
            yield oid, sum(bits)
