"""The full-text index of the catalog: FTS5 where this SQLite has it, else FTS4 ranked by `sqlite-fts4`.

Neither keeps the texts a second time: FTS5 has no content of its own, FTS4 reads it through a view. `DEVS_FTS=4` asks for
the second, also in a catalog that has the first: then the index is built again, which costs time only.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog

ENGINE: Final = "DEVS_FTS"


@dataclass(frozen=True)
class Index:
    """A full-text table of each engine: `view` has (rowid, text), and an entry goes only with its row of `table`.

    `rows` is the table whose columns a query's filters ask, `key` its number of an entry.
    """

    name: str
    view: str
    table: str
    key: str
    rows: str

    def of(self, engine: int) -> str:
        """The table's name; it names its engine, because a SQLite without FTS5 cannot even drop the other one's."""
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


TRACES: Final = Index("trace_index", "trace_texts", "bodies", "body_id", "traces")
MESSAGES: Final = Index("message_index", "message_texts", "messages", "number", "messages")
INDEXES: Final = (TRACES, MESSAGES)


def engine() -> int:
    """5 or 4: what this SQLite has, or what `DEVS_FTS` asks for."""
    if os.environ.get(ENGINE) == "4":
        return 4
    with closing(sqlite3.connect(":memory:")) as base:
        return 5 if base.execute("SELECT sqlite_compileoption_used('ENABLE_FTS5')").fetchone()[0] else 4


def prepare(catalog: Catalog) -> int:
    """The engine whose index the catalog has now: built where it has none, or the other one's."""
    wanted = engine()
    built = " ".join((str(wanted), *(index.name for index in INDEXES)))
    if catalog.setting(ENGINE) == built:
        return wanted
    with catalog.transaction() as base:
        if catalog.setting(ENGINE) != built:  # else another process was quicker
            for index in INDEXES:
                _rebuild(base, index, wanted)
            catalog.set(ENGINE, built)
    return wanted


def _rebuild(base: sqlite3.Connection, index: Index, engine: int) -> None:
    base.execute(f"DROP TRIGGER IF EXISTS {index.name}_forgets")
    for number in (4, 5):
        # What this SQLite has no module for stays behind, unused, until one comes that has it.
        with suppress(*(() if number == engine else (sqlite3.OperationalError,))):
            base.execute(f"DROP TABLE IF EXISTS {index.of(number)}")
    for statement in index.creation(engine):
        base.execute(statement)


def add(catalog: Catalog, index: Index, number: int, text: str) -> None:
    """Index `text` under `number`, inside a transaction."""
    name = index.of(catalog.engine)
    catalog.base.execute(f"INSERT INTO {name} (rowid, text) VALUES (?, ?)", (number, text))
