"""What an event touches: tasks and checkpoints, by which it is found again without reading the whole ledger.

A fold of only those events that touch a task makes the same task and the same checkpoints as a fold of all events. Each
function here is about one event, and asks a `Known` about the events before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, unreadable
from devs_git.values import field, immutable, mutable

# What the row of an event says besides: it records or moves a checkpoint, is an operation, sets something of a contract.
RECORDS, OPERATION, STEERS, PRESERVES, MERGES, ALONE = 1, 2, 4, 8, 16, 32
# All flags that an event can have which steers a contract.
STEERING: Final = tuple(flags for flags in range(2 * ALONE) if flags & STEERS)
_MARKS: Final = (Key.UNDONE, Key.REVIVED, Key.GONE)


@immutable
class Place:
    """A checkpoint and the event that recorded it, or that moved it here; `at`: its place among those of that event."""

    tag: str
    commit: str
    task: str
    seq: int
    at: int = 0


@mutable
class Known:
    """The checkpoints and tasks of the events before. `find` and `has_task` ask the index for what was not read now."""

    points: dict[str, Place | None] = field(default_factory=dict)
    tasks: set[str] = field(default_factory=set)

    def find(self, tag: str) -> Place | None:
        return self.points.get(tag)

    def has_task(self, task: str) -> bool:
        return task in self.tasks


@mutable
class Touched:
    """What one event touches. `places`: the checkpoints that it adds.

    `links`: pairs of a task and the task that has a tag which both claim; only a forged event does so. Then the first task
    cannot be folded without the events of the second.
    """

    seq: int
    tasks: set[str] = field(default_factory=set)
    links: set[tuple[str, str]] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)
    flags: int = 0
    makes: str | None = None  # the task that did not exist before


def find_touches(event: Event, seq: int, known: Known) -> Touched:
    """What the event with number `seq` touches; `known` learns of it. LEDGER_MUTATED where the fold raises it, too."""
    found = Touched(seq, set(event.tasks))
    if len(event.parents) > 1:
        found.flags |= MERGES
    if event.failed:
        return found
    try:
        _read(event, found, known)
    except ValueError as error:
        raise unreadable(event) from error
    return found


def parent_of(event: Event) -> str:
    """The task of which the one that the event starts is a part; '' for none."""
    return event.get(Key.PARENT)


def _read(event: Event, found: Touched, known: Known) -> None:
    effects, task = event.effects, event.task
    if (effects.starts or effects.records) and not known.has_task(task):
        known.tasks.add(task)
        found.makes = task
    if effects.records and not effects.starts:
        _record(event, found, known)
    elif effects.operation:
        found.flags |= OPERATION | (PRESERVES if event.preserved else 0)
    elif effects.steers and not (effects.starts or known.has_task(task)):
        found.flags |= STEERS
    _read_marks(event, found, known)


def _read_marks(event: Event, found: Touched, known: Known) -> None:
    """The trailers that events of any type may have, in the order in which the fold reads them."""
    if event.moves:
        found.flags |= RECORDS
        for place in list(_moves(event, found, known)):
            _put(place, found, known)
    for line in event.all(Key.RENUMBERED):
        tag, _, number = line.partition(" ")
        if _mark(tag, found, known):
            int(number)
    for key in _MARKS:
        for tag in event.all(key):
            _mark(tag, found, known)
    for line in event.all(Key.STATUS):
        _name, _status = line.split()


def _record(event: Event, found: Touched, known: Known) -> None:
    int(event.get(Key.NUMBER, "0"))
    _changed, _added, _removed = (int(part) for part in event.get(Key.STAT, "0 0 0").split())
    found.flags |= RECORDS
    found.tasks.add(event.task)
    _put(Place(event.tag, event.commit, event.task, found.seq), found, known)


def _put(place: Place, found: Touched, known: Known) -> None:
    """Add a checkpoint, unless its tag is known already."""
    first = known.find(place.tag)
    if first is None:
        known.points[place.tag] = place
        found.places.append(place)
    elif first.task != place.task:
        found.links.add((place.task, first.task))


def _moves(event: Event, found: Touched, known: Known) -> Iterator[Place]:
    from devs_git.domain.ledger.event_rewrites import Move

    for at, move in enumerate([Move.of(line) for line in event.all(Key.MOVED)]):
        old = known.find(move.old)
        if old:
            found.tasks.add(old.task)
            yield Place(move.new, move.commit, old.task, found.seq, at)


def _mark(tag: str, found: Touched, known: Known) -> bool:
    place = known.find(tag)
    if place:
        found.tasks.add(place.task)
    return place is not None
