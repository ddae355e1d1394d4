"""The database `catalog.db`: it is opened, migrated and written here. All worktrees and processes share it.

It has data that exist nowhere else, so nothing here deletes the file. With WAL, readers can read while another process
writes. Writers wait for each other.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.migrations import STEPS
from devs_git.storage.git.files import read_only
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from typing import Self

NAME: Final = "catalog.db"
# All exceptions that an unusable catalog raises.
TROUBLE: Final = (DevsError, OSError, sqlite3.Error)
# How many seconds a writer waits for other writers.
PATIENCE: Final = 30.0
_UNWRITABLE: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
)

Progress = Callable[[str, int, int], None]


def _ignore_progress(_what: str, _done: int, _total: int) -> None:
    """The default for `progress`."""


class Catalog:
    """An open catalog. Use it as a context manager, in one thread: it has one connection."""

    def __init__(self, base: sqlite3.Connection, path: Path) -> None:
        self.base = base
        self.path = path
        self.progress: Progress = _ignore_progress
        # The full-text index that the catalog has: 5 or 4, and 0 until `fulltext` has looked. To get one trace, no index is
        # needed.
        self.engine = 0
        # Whether rows stay. Without a file they would be lost with the memory, so `fulltext.write_transaction` refuses.
        self.is_kept = True
        self.texts = texts = bodies.Texts()
        base.create_function("devs_held", 0, texts.take_held)
        base.create_function("devs_text", 2, texts.text)
        base.create_aggregate("devs_join", 1, lambda: bodies.Join(texts))

    @classmethod
    def open(
        cls, folder: Path, *, patience: float = PATIENCE, progress: Progress = _ignore_progress
    ) -> Catalog:
        """Open the catalog in the common `devs/` folder. It is created and migrated if needed.

        BUSY if another process writes for more than `patience` seconds; CONFLICT for a newer or a damaged file. If the
        disk is full or read-only, the catalog can only be read, and writing raises CONFLICT.
        """
        path = folder / NAME
        try:
            _make_private(path)
        except OSError as error:
            from devs_git.storage.git import failures

            if not failures.is_read_only(error):
                raise
            return cls.look(folder)
        try:
            catalog = cls(_connect(path, patience), path)
            catalog.progress = progress
            catalog._prepare()
        except sqlite3.DatabaseError as error:
            if _code(error) in _UNWRITABLE:
                # It fails if the tables do not exist yet.
                with suppress(DevsError):
                    return cls.look(folder)
            raise _refusal(error) from error
        return catalog

    @classmethod
    def look(cls, folder: Path) -> Catalog:
        """Open the catalog only for reading. Nothing is created, migrated or written; without a file it is empty."""
        path = folder / NAME
        if not path.exists():
            catalog = cls(_configure(sqlite3.connect(":memory:", isolation_level=None)), path)
            catalog._prepare()
            catalog.is_kept = False
            return catalog
        try:
            catalog = cls(_configure(sqlite3.connect(read_only(path), uri=True, isolation_level=None)), path)
            catalog._require(len(STEPS))
        except sqlite3.DatabaseError as error:
            raise _refusal(error) from error
        return catalog

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.base.close()

    def rows(self, query: str, *values: Any) -> list[Any]:
        """All rows of a query that reads. BUSY; CONFLICT for a damaged file."""
        try:
            return self.base.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _refusal(error) from error
        # A value has lone surrogates. No row has such a text, and no text equals bytes, so nothing is found.
        except UnicodeEncodeError:
            odd = [v.encode("utf-8", "surrogatepass") if isinstance(v, str) else v for v in values]
            return self.rows(query, *odd)

    @contextmanager
    def allow_unwritable(self, say: Callable[[str], None]) -> Iterator[None]:
        """If the body cannot write to the disk, warn and go on: a reader can still read what the catalog has."""
        try:
            yield
        except (DevsError, OSError) as error:
            from devs_git.storage.git import failures

            if not (
                _code(error.__cause__) in _UNWRITABLE
                or (isinstance(error, OSError) and failures.refusal_of(error))
            ):
                raise
            say(
                "The catalog cannot be written here (a sandbox, a full or a read-only disk), so the newest entries are missing: "
                "they wait in the spool."
            )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction. It takes the write lock at once, so it never fails later because another process wrote.

        To write rows, use `fulltext.write_transaction`. This one is for making tables and indexes.
        """
        try:
            self.base.execute("BEGIN IMMEDIATE")
            try:
                yield self.base
            except BaseException:
                # If the disk is full, SQLite has rolled back already.
                with suppress(sqlite3.OperationalError):
                    self.base.execute("ROLLBACK")
                raise
            self.base.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise _refusal(error) from error

    def setting(self, key: str) -> str:
        found = self.rows("SELECT value FROM settings WHERE key = ?", key)
        return str(found[0][0]) if found else ""

    def set(self, key: str, value: str) -> None:
        """Write a setting, inside a transaction of the caller."""
        self.base.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def trouble(self) -> str:
        """What `PRAGMA integrity_check` finds; '' if all is well."""
        found = [str(row[0]) for row in self.rows("PRAGMA integrity_check(5)")]
        return "" if found == ["ok"] else "; ".join(found)

    def _prepare(self) -> None:
        if self._require(0) < len(STEPS):
            self._migrate()

    def _require(self, least: int) -> int:
        """The number of the catalog's last migration. CONFLICT if it is newer than ours, or less than `least`."""
        version = int(self.base.execute("PRAGMA user_version").fetchone()[0])
        if version > len(STEPS):
            raise DevsError(
                "CONFLICT",
                f"The catalog was written by a newer devs-git (format {version}; this one supports {len(STEPS)}).",
                hint="Update devs-git. The catalog was not changed.",
            )
        if version < least:
            raise DevsError(
                "CONFLICT",
                "The catalog was written by an older devs-git.",
                hint="Update the catalog: devs-git trace list",
            )
        return version

    def _migrate(self) -> None:
        """Run the missing migrations in one transaction. Another process may have run them meanwhile."""
        if self.base.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            # Without this setting a prune would not make the file smaller.
            self.base.execute("PRAGMA auto_vacuum = INCREMENTAL")
            self.base.execute("PRAGMA journal_mode = WAL")
        # Late: only an older catalog needs it.
        from devs_git.domain.recall import cut_before

        self.base.create_function("devs_cut_before", 4, cut_before.find_size)
        with self.transaction() as base:
            version = base.execute("PRAGMA user_version").fetchone()[0]
            for step in STEPS[version:]:
                for statement in statements(step):
                    base.execute(statement)
            base.execute(f"PRAGMA user_version = {len(STEPS)}")


def _make_private(path: Path) -> None:
    """Make an empty file that only its owner may read. SQLite gives its other files the same mode.

    Its folder is not there yet in a clone whose ledger a plain `git fetch` brought.
    """
    with suppress(FileExistsError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _connect(path: Path, patience: float) -> sqlite3.Connection:
    return _configure(sqlite3.connect(path, timeout=patience, isolation_level=None))


def _configure(base: sqlite3.Connection) -> sqlite3.Connection:
    base.execute("PRAGMA synchronous = NORMAL")
    base.create_function("devs_message", 1, bodies.message, deterministic=True)
    return base


def statements(script: str) -> Iterator[str]:
    """The statements of a script; a trigger is one statement. `executescript` would commit the current transaction."""
    found = ""
    for piece in script.split(";"):
        found += piece + ";"
        if sqlite3.complete_statement(found):
            yield found
            found = ""


def _code(error: BaseException | None) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _refusal(error: sqlite3.DatabaseError) -> DevsError:
    code = _code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DevsError("BUSY", "Another process is writing to the catalog.", hint="Try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DevsError("CONFLICT", "The catalog is damaged.", hint="See what is wrong: devs-git doctor")
    if code in _UNWRITABLE:
        return DevsError("CONFLICT", "The catalog cannot be written.", hint="Is the disk full or read-only?")
    raise error
