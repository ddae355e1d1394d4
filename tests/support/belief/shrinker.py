"""The smallest ledger that still shows something: events are left out one by one, as long as it is still shown.

A ledger is kept as what was done: an event as its changes against its parent, a merge as what it has otherwise than the rule says.
So a merge that followed the rule follows it still when something below it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.support.belief.abstract_ledger import Ledger, Tree
from tests.support.belief.oracle import Oracle
from tests.support.belief.world import World

Shows = Callable[[Ledger], bool]


@dataclass(frozen=True)
class Deed:
    """One event: its parents, and the files that it puts or ('') takes out."""

    name: str
    parents: tuple[str, ...]
    changes: Mapping[str, str]
    title: str


def smallest(ledger: Ledger, shows: Shows) -> Ledger:
    """A ledger made of some of these events, none of which can be left out."""
    deeds = _deeds(ledger)
    again = True
    while again:
        again = False
        for deed in reversed([deed for deed in deeds[2:] if deed.parents]):
            fewer = [_past(other, deed) for other in deeds if other is not deed]
            if shows(_ledger(fewer, ledger)):
                deeds, again = fewer, True
                break
    return _ledger(deeds, ledger)


def _past(deed: Deed, gone: Deed) -> Deed:
    """The same without one event below it, whose first parent stands in its place."""
    instead = [gone.parents[0] if name == gone.name else name for name in deed.parents if gone.parents]
    parents = tuple(dict.fromkeys(instead)) if gone.name in deed.parents and gone.parents else deed.parents
    return Deed(deed.name, parents, deed.changes, deed.title)


def _rules(ledger: Ledger, name: str) -> Tree:
    """What an event has before its own changes: its parent's tree, or of a merge what the rule says."""
    parents = ledger.parents(name)
    if len(parents) < 2:
        return ledger.tree(parents[0]) if parents else {}
    world = World.__new__(World)
    world.ledger, world.oracle = ledger, Oracle(ledger)
    return world.merged_tree(name)


def _deeds(ledger: Ledger) -> list[Deed]:
    deeds = []
    for name, event in ledger.events.items():
        before = _rules(ledger, name)
        paths = sorted({*before, *event.tree})
        changes = {p: event.tree.get(p, "") for p in paths if before.get(p, "") != event.tree.get(p, "")}
        deeds.append(Deed(name, event.parents, changes, event.title))
    return deeds


def _ledger(deeds: list[Deed], like: Ledger) -> Ledger:
    """The ledger of these deeds; the names of events stay."""
    from tests.support.belief.abstract_ledger import Event

    made = Ledger({}, like.what, like.names)
    for deed in deeds:
        made.events[deed.name] = Event(deed.name, deed.parents, {}, deed.title)
        tree = {**_rules(made, deed.name), **deed.changes}
        kept = {path: content for path, content in tree.items() if content}
        made.events[deed.name] = Event(deed.name, deed.parents, kept, deed.title)
    return made
