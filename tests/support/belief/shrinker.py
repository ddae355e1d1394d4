"""Make a ledger that shows a difference smaller: leave events out, one by one, as long as the difference is still shown.

An event is stored as its changes against its parent, and a merge as its differences from the merge that the rule gives. So
an honest merge stays honest if an event below it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.support.belief.abstract_ledger import Ledger, Tree
from tests.support.belief.oracle import Oracle
from tests.support.belief.world import World

Shows = Callable[[Ledger], bool]


@dataclass(frozen=True)
class EventChanges:
    """One event: its parents, and the files that it writes, or deletes ('')."""

    name: str
    parents: tuple[str, ...]
    changes: Mapping[str, str]
    title: str


def smallest(ledger: Ledger, shows: Shows) -> Ledger:
    """A ledger of some of these events. It no longer shows the difference if another one is left out."""
    events = _changes_of(ledger)
    again = True
    while again:
        again = False
        for event in reversed([event for event in events[2:] if event.parents]):
            fewer = [_past(other, event) for other in events if other is not event]
            if shows(_ledger(fewer, ledger)):
                events, again = fewer, True
                break
    return _ledger(events, ledger)


def _past(event: EventChanges, gone: EventChanges) -> EventChanges:
    """The event if `gone` is left out: the first parent of `gone` takes its place."""
    instead = [gone.parents[0] if name == gone.name else name for name in event.parents if gone.parents]
    parents = tuple(dict.fromkeys(instead)) if gone.name in event.parents and gone.parents else event.parents
    return EventChanges(event.name, parents, event.changes, event.title)


def _tree_before(ledger: Ledger, name: str) -> Tree:
    """The tree before the changes of an event: that of its parent or, for a merge, that which the rule gives."""
    parents = ledger.parents(name)
    if len(parents) < 2:
        return ledger.tree(parents[0]) if parents else {}
    world = World.__new__(World)
    world.ledger, world.oracle = ledger, Oracle(ledger)
    return world.merged_tree(name)


def _changes_of(ledger: Ledger) -> list[EventChanges]:
    events = []
    for name, event in ledger.events.items():
        before = _tree_before(ledger, name)
        paths = sorted({*before, *event.tree})
        changes = {p: event.tree.get(p, "") for p in paths if before.get(p, "") != event.tree.get(p, "")}
        events.append(EventChanges(name, event.parents, changes, event.title))
    return events


def _ledger(events: list[EventChanges], like: Ledger) -> Ledger:
    """The ledger of these events; the names of events stay."""
    from tests.support.belief.abstract_ledger import Event

    made = Ledger({}, like.what, like.names)
    for event in events:
        made.events[event.name] = Event(event.name, event.parents, {}, event.title)
        tree = {**_tree_before(made, event.name), **event.changes}
        kept = {path: content for path, content in tree.items() if content}
        made.events[event.name] = Event(event.name, event.parents, kept, event.title)
    return made
