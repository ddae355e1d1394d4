"""The newest checkpoints of the ledger, read from its newest event backwards, without reading all of it.

What newer events say of a checkpoint is remembered until its own event is read; so one pass is enough. A moved checkpoint
(amend, rebase) has the message and the figures of the older one, and waits until that one's event is read. The result
equals that of `history.fold` over the whole ledger; a property test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, unreadable
from devs_git.domain.ledger.history import (
    Checkpoint,
    apply_mark,
    checkpoint_of,
    follow_move,
)
from devs_git.values import Any, field, mutable, replace

_Mark = tuple[str, Event, str]  # the arguments of `history.apply_mark`


@mutable
class _Place:
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

    def fill(self, origin: Checkpoint) -> None:
        point = origin
        for level, marks in enumerate(reversed(self.marks)):
            if level:
                point = follow_move(point, self.changes, as_it_was=self.as_it_was[-level])
            for key, event, heir in reversed(marks):
                point = apply_mark(point, key, event, heir)
        self.point = point


@mutable
class _State:
    """What the events have said so far; the newest mark comes first."""

    marks: dict[str, list[_Mark]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    awaiting: dict[str, list[_Place]] = field(default_factory=dict)

    def read(self, event: Event) -> Iterator[_Place]:
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
            for place in self.awaiting.pop(origin.tag, ()):
                place.marks.append(self._marks_of(origin.tag)[place.seen :])
                place.fill(origin)
            place = _Place([self._marks_of(origin.tag)])
            place.fill(replace(origin, number=self.numbers.get(origin.tag, origin.number)))
            yield place

    def _mark(self, tag: str, key: str, event: Event, heir: str = "") -> None:
        self.marks.setdefault(tag, []).append((key, event, heir))

    def _marks_of(self, tag: str) -> tuple[_Mark, ...]:
        return tuple(self.marks.get(tag, ()))

    def _moves(self, event: Event) -> Iterator[_Place]:
        if not event.all(Key.MOVED):
            return
        from devs_git.domain.ledger.event_rewrites import move_of

        moves = [move_of(line, event) for line in reversed(event.all(Key.MOVED))]
        made_here = {changes["tag"] for _, changes in moves}
        moves = [move for move in moves if move[0] not in made_here]
        for old, changes in moves:
            self._mark(old, Key.MOVED, event, changes["tag"])
        added: dict[str, list[_Place]] = {}
        for old, changes in moves:
            new = changes["tag"]
            changes["number"] = self.numbers.get(new, changes["number"])
            kept = event.effects.keeps
            place, heirs = _Place([self._marks_of(new)], changes, [kept]), self.awaiting.pop(new, [])
            for heir in heirs:
                heir.marks.append(self._marks_of(new)[heir.seen :])
                heir.changes = changes | heir.changes
                heir.as_it_was.append(kept)
            added.setdefault(old, []).extend((place, *heirs))
            yield place
        for old, places in added.items():
            for place in places:
                place.seen = len(self._marks_of(old))
            self.awaiting.setdefault(old, []).extend(places)


def newest(
    events: Iterable[Event], also: Callable[[Event], bool] = lambda _event: False
) -> Iterator[Checkpoint | Event]:
    """Checkpoints, and the operations between them, newest first. No more `events` are read than needed.

    `also`: which other events are wanted.
    """
    state, queue = _State(), list[_Place | Event]()
    for event in events:
        if event.failed:
            continue
        if event.effects.operation or also(event):
            queue.append(event)
        try:
            queue.extend(state.read(event))
        except ValueError as error:
            raise unreadable(event) from error
        while queue:
            head = queue[0].point if isinstance(queue[0], _Place) else queue[0]
            if head is None:
                break
            queue.pop(0)
            yield head
    for left in queue:
        item = left.point if isinstance(left, _Place) else left
        if item is not None:
            yield item
