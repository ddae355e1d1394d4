"""Ranked search over traces: the index gives the best rows, Python cuts their snippets, a deadline ends both."""

from __future__ import annotations

import sqlite3
import time
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from devs_git.domain import snippets
from devs_git.domain.search import Query, Term
from devs_git.domain.snippets import Snippet
from devs_git.domain.traces import TraceRow
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.catalog.database import Catalog

DEADLINE: Final = 2.0  # seconds
_AGAIN: Final = 0.5  # seconds for the newest rows, where ranking all of them took too long
_STEPS: Final = 2000  # of SQLite's machine between two looks at the clock
_PIECE: Final = 1 << 17  # bytes of packed output that are unpacked at once
_EQUAL: Final = {"task": "task_id", "tool": "tool_name", "session": "session_id", "agent": "agent"}


@dataclass(frozen=True)
class Page:
    """What is asked of all that was found. `upto` (a body's number) keeps later pages beside what came since."""

    limit: int = 20
    offset: int = 0
    upto: int = 0
    rewound: bool = False
    deadline: float = DEADLINE


@dataclass(frozen=True)
class Hit:
    """One trace that was found, and where."""

    row: TraceRow
    snippet: Snippet


@dataclass(frozen=True)
class Found:
    """`complete` is false where the deadline cut the search short: then these are the newest, not the best."""

    hits: tuple[Hit, ...]
    complete: bool
    more: bool
    upto: int


def search(catalog: Catalog, query: Query, page: Page) -> Found:
    """The page of traces that fit best, ties by recency; without a word the newest."""
    numbers, complete, more, upto = _numbers(catalog, query, page)
    return Found(tuple(_hits(catalog, numbers, query.wanted)), complete, more, upto)


def listed(catalog: Catalog, query: Query, page: Page) -> tuple[tuple[TraceRow, ...], bool, int]:
    """The newest traces that pass the filters, whether there are more, and what `upto` is for the next page."""
    numbers, _complete, more, upto = _numbers(catalog, query, page)
    return tuple(row for number in numbers for row in _rows(catalog, number)), more, upto


def _numbers(catalog: Catalog, query: Query, page: Page) -> tuple[list[int], bool, bool, int]:
    """Body numbers of a page; whether the search was complete, whether there are more, and `upto`."""
    upto = page.upto or _newest(catalog)
    where, values = _where(query, page, upto)
    complete = True
    try:
        found = _run(catalog, *_ranked(catalog, query, where, values), page, page.deadline)
    except TimeoutError:
        complete = False
        try:
            found = _run(catalog, *_by_age(catalog, query, where, values), page, _AGAIN)
        except TimeoutError:
            found = []
    return found[: page.limit], complete, len(found) > page.limit, upto


def _newest(catalog: Catalog) -> int:
    return int(catalog.rows("SELECT coalesce(max(body_id), 0) FROM traces")[0][0])


def _where(query: Query, page: Page, upto: int) -> tuple[list[str], list[Any]]:
    """Conditions on a trace `t`, and their values."""
    where: list[str] = ["t.body_id <= ?"]
    values: list[Any] = [upto]
    for key, value in query.equal.items():
        where.append(f"t.{_EQUAL[key]} = ?")
        values.append(value)
    if query.error is not None:
        where.append(f"t.is_error = {int(query.error)}")
    for operator, moment in ((">=", query.since), ("<", query.before)):
        if moment:
            where.append(f"t.created_at {operator} ?")
            values.append(moment)
    if not page.rewound:
        where.append("t.rewound_by = ''")
    return where, values


def _ranked(catalog: Catalog, query: Query, where: list[str], values: list[Any]) -> tuple[str, list[Any]]:
    if not query.wanted:
        return _by_age(catalog, query, where, values)
    name = fulltext.TRACES.of(catalog.engine)
    score = f"bm25({name})" if catalog.engine == 5 else f"rank_bm25(matchinfo({name}, 'pcnalx'))"
    source, bound = _matching(catalog, query, where, values)
    # What a rank is, is asked of the index alone; the rows are looked at for what filters ask of them.
    return f"SELECT {name}.rowid {source} ORDER BY {score}, {name}.rowid DESC LIMIT ? OFFSET ?", bound


def _by_age(catalog: Catalog, query: Query, where: list[str], values: list[Any]) -> tuple[str, list[Any]]:
    """The newest first: where no word is asked for, or ranking took too long."""
    if query.wanted:
        name = fulltext.TRACES.of(catalog.engine)
        source, bound = _matching(catalog, query, where, values)
        return f"SELECT {name}.rowid {source} ORDER BY {name}.rowid DESC LIMIT ? OFFSET ?", bound
    unwanted, more = _unwanted(catalog, query, "t.body_id")
    conditions = " AND ".join(where + unwanted)
    return (
        f"SELECT t.body_id FROM traces t WHERE {conditions} ORDER BY t.created_at DESC, t.body_id DESC LIMIT ? OFFSET ?",
        values + more,
    )


def _matching(catalog: Catalog, query: Query, where: list[str], values: list[Any]) -> tuple[str, list[Any]]:
    """FROM and WHERE of a query with words. Rows are joined only where a filter asks something of them."""
    name = fulltext.TRACES.of(catalog.engine)
    unwanted, more = _unwanted(catalog, query, f"{name}.rowid")
    match = [expression(query.wanted, catalog.engine)]
    only_hidden = where[1:] == ["t.rewound_by = ''"]
    if where[1:] and not only_hidden:
        conditions = " AND ".join([f"{name} MATCH ?", *where, *unwanted])
        return (
            f"FROM {name} JOIN traces t ON t.body_id = {name}.rowid WHERE {conditions}",
            match + values + more,
        )
    hidden = (
        [f"{name}.rowid NOT IN (SELECT body_id FROM traces WHERE rewound_by <> '')"] if only_hidden else []
    )
    conditions = " AND ".join([f"{name} MATCH ?", f"{name}.rowid <= ?", *hidden, *unwanted])
    return f"FROM {name} WHERE {conditions}", [*match, values[0], *more]


def _unwanted(catalog: Catalog, query: Query, number: str) -> tuple[list[str], list[Any]]:
    name = fulltext.TRACES.of(catalog.engine)
    condition = f"{number} NOT IN (SELECT rowid FROM {name} WHERE {name} MATCH ?)"
    values = [expression((term,), catalog.engine) for term in query.unwanted]
    return [condition] * len(values), values


def expression(terms: tuple[Term, ...], engine: int) -> str:
    """What the index is asked: each term a phrase of plain tokens, so that nothing of a query's syntax gets there."""
    return " ".join(_phrase(term, engine) for term in terms)


def _phrase(term: Term, engine: int) -> str:
    words = " ".join(term.tokens)
    if not term.prefix:
        return f'"{words}"'
    return f'"{words}"*' if engine == 5 else f'"{words}*"'


def _run(catalog: Catalog, query: str, values: list[Any], page: Page, seconds: float) -> list[int]:
    """Body numbers; TimeoutError after `seconds`."""
    if catalog.engine == 4:
        from sqlite_fts4 import register_functions

        register_functions(catalog.base)
    end = time.monotonic() + seconds
    catalog.base.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        return [int(row[0]) for row in catalog.rows(query, *values, page.limit + 1, page.offset)]
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise TimeoutError from error
        raise
    finally:
        catalog.base.set_progress_handler(None, 0)


def _hits(catalog: Catalog, numbers: list[int], terms: tuple[Term, ...]) -> Iterator[Hit]:
    for number in numbers:
        for row in _rows(catalog, number):
            yield Hit(row, snippets.cut(_pieces(catalog, number), terms))


def _rows(catalog: Catalog, number: int) -> list[TraceRow]:
    """The trace of a body; none where it was put again meanwhile."""
    query = f"SELECT {traces.COLUMNS} FROM traces WHERE body_id = ?"
    return [traces.row_of(found) for found in catalog.rows(query, number)]


def _pieces(catalog: Catalog, number: int) -> Iterator[str]:
    """The searched text of a body, unpacked only as far as somebody reads it; the output first."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    for (packed,) in catalog.base.execute(
        "SELECT output FROM parts WHERE body_id = ? ORDER BY number", (number,)
    ):
        unpack = zlib.decompressobj()
        data = unpack.decompress(packed, _PIECE)
        while data:
            yield decode(data).replace("\0", " ")
            data = unpack.decompress(unpack.unconsumed_tail, _PIECE)
    for (packed,) in catalog.rows("SELECT input FROM bodies WHERE body_id = ?", number):
        yield "\n" + bodies.readable(bodies.unpack(packed))
