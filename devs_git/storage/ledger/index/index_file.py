"""Open the index for a tip of the ledger: as it is, grown, made anew, in memory, or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger.index import NAME, grow, index_tables

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger

LOCK: Final = "devs/index.lock"
_IN_MEMORY: Final = 1 << 28  # bytes of which a command makes a copy
# What makes the index unusable for one command. The ledger itself may be damaged: then the fold says so.
TROUBLE: Final = (*index_tables.TROUBLE, DevsError, GitFailed)
_PATIENT: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNWRITABLE: Final = (
    *_PATIENT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
)


def open_at(ledger: Ledger, tip: str) -> sqlite3.Connection | None:
    """The index of the ledger up to `tip`; None if the caller has to read the ledger itself."""
    if not ledger.keeps_index and not (ledger.common / NAME).exists():
        return None
    try:
        if ledger.keeps_index:
            with suppress(sqlite3.OperationalError, OSError):
                return _grown(ledger, tip)
        return _in_memory(ledger, tip)
    except sqlite3.DatabaseError:
        discard(ledger)
        return None
    except TROUBLE:
        return None


def open_behind(ledger: Ledger, tips: Collection[str]) -> sqlite3.Connection | None:
    """The index as it is, if it was made for one of `tips`; else None. For who has read the events since, so it need not grow."""
    try:
        base = index_tables.open_file(ledger.common / NAME, writable=False)
    except TROUBLE:
        return None
    try:
        tip = index_tables.about(base, "tip")
        if tip in tips and grow.is_at(base, tip):
            return base
    except TROUBLE:
        pass
    base.close()
    return None


def is_damage(error: sqlite3.DatabaseError, unknown: int = sqlite3.SQLITE_CORRUPT) -> bool:
    """Whether the file is no index, or a damaged one: a full disk and another process say nothing about it.

    `unknown`: the number of an error that has none.
    """
    number = getattr(error, "sqlite_errorcode", unknown)
    return not isinstance(error, sqlite3.OperationalError) or number & 0xFF not in _UNWRITABLE


def discard(ledger: Ledger) -> None:
    """Throw away a damaged file, unless a process writes it: the next command makes it anew."""
    from devs_git.storage.git import locks

    if ledger.keeps_index:
        with suppress(DevsError, OSError), locks.hold(ledger.common / LOCK, wait=0.0):
            index_tables.delete(ledger.common / NAME)


def _grown(ledger: Ledger, tip: str) -> sqlite3.Connection:
    """The file at `tip`. sqlite3.OperationalError if it cannot be written now."""
    from devs_git.storage.git import locks

    path = ledger.common / NAME
    base = _opened(path)
    try:
        if base is None or not grow.is_at(base, tip):
            try:
                with locks.hold(ledger.common / LOCK, wait=0.0):
                    base = base or _opened(path)
                    if base is None or not grow.bring_to(base, ledger, tip):
                        base = _made_anew(ledger, tip, base)
            except DevsError as error:
                if error.code != "BUSY":
                    raise
                raise sqlite3.OperationalError("another process writes") from error
    except sqlite3.OperationalError as error:
        if base:
            base.close()
        if is_damage(error, sqlite3.SQLITE_BUSY):
            # Tables that are not ours: this is no index.
            raise sqlite3.DatabaseError("not an index") from error
        raise
    except BaseException:
        if base:
            base.close()
        raise
    return base


def _opened(path: Path) -> sqlite3.Connection | None:
    """The file to write; None if there is none, or an empty one."""
    try:
        return index_tables.open_file(path, writable=True) if path.stat().st_size else None
    except FileNotFoundError:
        return None


def _made_anew(ledger: Ledger, tip: str, old: sqlite3.Connection | None) -> sqlite3.Connection:
    if old:
        old.close()
    path = ledger.common / NAME
    try:
        with index_tables.make_anew(path) as new:
            grow.make(new, ledger, tip)
    except sqlite3.DatabaseError as error:
        # On a full disk SQLite may say that the file is damaged.
        raise sqlite3.OperationalError("the index cannot be made") from error
    return index_tables.open_file(path, writable=True)


def _in_memory(ledger: Ledger, tip: str) -> sqlite3.Connection | None:
    """The file, or a copy of it in memory, grown to `tip`; None where only the ledger itself is left to read."""
    base = index_tables.open_file(ledger.common / NAME, writable=False)
    if grow.is_at(base, tip):
        return base
    if not grow.is_of_version(base) or index_tables.size(base) > _IN_MEMORY:
        base.close()
        return None
    copy = index_tables.copy_to_memory(base)
    if grow.bring_to(copy, ledger, tip):
        return copy
    copy.close()
    return None
