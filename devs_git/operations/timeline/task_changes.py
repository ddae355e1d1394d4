"""The files that the commits of tasks changed, for the events that recorded these commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Final

from devs_git.domain.ledger.event_names import commit_before
from devs_git.domain.ledger.events import Event
from devs_git.storage.git.commit_files import ChangedFile, changed_files
from devs_git.workspace import Workspace

# Events before one that touch its task, among which the one that recorded a commit is looked for first.
_NEAR: Final = 4


def find(workspace: Workspace, events: Sequence[Event]) -> dict[str, tuple[ChangedFile, ...]]:
    """The changed files by the oid of the event that recorded their commit.

    A commit that the task had before has no files again: a completion often records the commit of the last checkpoint.
    """
    recorded = [event for event in events if event.effects.records and not event.failed]
    if not recorded:
        return {}
    known = _repeated(workspace, recorded)
    fresh = [event for event in recorded if event.oid not in known]
    files = changed_files(workspace.store_git, (event.commit for event in fresh))
    return {event.oid: files[event.commit] for event in fresh if event.commit in files}


def _repeated(workspace: Workspace, recorded: Sequence[Event]) -> set[str]:
    """The events whose commit is that of the same task's event before. Only as much of the ledger is read as is needed."""
    from devs_git.storage.ledger.index import listing

    near = listing.earlier(workspace.ledger.tip(), list(recorded), _NEAR) or {}
    found = dict[str, Event]()
    for event in recorded:
        if before := _newest_of(near.get(event.oid, ()), event.task):
            found[event.oid] = before
    if left := {event.oid: event.task for event in recorded if event.oid not in found}:
        with closing(workspace.ledger.events(*left)) as events:
            found |= _find_before(events, left)
    return {
        event.oid
        for event in recorded
        if event.oid in found and event.commit == commit_before(found[event.oid])
    }


def _newest_of(events: Iterable[Event], task: str) -> Event | None:
    """The first of these events that says where the work of the task stands."""
    for event in events:
        if event.task == task and not event.failed and (event.effects.records or event.effects.starts):
            return event
    return None


def _find_before(events: Iterable[Event], asked: Mapping[str, str]) -> dict[str, Event]:
    """By the oid of an event the newest one of its task that it comes after. `asked`: tasks by the oids of their events.

    `events` are read newest first. What another clone recorded meanwhile is not before it.
    """
    found: dict[str, Event] = {}
    seen: dict[str, Event] = {}
    # The events asked for that come after an event.
    after: dict[str, set[str]] = {}
    for event in events:
        seen[event.oid] = event
        left = [(event, after.get(event.oid, set()) | ({event.oid} & asked.keys()))]
        while left:
            one, above = left.pop()
            waiting = above - found.keys() - {one.oid}
            found |= {oid: one for oid in waiting if _newest_of([one], asked[oid])}
            for parent in one.parents:
                new = above - found.keys() - after.setdefault(parent, set())
                after[parent] |= new
                # Of events of one second git may list one before those that come after it.
                if new and parent in seen:
                    left.append((seen[parent], new))
        if len(found) == len(asked):
            break
    return found
