"""The full-text index of the catalog: FTS5 if this SQLite has it, else FTS4, ranked by `sqlite-fts4`.

Neither stores the texts a second time: an FTS5 table can be without content, and FTS4 reads the texts through a view.
`DEVS_FTS=4` selects FTS4. If the catalog has the other index, the index is built again, which only costs time.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.storage.catalog.bodies import Readable
    from devs_git.storage.catalog.database import Catalog

ENGINE: Final = "DEVS_FTS"
# How many steps SQLite's virtual machine runs between two reports of progress.
_STEPS: Final = 2000


@immutable
class Index:
    """A full-text index, which has a table for each engine.

    The `view` has the columns rowid and text. When a row of `table` is deleted, its entry is deleted, too. `rows` is the
    table with the columns for filters, and `key` its column with the number of the entry. `in_session` is the condition
    that a row `t` belongs to a session. `before`: the names that the index had when its texts were made in another way.
    """

    name: str
    view: str
    table: str
    key: str
    rows: str
    in_session: str
    before: tuple[str, ...] = ()

    def of(self, engine: int) -> str:
        """The name of the engine's table. A SQLite without FTS5 cannot drop an FTS5 table, so each has its own name."""
        return f"{self.name}{engine}"

    def creation(self, engine: int) -> tuple[str, ...]:
        name = self.of(engine)
        if engine == 5:
            made = "fts5(text, content='', tokenize='unicode61 remove_diacritics 2')"
            forget = (
                f"INSERT INTO {name} ({name}, rowid, text) "
                f"SELECT 'delete', rowid, text FROM {self.view} WHERE rowid = old.{self.key}"
            )
        else:
            made = f'fts4(text, content="{self.view}", tokenize=unicode61 "remove_diacritics=2")'
            forget = f"DELETE FROM {name} WHERE docid = old.{self.key}"
        return (
            f"CREATE VIRTUAL TABLE {name} USING {made}",
            f"CREATE TRIGGER {self.name}_forgets BEFORE DELETE ON {self.table} BEGIN {forget}; END",
            f"INSERT INTO {name} (rowid, text) SELECT rowid, text FROM {self.view}",
        )


TRACES: Final = Index("trace_index", "trace_texts", "bodies", "body_id", "traces", "t.session_id = ?")
MESSAGES: Final = Index(
    "message_words",
    "message_texts",
    "messages",
    "number",
    "messages",
    "t.number IN (SELECT number FROM paths WHERE session_id = ?)",
    before=("message_index",),
)
INDEXES: Final = (TRACES, MESSAGES)


def _wanted(catalog: Catalog) -> int:
    """5 or 4: the engine that this SQLite has, or that `DEVS_FTS` selects."""
    if os.environ.get(ENGINE) == "4":
        return 4
    return 5 if catalog.rows("SELECT sqlite_compileoption_used('ENABLE_FTS5')")[0][0] else 4


def engine_of(catalog: Catalog) -> int:
    """5 or 4: the engine of the catalog's index. If there is no index, or only the other engine's, it is built."""
    if not catalog.engine:
        wanted = _wanted(catalog)
        if not _is_built(catalog, wanted):
            with catalog.transaction():
                _build(catalog)
        catalog.engine = wanted
    return catalog.engine


@contextmanager
def write_transaction(catalog: Catalog) -> Iterator[sqlite3.Connection]:
    """One transaction in which rows are written. The index exists in it, so that new rows are indexed and deleted ones
    leave the index.
    """
    if not catalog.is_kept:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    with catalog.transaction() as base:
        catalog.engine = _build(catalog)
        yield base


def _build(catalog: Catalog) -> int:
    """Build the index if it is missing, inside a transaction. So a process with the other engine cannot interfere."""
    wanted = _wanted(catalog)
    if not _is_built(catalog, wanted):
        engine, *names = catalog.setting(ENGINE).split() or [""]
        for index in INDEXES:
            there = catalog.rows("SELECT 1 FROM sqlite_master WHERE name = ?", index.of(wanted))
            if not (there and engine == str(wanted) and index.name in names):
                _rebuild(catalog, index, wanted)
        catalog.set(ENGINE, _engine_setting(wanted))
    return wanted


def _engine_setting(engine: int) -> str:
    return " ".join((str(engine), *(index.name for index in INDEXES)))


def _is_built(catalog: Catalog, engine: int) -> bool:
    names = [index.of(engine) for index in INDEXES]
    query = (
        "SELECT (SELECT value FROM settings WHERE key = ?) IS ? "
        f"AND (SELECT count(*) FROM sqlite_master WHERE name IN ({', '.join('?' * len(names))})) = ?"
    )
    return bool(catalog.rows(query, ENGINE, _engine_setting(engine), *names, len(names))[0][0])


def trouble(catalog: Catalog) -> str:
    """What is wrong with an index: it is damaged, or has other entries than its table has rows; '' if all is well.

    We do not check that each text is indexed correctly: this would take as long as building the index again.
    """
    engine = next((number for number in (5, 4) if catalog.setting(ENGINE) == _engine_setting(number)), 0)
    for index in INDEXES if engine else ():
        name = index.of(engine)
        entries, rows = f"SELECT rowid FROM {name}_docsize", f"SELECT {index.key} FROM {index.table}"
        try:
            found = catalog.base.execute(
                f"SELECT EXISTS ({entries} EXCEPT {rows}) OR EXISTS ({rows} EXCEPT {entries})"
            ).fetchone()[0]
            if engine == 5 == _wanted(catalog):
                catalog.base.execute(
                    f"CREATE VIRTUAL TABLE temp.{name}_words USING fts5vocab(main, {name}, row)"
                )
                # This reads the whole index.
                catalog.base.execute(f"SELECT sum(cnt) FROM temp.{name}_words").fetchone()
        except sqlite3.DatabaseError as error:
            return f"{index.name}: {error}"
        if found:
            return f"{index.name} has other entries than {index.table}"
    return ""


def _rebuild(catalog: Catalog, index: Index, engine: int) -> None:
    base = catalog.base
    base.execute(f"DROP TRIGGER IF EXISTS {index.name}_forgets")
    for number in (4, 5):
        # If this SQLite does not have the other engine, its table stays and is not used.
        with suppress(*(() if number == engine else (sqlite3.OperationalError,))):
            for name in (index.name, *index.before):
                base.execute(f"DROP TABLE IF EXISTS {name}{number}")
    base.set_progress_handler(lambda: catalog.progress("building the index", 0, 0), _STEPS)
    try:
        for statement in index.creation(engine):
            base.execute(statement)
    except sqlite3.OperationalError as error:
        # Ctrl-C was pressed while SQLite called the handler.
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from error
        raise
    finally:
        base.set_progress_handler(None, 0)


def add(catalog: Catalog, index: Index, number: int, text: str) -> None:
    """Index `text` under `number`, inside a transaction."""
    name = index.of(engine_of(catalog))
    catalog.base.execute(f"INSERT INTO {name} (rowid, text) VALUES (?, ?)", (number, text))


def add_large(catalog: Catalog, index: Index, number: int, text: Readable) -> None:
    """As `add`, with a text that may be large. `text` is empty afterwards."""
    name = index.of(engine_of(catalog))
    catalog.texts.hold(text)
    catalog.base.execute(f"INSERT INTO {name} (rowid, text) VALUES (?, CAST(devs_held() AS TEXT))", (number,))


def forget(catalog: Catalog, index: Index, number: int) -> None:
    """Remove the entry of a row that is about to change, inside a transaction and before the change."""
    name = index.of(engine_of(catalog))
    if engine_of(catalog) == 5:
        query = f"INSERT INTO {name} ({name}, rowid, text) SELECT 'delete', rowid, text FROM {index.view} WHERE rowid = ?"
    else:
        query = f"DELETE FROM {name} WHERE docid = ?"
    catalog.base.execute(query, (number,))
