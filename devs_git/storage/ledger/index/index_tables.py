"""The file `index.db`: it is opened, made, and thrown away here. It may be missing, damaged or older at any time.

Nobody waits for it. A process that finds another one writing goes on with a copy in memory, or without the index. With
WAL, a reader reads on while another process writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from devs_git.domain.text import limits
from devs_git.storage.git.files import read_only

VERSION: Final = 3
LOOKED: Final = "looked"  # up to which number of an event the commits are in `changes`
WALKED: Final = "walked"  # the commit that reaches those commits in `reached` that have a 1
_HEAD: Final = 100  # bytes of SQLite's own header
_BESIDE: Final = ("-wal", "-shm", "-journal")  # files of SQLite beside it
_EACH: Final = 1_000_000  # steps of SQLite's machine, after which they are counted
_STEPS: Final = 20  # so many times as many steps may any statement take
# What a file of this kind can raise, whoever wrote it: also a number where a text should be.
TROUBLE: Final = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError)

# `seq` numbers the events in the order of the fold, from 1. Names of kinds, actors and so on have a number in `names`.
_TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT UNIQUE);
CREATE TABLE events (seq INTEGER PRIMARY KEY, oid TEXT, flags INTEGER, kind INTEGER, actor INTEGER, agent INTEGER,
  contract INTEGER, phase INTEGER, parent INTEGER, finished TEXT);
CREATE TABLE touches (task TEXT, seq INTEGER, PRIMARY KEY (task, seq)) WITHOUT ROWID;
CREATE TABLE tasks (task TEXT PRIMARY KEY, seq INTEGER) WITHOUT ROWID;
CREATE TABLE links (task TEXT, other TEXT, seq INTEGER, PRIMARY KEY (task, other)) WITHOUT ROWID;
CREATE TABLE changes (commit_oid TEXT PRIMARY KEY, bits INTEGER) WITHOUT ROWID;
CREATE TABLE reached (commit_oid TEXT PRIMARY KEY, yes INTEGER) WITHOUT ROWID;
CREATE TABLE points (seq INTEGER, at INTEGER, tag TEXT, commit_oid TEXT, task TEXT, PRIMARY KEY (seq, at)) WITHOUT ROWID;
"""
_INDEXES: Final = """
CREATE INDEX events_oid ON events (oid);
CREATE INDEX events_parent ON events (parent) WHERE parent;
CREATE INDEX events_contract ON events (contract, flags) WHERE contract;
CREATE INDEX events_flags ON events (seq) WHERE flags & 26;
CREATE INDEX points_tag ON points (tag);
CREATE INDEX points_commit ON points (commit_oid);
"""
_SCHEMA: Final = {statement.strip() for statement in (_TABLES + _INDEXES).strip().split(";")} - {""}


def open_file(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open the file as it is; sqlite3.Error, OSError. Nothing waits, and no statement takes longer than the file is large."""
    size = _require_whole(path)
    if not writable:
        base = sqlite3.connect(read_only(path), uri=True, timeout=0.0, isolation_level=None)
        _limit(base, size)
    else:
        base = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0.0, isolation_level=None)
        _limit(base, size)
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
    base.execute("PRAGMA cache_size = -16000")
    return base


def _limit(base: sqlite3.Connection, size: int) -> None:
    """Whoever wrote the file, a statement ends: its pages may lie in a circle, and a value may have any length."""
    # A whole reading of an honest file takes less than one step for each byte.
    left = iter(range(_STEPS + size * 4 // _EACH))
    base.set_progress_handler(lambda: next(left, None) is None, _EACH)
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.COMMIT.most)
    base.execute("PRAGMA trusted_schema = OFF")


def _require_whole(path: Path) -> int:
    """The size of the file; sqlite3.DatabaseError if it was cut off: SQLite may take a page behind its end for an empty one.

    Pages that are still in the log may be missing from the file.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
        found = os.fstat(file.fileno())
    size = found.st_size
    if found.st_nlink > 1:
        raise sqlite3.DatabaseError("what is written to it changes the file of somebody else")
    log = path.with_name(path.name + "-wal")
    with suppress(FileNotFoundError):
        if more := log.stat().st_size:
            return size + more
    # Both numbers are big-endian; the size 65536 is written as 1.
    page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    if size and (len(head) < _HEAD or size != pages * (65536 if page == 1 else page)):
        raise sqlite3.DatabaseError("the file was cut off")
    return size


def size(base: sqlite3.Connection) -> int:
    """The bytes of all pages, those of the log among them."""
    pages, page = (base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages * page)


def copy_to_memory(base: sqlite3.Connection) -> sqlite3.Connection:
    """The same content in memory, for a process that must not write, or cannot."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    base.backup(copy)
    _limit(copy, size(base))
    base.close()
    return copy


def make_tables(base: sqlite3.Connection) -> None:
    """Empty tables, inside the caller's transaction."""
    for statement in _TABLES.strip().split(";"):
        base.execute(statement)


def make_indexes(base: sqlite3.Connection) -> None:
    """The indexes of the tables: to make them after many rows is faster."""
    for statement in _INDEXES.split(";"):
        base.execute(statement)


def has_tables(base: sqlite3.Connection) -> bool:
    """Whether the file has our tables and indexes, and nothing else: a planted view or trigger is never asked."""
    found = base.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchmany(len(_SCHEMA) + 1)
    return len(found) == len(_SCHEMA) and {row[0] for row in found} == _SCHEMA


def about(base: sqlite3.Connection, name: str) -> str:
    """One of the facts about the index itself, '' if it has no such fact, or other tables than ours."""
    if not has_tables(base):
        return ""
    row = base.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


def set_about(base: sqlite3.Connection, **facts: str) -> None:
    base.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", facts.items())


@contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
    """One transaction; sqlite3.OperationalError if another process writes."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        base.execute("ROLLBACK")
        raise


@contextmanager
def make_anew(path: Path) -> Iterator[sqlite3.Connection]:
    """An empty file, which takes the place of the one at `path` when the body is done. The caller holds the lock.

    It has no log while it is filled: if this process is killed, nobody ever reads the file.
    """
    new = path.with_name(path.name + "-new")
    _unlink(new)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(sqlite3.connect(new, timeout=0.0, isolation_level=None)) as base:
            base.execute("PRAGMA journal_mode = OFF")
            base.execute("PRAGMA synchronous = OFF")
            base.execute("PRAGMA cache_size = -64000")
            base.execute("PRAGMA locking_mode = EXCLUSIVE")
            yield base
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        delete(path)
        new.replace(path)
    except BaseException:
        _unlink(new)
        raise


def delete(path: Path) -> None:
    """Delete a damaged file. Its log goes first: SQLite would put it into a new file of this name."""
    for end in (*_BESIDE, ""):
        _unlink(path.with_name(path.name + end))


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
