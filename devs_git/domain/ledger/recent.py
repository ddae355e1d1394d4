"""The newest checkpoints of the ledger, read from its newest event backwards, without reading all of it.

What newer events say of a checkpoint is remembered until its own event is read; so one pass is enough. A moved checkpoint
(amend, rebase) has the message and the figures of the older one, and waits until that one's event is read. The result
equals that of `history.fold` over the whole ledger; a property test compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import (
    Checkpoint,
    apply_mark,
    checkpoint_of,
    follow_move,
    move_of,
    unreadable,
)
from devs_git.values import field, mutable, replace

_Mark = tuple[str, Event, str]  # the arguments of `history.apply_mark`


@mutable
class _Seat:
    """The place of a checkpoint in the list. `point` is None until the event that records it is read.

    `marks` has the marks of the checkpoint, then those of each older one that was moved to it; `changes` are what these
    moves changed. `seen` is how many marks of the awaited one are newer than the move. `as_it_was` has an entry for each
    move, newest first.
    """

    marks: list[tuple[_Mark, ...]]
    changes: dict[str, Any] = field(default_factory=dict)
    as_it_was: list[bool] = field(default_factory=list)
    seen: int = 0
    point: Checkpoint | None = None

    def take(self, origin: Checkpoint) -> None:
        point = origin
        for level, marks in enumerate(reversed(self.marks)):
            if level:
                point = follow_move(point, self.changes, as_it_was=self.as_it_was[-level])
            for key, event, heir in reversed(marks):
                point = apply_mark(point, key, event, heir)
        self.point = point


@mutable
class _Pass:
    """What the events have said so far; the newest mark comes first."""

    marks: dict[str, list[_Mark]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    awaiting: dict[str, list[_Seat]] = field(default_factory=dict)

    def read(self, event: Event) -> Iterator[_Seat]:
        """The places that this event adds, newest first: the reverse of the order in `history.fold`."""
        for key in (Key.GONE, Key.REVIVED, Key.UNDONE):
            for tag in event.all(key):
                self._mark(tag, key, event)
        for line in reversed(event.all(Key.RENUMBERED)):
            tag, _, number = line.partition(" ")
            self.numbers.setdefault(tag, int(number))
        yield from self._moves(event)
        if event.effects.records:
            origin = checkpoint_of(event)
            for seat in self.awaiting.pop(origin.tag, ()):
                seat.marks.append(self._marks_of(origin.tag)[seat.seen :])
                seat.take(origin)
            seat = _Seat([self._marks_of(origin.tag)])
            seat.take(replace(origin, number=self.numbers.get(origin.tag, origin.number)))
            yield seat

    def _mark(self, tag: str, key: str, event: Event, heir: str = "") -> None:
        self.marks.setdefault(tag, []).append((key, event, heir))

    def _marks_of(self, tag: str) -> tuple[_Mark, ...]:
        return tuple(self.marks.get(tag, ()))

    def _moves(self, event: Event) -> Iterator[_Seat]:
        moves = [move_of(line, event) for line in reversed(event.all(Key.MOVED))]
        made_here = {changes["tag"] for _, changes in moves}
        moves = [move for move in moves if move[0] not in made_here]
        for old, changes in moves:
            self._mark(old, Key.MOVED, event, changes["tag"])
        added: dict[str, list[_Seat]] = {}
        for old, changes in moves:
            new = changes["tag"]
            changes["number"] = self.numbers.get(new, changes["number"])
            kept = event.effects.keeps
            seat, heirs = _Seat([self._marks_of(new)], changes, [kept]), self.awaiting.pop(new, [])
            for heir in heirs:
                heir.marks.append(self._marks_of(new)[heir.seen :])
                heir.changes = changes | heir.changes
                heir.as_it_was.append(kept)
            added.setdefault(old, []).extend((seat, *heirs))
            yield seat
        for old, seats in added.items():
            for seat in seats:
                seat.seen = len(self._marks_of(old))
            self.awaiting.setdefault(old, []).extend(seats)


def newest(events: Iterable[Event]) -> Iterator[Checkpoint | Event]:
    """Checkpoints, and the operations between them, newest first. No more `events` are read than needed."""
    state, line = _Pass(), list[_Seat | Event]()
    for event in events:
        if event.failed:
            continue
        if event.effects.operation:
            line.append(event)
        try:
            line.extend(state.read(event))
        except ValueError as error:
            raise unreadable(event) from error
        while line:
            head = line[0].point if isinstance(line[0], _Seat) else line[0]
            if head is None:
                break
            line.pop(0)
            yield head
    for left in line:
        item = left.point if isinstance(left, _Seat) else left
        if item is not None:
            yield item
