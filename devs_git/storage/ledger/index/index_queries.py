"""What the index is asked: which events touch some tasks, and which tasks have a checkpoint. None without an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History, fold
from devs_git.domain.ledger.ids import Target, is_oid, task_id
from devs_git.domain.ledger.indexing.notes import OPERATION, PRESERVES, STEERING
from devs_git.storage.ledger import clone_history, event_walk
from devs_git.storage.ledger.index import index_file

if TYPE_CHECKING:
    from devs_git.domain.ledger.event_contracts import Contract
    from devs_git.storage.ledger.store import Ledger, Tip

Answer = TypeVar("Answer")
# Values in one query.
_AT_ONCE: Final = 500


def ask(
    tip: Tip, question: Callable[[sqlite3.Connection], Answer], enough: Collection[str] = ()
) -> Answer | None:
    """The answer of the index to a question; None if there is no index, or it is damaged.

    An index that was made for one of the events `enough` need not grow.
    """
    base = (enough and index_file.open_behind(tip.ledger, enough)) or index_file.open_at(tip.ledger, tip.oid)
    if base is None:
        return None
    try:
        return question(base)
    except sqlite3.DatabaseError as error:
        if index_file.is_damage(error):
            index_file.discard(tip.ledger)
    except index_file.TROUBLE:
        pass
    finally:
        base.close()
    return None


def of_tasks(tip: Tip, tasks: set[str]) -> History | None:
    """See `listing`."""
    return ask(tip, lambda base: _history(tip, base, tasks))


def of_target(tip: Tip, target: Target) -> History | None:
    """See `listing`."""
    return ask(tip, lambda base: _history(tip, base, _tasks_meant(base, target)))


def tasks_at(tip: Tip, commits: Sequence[str], enough: Collection[str] = ()) -> set[str] | None:
    """See `listing`."""
    return ask(tip, lambda base: _ids(rows(base, _AT_COMMIT, commits)), enough)


def _ids(rows: Iterable[tuple[str, ...]]) -> set[str]:
    """The tasks of rows; INVALID_ARGUMENTS for what is none: the caller looks for its refs and files."""
    found = {row[0] for row in rows}
    for name in found:
        task_id(name)
    return found


def contracts(tip: Tip, name: str, enough: Collection[str] = ()) -> dict[str, Contract] | None:
    """See `listing.contract`."""
    return ask(tip, lambda base: fold(_steering(tip.ledger, base, {name})).contracts, enough)


def is_named(tip: Tip, contract: str) -> bool | None:
    """See `listing.is_named`."""
    query = "SELECT 1 FROM names n JOIN events e ON e.contract = n.id WHERE n.text = ? AND e.contract LIMIT 1"
    return ask(tip, lambda base: base.execute(query, (contract,)).fetchone() is not None)


def started_below(tip: Tip, task: str) -> History | None:
    """The history with each task that was once started as a part of this one."""
    return ask(tip, lambda base: _history(tip, base, {one.task for one in _started_below(tip, base, task)}))


def undone(tip: Tip) -> History | None:
    """See `listing`."""
    return ask(tip, lambda base: _undone(tip, base))


def _undone(tip: Tip, base: sqlite3.Connection) -> History:
    tags = {tag for event in events_of(tip.ledger, _flagged(base, OPERATION)) for tag in event.undone}
    return _history(tip, base, {row[0] for row in rows(base, _OF_TAGS, tags)})


def with_preserved_refs(tip: Tip) -> History | None:
    """See `listing`."""
    return ask(
        tip, lambda base: History(tip.oid, operations=events_of(tip.ledger, _flagged(base, PRESERVES)))
    )


def operations(tip: Tip) -> History | None:
    """See `listing`."""

    def read(base: sqlite3.Connection) -> History:
        found = events_of(tip.ledger, _flagged(base, OPERATION))
        # Somebody may have edited the index.
        return History(tip.oid, operations=[one for one in found if one.effects.operation and not one.failed])

    return ask(tip, read)


def has_kind(tip: Tip, kind: str) -> bool | None:
    """Whether an event has this type and subtype (`task/dropped`), or had it before a merge changed the order."""
    query = "SELECT 1 FROM names WHERE text = ?"
    return ask(tip, lambda base: base.execute(query, (kind,)).fetchone() is not None)


_OF_TAGS: Final = "SELECT task FROM points WHERE tag IN ({})"
_AT_COMMIT: Final = "SELECT task FROM points WHERE commit_oid IN ({})"
_OF_TASKS: Final = "SELECT e.seq, e.oid FROM touches t JOIN events e ON e.seq = t.seq WHERE t.task IN ({})"


def rows(base: sqlite3.Connection, query: str, values: Collection[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query with many values, some hundred at once."""
    every = list(values)
    for first in range(0, len(every), _AT_ONCE):
        some = every[first : first + _AT_ONCE]
        yield from base.execute(query.format(",".join("?" * len(some))), some)


def _tasks_meant(base: sqlite3.Connection, target: Target) -> set[str]:
    found = {target.task} if target.task else set[str]()
    if target.oid:
        query = "SELECT task FROM points WHERE tag = ?1 UNION SELECT task FROM points WHERE commit_oid = ?1"
        return found | {row[0] for row in base.execute(query, (target.oid,))}
    known = base.execute("SELECT 1 FROM tasks WHERE task = ?", (target.task,)).fetchone()
    if target.beginning and not known:
        query = (
            "SELECT task FROM points WHERE tag >= ?1 AND tag < ?2"
            " UNION SELECT task FROM points WHERE commit_oid >= ?1 AND commit_oid < ?2"
        )
        # The letter after `f`.
        found |= {row[0] for row in base.execute(query, (target.beginning, target.beginning + "g"))}
    return found


def events_of(ledger: Ledger, rows: Iterable[tuple[object, ...]]) -> list[Event]:
    """The events of rows whose first two columns are number and oid, in the order of the ledger."""
    oids = [str(row[1]) for row in sorted(set(rows))]
    if not all(map(is_oid, oids)):
        raise ValueError("not the oids of events")
    events = list(event_walk.at(ledger, oids))
    # git takes a tag for its commit.
    if [event.oid for event in events] != oids:
        raise ValueError("not the oids of commits")
    return events


def _history(tip: Tip, base: sqlite3.Connection, tasks: set[str]) -> History:
    folded = fold(events_of(tip.ledger, rows_of_tasks(base, tasks)))
    found = {name: task for name, task in folded.tasks.items() if name in tasks}
    history = History(
        tip=tip.oid,
        tasks=found,
        checkpoints={tag: point for tag, point in folded.checkpoints.items() if point.task_id in tasks},
        contracts=fold(_steering(tip.ledger, base, {task.contract for task in found.values()})).contracts,
    )
    if clone_view.points_in_doubt(history):
        history.operations.extend(events_of(tip.ledger, _flagged(base, PRESERVES)))
    return clone_history.view_here(tip.ledger.reader, tip.ledger.common, history)


def rows_of_tasks(base: sqlite3.Connection, tasks: set[str]) -> Iterator[tuple[object, ...]]:
    """Number and oid of each event without which these tasks cannot be folded."""
    return rows(base, _OF_TASKS, _linked(base, tasks))


def _linked(base: sqlite3.Connection, tasks: set[str]) -> set[str]:
    """These tasks, and those that have a tag which one of them claims, too."""
    every, left = set(tasks), set(tasks)
    while left:
        left = {row[0] for row in rows(base, "SELECT other FROM links WHERE task IN ({})", left)} - every
        every |= left
    return every


def _flagged(base: sqlite3.Connection, flag: int) -> Iterator[tuple[object, ...]]:
    return base.execute("SELECT seq, oid FROM events WHERE flags & 26 AND flags & ?", (flag,))


def _steering(ledger: Ledger, base: sqlite3.Connection, contracts: set[str]) -> list[Event]:
    # SQLite finds these events by the index of the table only if the query names values of both of its columns.
    query = (
        "SELECT e.seq, e.oid FROM names n JOIN events e ON e.contract = n.id WHERE n.text IN ({})"  # noqa: S608 - numbers of ours
        f" AND e.contract AND e.flags IN {STEERING}"
    )
    return events_of(ledger, rows(base, query, contracts - {""}))


def _started_below(tip: Tip, base: sqlite3.Connection, task: str) -> list[Event]:
    query = (
        "SELECT e.seq, e.oid FROM names n JOIN events e ON e.parent = n.id WHERE n.text IN ({}) AND e.parent"
    )
    return events_of(tip.ledger, rows(base, query, [task]))
