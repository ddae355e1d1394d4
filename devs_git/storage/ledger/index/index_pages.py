"""Which events a page of a list needs, by the index. None without an index, or if the page needs too many of them."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.events import Event
from devs_git.storage.ledger.index import index_queries
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Tip

# Events. To look up more of them takes as long as to read the ledger from its tip.
_MOST: Final = 5000


@immutable
class PointPage:
    """The page of checkpoints that is asked for: of one task ('' for all), and below the checkpoint with the tag `cursor` ('' for none)."""

    task: str
    cursor: str
    limit: int


def events_of_points(tip: Tip, page: PointPage) -> list[Event] | None:
    """See `listing.events_of_points`."""
    return index_queries.ask(tip, lambda base: _events(tip, base, page))


def _events(tip: Tip, base: sqlite3.Connection, page: PointPage) -> list[Event] | None:
    if page.task:
        tasks, rows = {page.task}, set[tuple[object, ...]]()
    else:
        place = base.execute("SELECT seq, at, task FROM points WHERE tag = ?", (page.cursor,)).fetchone()
        if not place:
            return None
        below = base.execute(_BELOW, (*place[:2], page.limit + 1)).fetchall()
        last = below[-1][0] if len(below) > page.limit else 0
        if place[0] - last > _MOST:
            return None
        tasks = {place[2], *(row[1] for row in below)}
        rows = set(base.execute("SELECT seq, oid FROM events WHERE seq BETWEEN ? AND ?", (last, place[0])))
    rows |= set(index_queries.rows_of_tasks(base, tasks))
    return None if len(rows) > _MOST else index_queries.events_of(tip.ledger, rows)[::-1]


_BELOW: Final = "SELECT seq, task FROM points WHERE (seq, at) < (?, ?) ORDER BY seq DESC, at DESC LIMIT ?"
