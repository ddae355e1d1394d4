"""The file `index.db`: it is opened, made, and thrown away here. It may be missing, damaged or older at any time.

Nobody waits for it. A process that finds another one writing goes on with a copy in memory, or without the index. With
WAL, a reader reads on while another process writes.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from devs_git.storage.git.files import read_only

VERSION: Final = 2
LOOKED: Final = "looked"  # up to which number of an event the commits are in `changes`
_HEAD: Final = 100  # bytes of SQLite's own header
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


def open_file(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open the file as it is; sqlite3.Error, OSError. With `writable` it is made if it is missing. Nothing waits."""
    _require_whole(path)
    if not writable:
        base = sqlite3.connect(read_only(path), uri=True, timeout=0.0, isolation_level=None)
    else:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        base = sqlite3.connect(path, timeout=0.0, isolation_level=None)
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
    base.execute("PRAGMA cache_size = -16000")
    # A planted file may have views and triggers; none of them calls a function.
    base.execute("PRAGMA trusted_schema = OFF")
    return base


def _require_whole(path: Path) -> None:
    """sqlite3.DatabaseError for a file that was cut off: SQLite may take a page behind its end for an empty one.

    Pages that are still in the log may be missing from the file.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            size = os.fstat(file.fileno()).st_size
        log = path.with_name(path.name + "-wal")
        if not size or (log.exists() and log.stat().st_size):
            return
    except FileNotFoundError:
        return
    # Both numbers are big-endian; the size 65536 is written as 1.
    page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    if len(head) < _HEAD or size != pages * (65536 if page == 1 else page):
        raise sqlite3.DatabaseError("the file was cut off")


def copy_to_memory(base: sqlite3.Connection) -> sqlite3.Connection:
    """The same content in memory, for a process that must not write, or cannot."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    base.backup(copy)
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


def drop_all(base: sqlite3.Connection) -> None:
    """Delete whatever tables, views and triggers the file has."""
    rows = base.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    for kind, name in sorted(rows, key=lambda row: row[0] == "table"):
        quoted = str(name).replace('"', '""')
        # The kind is one of SQLite's own words.
        base.execute(f'DROP {kind} IF EXISTS "{quoted}"')


def about(base: sqlite3.Connection, name: str) -> str:
    """One of the facts about the index itself, '' if it has no such fact, or no tables."""
    try:
        row = base.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return ""
        raise
    return str(row[0]) if row else ""


def set_about(base: sqlite3.Connection, **facts: str) -> None:
    base.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", facts.items())


def delete(path: Path) -> None:
    """Delete a damaged file. Its log goes first: SQLite would put it into a new file of this name."""
    for end in ("-wal", "-shm", ""):
        with suppress(OSError):
            path.with_name(path.name + end).unlink()
