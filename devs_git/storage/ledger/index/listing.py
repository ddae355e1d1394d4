"""Histories of some tasks only, for commands that show something. The index says which events are read; the values come
from these events, by the same fold as that of the whole ledger.

Nothing may be decided by these histories: whoever can write the index can leave events out. Gates, policy, decisions, what
an event will claim and what a rewind undoes are read from the ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from devs_git.storage.ledger.index import NAME
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.domain.ledger.event_contracts import Contract
    from devs_git.domain.ledger.events import Event
    from devs_git.domain.ledger.history import History, Task
    from devs_git.domain.ledger.ids import Target
    from devs_git.domain.timeline.belonging import Belonging
    from devs_git.domain.timeline.stream_rows import Filter
    from devs_git.storage.ledger.store import Tip


FEW: Final = 1000  # events of a ledger that needs no index


def has_index(tip: Tip) -> bool:
    """Whether the index is asked. A ledger with few events is read as quickly as an index would be opened."""
    if not tip.oid or (tip.ledger.common / NAME).exists():
        return bool(tip.oid)
    counted = tip.ledger.reader.run("rev-list", "--count", f"--max-count={FEW}", tip.oid, "--")
    return int(counted) >= FEW


def of_tasks(tip: Tip, *tasks: str) -> History:
    """The history for this clone with these tasks, as far as there are such, and their contracts.

    It has those operations that say which branches are lines of work, if that matters for these tasks; without an index it
    is the whole history.
    """
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        if found := index_queries.of_tasks(tip, set(tasks)):
            return found
    return tip.here


def with_task(tip: Tip, task: str) -> History:
    """The same of one task that exists: if the index does not know it, the whole history."""
    found = of_tasks(tip, task)
    return found if task in found.tasks else tip.here


def of_target(tip: Tip, target: Target) -> History:
    """The same with each task of which `target` may mean a checkpoint."""
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        if found := index_queries.of_target(tip, target):
            return found
    return tip.here


def undone(tip: Tip) -> History | None:
    """The same with each task of which an operation of some clone undid a checkpoint; None without an index."""
    if not has_index(tip):
        return None
    from devs_git.storage.ledger.index import index_queries

    return index_queries.undone(tip)


def with_preserved_refs(tip: Tip) -> History:
    """A history with those operations that left a branch or a stash entry, which say what is no line of work.

    Without an index it is the whole history.
    """
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        if found := index_queries.with_preserved_refs(tip):
            return found
    return tip.history


def operations(tip: Tip) -> History:
    """A history with all operations. Without an index it is the whole history."""
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        if found := index_queries.operations(tip):
            return found
    return tip.history


def may_have_drops(tip: Tip) -> bool:
    """Whether a checkpoint may be dropped. If the index has an event of a drop, the drop may be undone."""
    found = None
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        found = index_queries.has_kind(tip, "task/dropped")
    return any(point.drop for point in tip.history.checkpoints.values()) if found is None else found


def contract(tip: Tip, name: str, enough: Collection[str] = ()) -> Contract | None:
    """The contract with this name, if it was started or its phase was set.

    `enough`: events since which the caller has read all events, as for `tasks_at`. Then what they say of it may be missing.
    """
    contracts = None
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        contracts = index_queries.contracts(tip, name, enough)
    return (tip.history.contracts if contracts is None else contracts).get(name)


def tasks_at(tip: Tip, commits: Sequence[str], enough: Collection[str] = ()) -> set[str] | None:
    """The tasks with a checkpoint at one of these commits; None without an index.

    An index that was made for one of the events `enough` need not grow: the caller has read all events since.
    """
    if not has_index(tip):
        return None
    from devs_git.storage.ledger.index import index_queries

    return index_queries.tasks_at(tip, commits, enough)


def reaches(tip: Tip, head: str, commits: Collection[str]) -> dict[str, bool]:
    """Whether `head` reaches these commits, for those of them that have an old checkpoint. git answers quickly for the others.

    Empty if there is no index.
    """
    if not (tip.ledger.common / NAME).exists():
        return {}
    from devs_git.storage.ledger.index import reached_commits

    return reached_commits.reaches(tip, head, commits)


def events_of_points(tip: Tip, task: str, cursor: str, limit: int) -> list[Event] | None:
    """Events, newest first, from which `recent.newest` makes the same page as from all events; None without an index.

    The page has `limit` checkpoints of `task` ('' for all), below the one with the tag `cursor`; one of both is given. What
    `newest` makes of these events for other tasks, above the page or below it may be incomplete.
    """
    if not has_index(tip):
        return None
    from devs_git.storage.ledger.index import index_pages

    return index_pages.events_of_points(tip, index_pages.PointPage(task, cursor, limit))


def before(
    tip: Tip, place: tuple[str, str], wanted: Filter, belonging: Belonging | None = None
) -> Iterator[tuple[Event, str]] | None:
    """`event_walk.back` from `place` (start and merge), without events of which the filter takes no row for certain.

    `belonging`: what the catalog says of the filter's contract and phase. None without an index, or where it may have
    another order than that walk.
    """
    if not has_index(tip):
        return None
    from devs_git.storage.ledger.index import index_walk

    return index_walk.back(tip, index_walk.Walk(*place, wanted, belonging))


def just_before(tip: Tip, oid: str) -> tuple[str, str] | None:
    """The event that `event_walk.back` from the tip has after `oid` ('' for none), and its merge; None as `before` has it."""
    if not has_index(tip):
        return None
    from devs_git.storage.ledger.index import index_walk

    return index_walk.just_before(tip, oid)


def has_event(tip: Tip, oid: str) -> bool:
    """Whether the index says that the ledger has this event. If it does not, the ledger may have it all the same."""
    if not has_index(tip):
        return False
    from devs_git.storage.ledger.index import index_walk

    return index_walk.has_event(tip, oid)


def earlier(tip: Tip, events: list[Event], most: int) -> dict[str, list[Event]] | None:
    """By the oid of each of these events the `most` newest that touch its task and that it comes after, newest first.

    There may be fewer where two ledgers met. None without an index.
    """
    if not has_index(tip):
        return None
    from devs_git.storage.ledger.index import index_walk

    return index_walk.earlier(tip, events, most)


def is_named(tip: Tip, contract: str) -> bool:
    """Whether an event names this contract; True without an index."""
    if not has_index(tip):
        return True
    from devs_git.storage.ledger.index import index_queries

    return index_queries.is_named(tip, contract) is not False


def children(tip: Tip, task: str) -> list[Task]:
    """The tasks that were started as a part of this one."""
    history = None
    if has_index(tip):
        from devs_git.storage.ledger.index import index_queries

        history = index_queries.started_below(tip, task)
    return [one for one in (history or tip.here).tasks.values() if one.parent == task]
