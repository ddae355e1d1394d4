"""`catalog.db`: opened, migrated, and written in one transaction at a time; shared by all worktrees and processes.

Primary data: nothing here deletes the file. WAL lets readers go on while somebody writes; writers wait for each other.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.migrations import STEPS

NAME: Final = "catalog.db"
TROUBLE: Final = (DevsError, OSError, sqlite3.Error)  # all that an unusable catalog raises
PATIENCE: Final = 30.0  # seconds that a writer waits for the others
_UNWRITABLE: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
)

Progress = Callable[[str, int, int], None]


def _ignore_progress(_what: str, _done: int, _total: int) -> None:
    """Who is told of progress where nobody asked."""


class Catalog:
    """An open catalog. Use it as a context manager; one connection, one thread."""

    def __init__(self, base: sqlite3.Connection, path: Path) -> None:
        self.base = base
        self.path = path
        self.progress: Progress = _ignore_progress
        # 5 or 4: the full-text index that it has, once `fulltext` has looked; 0 before. Who gets one trace needs no index.
        self.engine = 0
        self.texts = texts = bodies.Texts()
        base.create_function("devs_held", 0, texts.take_held)
        base.create_function("devs_text", 2, texts.text)
        base.create_aggregate("devs_join", 1, lambda: bodies.Join(texts))

    @classmethod
    def open(
        cls, folder: Path, *, patience: float = PATIENCE, progress: Progress = _ignore_progress
    ) -> Catalog:
        """The catalog in the common `devs/` folder, made and migrated where that is needed.

        BUSY where somebody writes for longer than `patience`; INTERNAL-free refusals for a newer or a damaged file.
        Where the disk is full or read-only it can only be read, as it stands: whoever writes is refused then.
        """
        path = folder / NAME
        _make_private(path)
        try:
            catalog = cls(_connect(path, patience), path)
            catalog.progress = progress
            catalog._prepare()
        except sqlite3.DatabaseError as error:
            if _code(error) in _UNWRITABLE:
                with suppress(DevsError):  # such as that nobody could make its tables yet
                    return cls.look(folder)
            raise _refusal(error) from error
        return catalog

    @classmethod
    def look(cls, folder: Path) -> Catalog:
        """The catalog as it stands, for a dry run: nothing is made, migrated or written; empty where there is none."""
        path = folder / NAME
        if not path.exists():
            catalog = cls(_configure(sqlite3.connect(":memory:", isolation_level=None)), path)
            catalog._prepare()
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
        """All rows of a reading query; BUSY or a damaged file as refusals."""
        try:
            return self.base.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _refusal(error) from error
        except UnicodeEncodeError:  # an argument's odd bytes: no row has such a text, and none equals bytes
            odd = [v.encode("utf-8", "surrogatepass") if isinstance(v, str) else v for v in values]
            return self.rows(query, *odd)

    @contextmanager
    def allow_unwritable(self, say: Callable[[str], None]) -> Iterator[None]:
        """Around what a reader would have taken in first: what is there can be read on a disk that takes nothing more."""
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
                "The catalog cannot be written here, so the newest may be missing: is the disk full, or read-only?"
            )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction, begun for writing at once: it never has to be begun again because somebody else wrote.

        Whoever writes rows uses `fulltext.write_transaction`; this one is for what makes tables and index.
        """
        try:
            self.base.execute("BEGIN IMMEDIATE")
            try:
                yield self.base
            except BaseException:
                with suppress(sqlite3.OperationalError):  # a full disk has ended it already
                    self.base.execute("ROLLBACK")
                raise
            self.base.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise _refusal(error) from error

    def setting(self, key: str) -> str:
        found = self.rows("SELECT value FROM settings WHERE key = ?", key)
        return str(found[0][0]) if found else ""

    def set(self, key: str, value: str) -> None:
        """Write a setting, inside a transaction."""
        self.base.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def trouble(self) -> str:
        """What `PRAGMA integrity_check` finds; '' where all is well."""
        found = [str(row[0]) for row in self.rows("PRAGMA integrity_check(5)")]
        return "" if found == ["ok"] else "; ".join(found)

    def _prepare(self) -> None:
        if self._require(0) < len(STEPS):
            self._migrate()

    def _require(self, least: int) -> int:
        """The number of the catalog's last migration, if we can work with it."""
        version = int(self.base.execute("PRAGMA user_version").fetchone()[0])
        if version > len(STEPS):
            raise DevsError(
                "CONFLICT",
                f"The catalog is of a newer devs-git (format {version}, this one knows {len(STEPS)}).",
                hint="Update devs-git; the catalog is left as it is.",
            )
        if version < least:
            raise DevsError(
                "CONFLICT",
                "The catalog is of an older devs-git.",
                hint="Bring it up to date: devs-git trace list",
            )
        return version

    def _migrate(self) -> None:
        """Take the steps that are missing, in one transaction; another process may have taken them meanwhile."""
        if self.base.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            self.base.execute("PRAGMA auto_vacuum = INCREMENTAL")  # or a prune would free nothing
            self.base.execute("PRAGMA journal_mode = WAL")
        with self.transaction() as base:
            version = base.execute("PRAGMA user_version").fetchone()[0]
            for step in STEPS[version:]:
                for statement in statements(step):
                    base.execute(statement)
            base.execute(f"PRAGMA user_version = {len(STEPS)}")


def _make_private(path: Path) -> None:
    """An empty file that only its owner reads; SQLite gives its companions the same mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _connect(path: Path, patience: float) -> sqlite3.Connection:
    return _configure(sqlite3.connect(path, timeout=patience, isolation_level=None))


def _configure(base: sqlite3.Connection) -> sqlite3.Connection:
    base.execute("PRAGMA synchronous = NORMAL")
    base.create_function("devs_message", 1, bodies.message, deterministic=True)
    return base


def read_only(path: Path) -> str:
    """How to open a catalog without writing. Who has it open keeps the newest rows beside it, where `immutable` does not look."""
    from urllib.parse import quote

    try:
        held = path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        held = False
    return f"file:{quote(os.fspath(path))}?mode=ro" + ("" if held else "&immutable=1")


def statements(script: str) -> Iterator[str]:
    """The statements of a script, triggers whole; `executescript` would commit the transaction around it."""
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
        return DevsError("BUSY", "Somebody else writes to the catalog.", hint="Try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DevsError("CONFLICT", "The catalog is damaged.", hint="See what is wrong: devs-git doctor")
    if code in _UNWRITABLE:
        return DevsError(
            "CONFLICT", "The catalog cannot be written here.", hint="Is the disk full, or read-only?"
        )
    raise error
