"""Ranked search over traces or messages: the index finds the best rows, Python cuts snippets, and a deadline ends both."""

from __future__ import annotations

import sqlite3
import time
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from devs_git.domain.recall import snippets
from devs_git.domain.recall.query import Query, Term
from devs_git.domain.recall.snippets import Snippet
from devs_git.domain.recall.traces import TraceRow
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies, fulltext, instructions, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.fulltext import Index
from devs_git.values import immutable, replace

# Seconds.
DEADLINE: Final = 2.0
# After the deadline, so many seconds more to find the newest rows without ranking, and so many to cut snippets.
_AGAIN: Final = 0.5
# How many steps SQLite's virtual machine runs between two looks at the clock.
_STEPS: Final = 2000
# From so many bytes of output on a page, a second thread saves more time than its start costs.
_LARGE: Final = 8 << 20
# The most bytes that are unpacked at once.
_PIECE: Final = 1 << 17
Item = TypeVar("Item")
Other = TypeVar("Other")
_EQUAL: Final = {"task": "task_id", "tool": "tool_name", "agent": "agent"}


@immutable
class Page:
    """The page that is asked for. `upto` is the number of an entry: newer entries do not shift the later pages.

    `system`: also the clients' own instructions at the beginning of sessions.
    """

    limit: int = 20
    offset: int = 0
    upto: int = 0
    rewound: bool = False
    deadline: float = DEADLINE
    system: bool = False


@immutable
class Hit:
    """A trace that was found, with a snippet of it."""

    row: TraceRow
    snippet: Snippet


@immutable
class Found(Generic[Item]):
    """A page of hits, and whether there are more.

    If `complete` is false, the deadline ended the ranking: these are the newest hits, not the best. If `shown` is false,
    the deadline ended the reading of long texts: a snippet may be the beginning of its text, not the best place in it.
    """

    hits: tuple[Item, ...]
    complete: bool
    more: bool
    upto: int
    shown: bool = True

    def of(self, hits: Iterable[Other]) -> Found[Other]:
        """The same page with other hits."""
        return Found(tuple(hits), self.complete, self.more, self.upto)


def search(catalog: Catalog, query: Query, page: Page) -> Found[Hit]:
    """The page of the best matching traces, newer ones first if they match equally. Without a word: the newest."""
    end = time.monotonic() + page.deadline
    found = numbers(catalog, fulltext.TRACES, query, page)
    end = max(end, time.monotonic() + _AGAIN)
    hits = found.of(_hits(catalog, found.hits, query.wanted, end))
    return replace(hits, shown=time.monotonic() <= end)


def list_newest(catalog: Catalog, query: Query, page: Page) -> Found[TraceRow]:
    """A page of the newest traces that pass the filters."""
    found = numbers(catalog, fulltext.TRACES, query, page)
    return found.of(row for number in found.hits for row in _rows(catalog, number))


def numbers(catalog: Catalog, index: Index, query: Query, page: Page) -> Found[int]:
    """The numbers of the best matching entries of an index, newer ones first if they match equally.

    Without a word: the newest.
    """
    upto = page.upto or _newest(catalog, index)
    asked = _IndexQuery(catalog, index, query, page, *_where(index, query, page, upto))
    complete = True
    try:
        found = _run(catalog, *_ranked(asked), page, page.deadline)
    except TimeoutError:
        complete = False
        try:
            found = _run(catalog, *_by_age(asked), page, _AGAIN)
        except TimeoutError:
            found = []
    return Found(tuple(found[: page.limit]), complete, len(found) > page.limit, upto)


@immutable
class _IndexQuery:
    """A query of one index, with the conditions on a row `t` and their values."""

    catalog: Catalog
    index: Index
    query: Query
    page: Page
    where: list[str]
    values: list[Any]

    @property
    def name(self) -> str:
        return self.index.of(fulltext.engine_of(self.catalog))


def _newest(catalog: Catalog, index: Index) -> int:
    return int(catalog.rows(f"SELECT coalesce(max({index.key}), 0) FROM {index.rows}")[0][0])


def _where(index: Index, query: Query, page: Page, upto: int) -> tuple[list[str], list[Any]]:
    where: list[str] = [f"t.{index.key} <= ?"]
    values: list[Any] = [upto]
    for key, value in query.equal.items():
        where.append(index.in_session if key == "session" else f"t.{_EQUAL[key]} = ?")
        values.append(value)
    if query.error is not None:
        where.append(f"t.is_error = {int(query.error)}")
    for operator, moment in ((">=", query.since), ("<", query.before)):
        if moment:
            where.append(f"t.created_at {operator} ?")
            values.append(moment)
    hidden = _hidden(index, page)
    return [*where, *(condition for condition, _numbers in hidden)], values


def _hidden(index: Index, page: Page) -> list[tuple[str, str]]:
    """What a page leaves out: the condition on a row `t`, and the query of the numbers of the entries."""
    rewound = ("t.rewound_by = ''", f"SELECT {index.key} FROM {index.rows} WHERE rewound_by <> ''")
    left_out = [] if page.rewound else [rewound]
    if page.system or index is not fulltext.MESSAGES:
        return left_out
    instructed = instructions.numbers()
    return [*left_out, (f"t.{index.key} NOT IN ({instructed})", instructed)]


def _ranked(asked: _IndexQuery) -> tuple[str, list[Any]]:
    if not asked.query.wanted:
        return _by_age(asked)
    name = asked.name
    score = (
        f"bm25({name})"
        if fulltext.engine_of(asked.catalog) == 5
        else f"rank_bm25(matchinfo({name}, 'pcnalx'))"
    )
    source, bound = _matching(asked)
    # The rank comes from the index alone. Rows are read only for filters.
    return f"SELECT {name}.rowid {source} ORDER BY {score}, {name}.rowid DESC LIMIT ? OFFSET ?", bound


def _by_age(asked: _IndexQuery) -> tuple[str, list[Any]]:
    """The newest entries first, for a query without a word, or if ranking took too long."""
    if asked.query.wanted:
        name = asked.name
        source, bound = _matching(asked)
        return f"SELECT {name}.rowid {source} ORDER BY {name}.rowid DESC LIMIT ? OFFSET ?", bound
    key = f"t.{asked.index.key}"
    unwanted, more = _unwanted(asked, key)
    conditions = " AND ".join(asked.where + unwanted)
    order = f"ORDER BY t.created_at DESC, {key} DESC LIMIT ? OFFSET ?"
    return f"SELECT {key} FROM {asked.index.rows} t WHERE {conditions} {order}", asked.values + more


def _matching(asked: _IndexQuery) -> tuple[str, list[Any]]:
    """FROM and WHERE of a query with words. Rows are joined only if a filter needs them."""
    name, index, where, values = asked.name, asked.index, asked.where, asked.values
    unwanted, more = _unwanted(asked, f"{name}.rowid")
    match = [expression(asked.query.wanted, fulltext.engine_of(asked.catalog))]
    hidden = _hidden(index, asked.page)
    if where[1:] != [condition for condition, _numbers in hidden]:
        conditions = " AND ".join([f"{name} MATCH ?", *where, *unwanted])
        return (
            f"FROM {name} JOIN {index.rows} t ON t.{index.key} = {name}.rowid WHERE {conditions}",
            match + values + more,
        )
    others = [f"{name}.rowid NOT IN ({query})" for _condition, query in hidden]
    conditions = " AND ".join([f"{name} MATCH ?", f"{name}.rowid <= ?", *others, *unwanted])
    return f"FROM {name} WHERE {conditions}", [*match, values[0], *more]


def _unwanted(asked: _IndexQuery, number: str) -> tuple[list[str], list[Any]]:
    condition = f"{number} NOT IN (SELECT rowid FROM {asked.name} WHERE {asked.name} MATCH ?)"
    values = [expression((term,), fulltext.engine_of(asked.catalog)) for term in asked.query.unwanted]
    return [condition] * len(values), values


def expression(terms: tuple[Term, ...], engine: int) -> str:
    """The MATCH expression. Each term is a phrase of plain tokens, so that no syntax of the user's query reaches SQLite."""
    return " ".join(_phrase(term, engine) for term in terms)


def _phrase(term: Term, engine: int) -> str:
    words = " ".join(term.tokens)
    if not term.prefix:
        return f'"{words}"'
    return f'"{words}"*' if engine == 5 else f'"{words}*"'


def _run(catalog: Catalog, query: str, values: list[Any], page: Page, seconds: float) -> list[int]:
    """The numbers of the entries; TimeoutError after `seconds`."""
    if fulltext.engine_of(catalog) == 4:
        from sqlite_fts4 import register_functions

        register_functions(catalog.base)
    end = time.monotonic() + seconds
    catalog.base.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        return [int(row[0]) for row in catalog.rows(query, *values, page.limit + 1, page.offset)]
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            # Ctrl-C was pressed while SQLite called the handler.
            if time.monotonic() <= end:
                raise KeyboardInterrupt from error
            raise TimeoutError from error
        # A devs-git with the other engine has just built its own index.
        if "no such table" in str(error):
            raise DevsError(
                "BUSY", "Another process is building the index of the catalog.", hint="Try again."
            ) from error
        raise
    finally:
        catalog.base.set_progress_handler(None, 0)


def _hits(catalog: Catalog, found: tuple[int, ...], terms: tuple[Term, ...], end: float) -> list[Hit]:
    rows = [(number, row) for number in found for row in _rows(catalog, number)]

    def cut_snippets(catalog: Catalog, some: list[tuple[int, TraceRow]]) -> list[Hit]:
        return [Hit(row, snippets.cut(_until(end, _pieces(catalog, number)), terms)) for number, row in some]

    if sum(row.size for _, row in rows) < _LARGE:
        return cut_snippets(catalog, rows)
    from concurrent.futures import ThreadPoolExecutor

    def every_second() -> list[Hit]:
        with Catalog.look(catalog.path.parent) as own:
            return cut_snippets(own, rows[1::2])

    # Unpacking releases Python's lock, so another core can do half of it.
    with ThreadPoolExecutor(1) as other:
        rest = other.submit(every_second)
        hits = cut_snippets(catalog, rows[::2])
        for at, hit in enumerate(rest.result()):
            hits.insert(2 * at + 1, hit)
    return hits


def _until(end: float, pieces: Iterator[str]) -> Iterator[str]:
    """The first piece, and then more pieces until the time is over."""
    for piece in pieces:
        yield piece
        if time.monotonic() > end:
            return


def _rows(catalog: Catalog, number: int) -> list[TraceRow]:
    """The trace with this body. There is none if the trace was stored again meanwhile."""
    query = f"SELECT {traces.COLUMNS} FROM traces WHERE body_id = ?"
    return [traces.row_of(found) for found in catalog.rows(query, number)]


def _pieces(catalog: Catalog, number: int) -> Iterator[str]:
    """The text of a body, the output first. It is unpacked only as far as the caller reads it."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    for (packed,) in catalog.base.execute(
        "SELECT output FROM parts WHERE body_id = ? ORDER BY number", (number,)
    ):
        unpack = zlib.decompressobj()
        # A part that was damaged on the disk is read up to the damage.
        with suppress(zlib.error):
            data = unpack.decompress(packed, _PIECE)
            while data:
                yield decode(data).replace("\0", " ")
                data = unpack.decompress(unpack.unconsumed_tail, _PIECE)
    for (packed,) in catalog.rows("SELECT input FROM bodies WHERE body_id = ?", number):
        yield "\n" + bodies.readable(bodies.unpack(packed))
