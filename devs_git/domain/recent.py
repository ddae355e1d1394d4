"""The newest checkpoints of the ledger, from its events newest first, without reading it to its beginning.

What a newer event says about a checkpoint decides, so one pass is enough: a checkpoint is as the first event that
mentions it says, and live where none does. Only a moved checkpoint (amend, rebase) takes its message, figures and,
unless something newer decides, its liveness from the older one it was made of; until that is met it is awaited.
The result equals that of `history.fold` over the whole ledger (a property test compares them).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from devs_git.domain.events import Event
from devs_git.domain.history import (
    CHECKPOINT_EVENTS,
    OPERATIONS,
    Checkpoint,
    checkpoint_of,
    move_of,
    unreadable,
)
from devs_git.values import field, mutable, replace


@mutable
class _Seat:
    """The place of a checkpoint in the list. It is taken when `point` is there, given up when the ledger ends."""

    changes: dict[str, Any] = field(default_factory=dict)
    live: bool | None = None
    point: Checkpoint | None = None

    def take(self, origin: Checkpoint) -> None:
        live = origin.live if self.live is None else self.live
        self.point = replace(origin, **self.changes, live=live)


@mutable
class _Pass:
    """What the newer events have said so far."""

    verdicts: dict[str, bool] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    awaiting: dict[str, list[_Seat]] = field(default_factory=dict)

    def read(self, event: Event) -> Iterator[_Seat]:
        """The seats that this event adds, newest first: the reverse of how `history.fold` applies it."""
        for key, live in (("Devs-Revived", True), ("Devs-Undone", False)):
            for tag in event.all(key):
                self._decide(tag, live=live)
        for line in reversed(event.all("Devs-Renumbered")):
            tag, _, number = line.partition(" ")
            self.numbers.setdefault(tag, int(number))
        yield from self._moves(event)
        if event.type in CHECKPOINT_EVENTS:
            point = checkpoint_of(event)
            point = replace(point, number=self.numbers.get(point.tag, point.number))
            for seat in self.awaiting.pop(point.tag, ()):
                seat.take(point)
            seat = _Seat(live=self.verdicts.get(point.tag))
            seat.take(point)
            yield seat

    def _decide(self, tag: str, *, live: bool) -> None:
        self.verdicts.setdefault(tag, live)
        for seat in self.awaiting.get(tag, ()):
            if seat.live is None:
                seat.live = live

    def _moves(self, event: Event) -> Iterator[_Seat]:
        moves = [move_of(line, event) for line in reversed(event.all("Devs-Moved"))]
        made_here = {changes["tag"] for _, changes in moves}
        moves = [move for move in moves if move[0] not in made_here]
        for old, _ in moves:
            self._decide(old, live=False)
        added: dict[str, list[_Seat]] = {}
        for old, changes in moves:
            new = changes["tag"]
            changes["number"] = self.numbers.get(new, changes["number"])
            seat = _Seat(changes, self.verdicts.get(new))
            heirs = self.awaiting.pop(new, [])
            for heir in heirs:
                heir.changes = changes | heir.changes
            added.setdefault(old, []).extend((seat, *heirs))
            yield seat
        for old, seats in added.items():
            self.awaiting.setdefault(old, []).extend(seats)


def newest(events: Iterable[Event]) -> Iterator[Checkpoint | Event]:
    """Checkpoints, and the operations between them, newest first; `events` are read only as far as needed."""
    state, line = _Pass(), list[_Seat | Event]()
    for event in events:
        if event.failed:
            continue
        if event.type in OPERATIONS:
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
