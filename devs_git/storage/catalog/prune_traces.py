"""Delete old traces from the catalog, and return the free space to the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from devs_git.domain.recall.traces import TraceRow
from devs_git.errors import DevsError
from devs_git.storage.catalog import fulltext, traces
from devs_git.storage.catalog.database import Catalog


def used(catalog: Catalog) -> int:
    """The bytes of the catalog's pages that are in use. Free pages of the file do not count."""
    pages, free, size = (
        int(catalog.rows(f"PRAGMA {name}")[0][0]) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def older(catalog: Catalog, before: str) -> list[TraceRow]:
    """The traces created before a time, oldest first."""
    return _rows(catalog, "WHERE created_at < ? ORDER BY created_at, body_id", before)


def oldest_above(catalog: Catalog, most: int) -> list[TraceRow]:
    """The oldest traces that must go so that the catalog uses at most `most` bytes.

    A trace uses its stored bytes, and a proportional share of the index and the rows.
    """
    total = int(catalog.rows("SELECT coalesce(sum(stored + 1), 0) FROM traces")[0][0])
    excess = used(catalog) - most
    if excess <= 0 or not total:
        return []
    share = min(1.0, excess / used(catalog)) * total
    query = (
        f"SELECT {traces.COLUMNS} FROM (SELECT *, sum(stored + 1) OVER (ORDER BY created_at, body_id "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - stored - 1 AS before FROM traces) "
        "WHERE before < ? ORDER BY created_at, body_id"
    )
    return [traces.row_of(found) for found in catalog.rows(query, share)]


def _rows(catalog: Catalog, rest: str, *values: Any) -> list[TraceRow]:
    query = f"SELECT {traces.COLUMNS} FROM traces {rest}"
    return [traces.row_of(found) for found in catalog.rows(query, *values)]


def delete(
    catalog: Catalog, rows: list[TraceRow], progress: Callable[[str, int, int], None]
) -> list[TraceRow]:
    """Delete the traces that did not change since they were listed, inside `fulltext.write_transaction`.

    Returns those that were deleted.
    """
    gone = []
    for done_before, row in enumerate(rows):
        progress("deleting traces", done_before, len(rows))
        done = catalog.base.execute(
            "DELETE FROM traces WHERE trace_id = ? AND digest = ? AND created_at = ?",
            (row.trace_id, row.digest, row.created_at),
        )
        gone += [row] * done.rowcount
    return gone


def delete_all(catalog: Catalog, trace_ids: Iterable[str]) -> None:
    """Delete traces by their ids, inside `fulltext.write_transaction` in which they were listed."""
    catalog.base.executemany("DELETE FROM traces WHERE trace_id = ?", [(one,) for one in trace_ids])


def give_back(catalog: Catalog) -> None:
    """Merge the index, so that deleted entries leave it, and return free pages to the disk.

    If other processes are writing, this is left to the next prune.
    """
    with suppress(DevsError, sqlite3.OperationalError):
        for index in fulltext.INDEXES:
            name = index.of(fulltext.engine_of(catalog))
            with fulltext.write_transaction(catalog) as base:
                base.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        # `execute` would free only one page.
        catalog.base.executescript("PRAGMA incremental_vacuum")
        catalog.rows("PRAGMA wal_checkpoint(TRUNCATE)")
