"""The rows of the index. A fold of only those events that touch a task makes the same task and the same checkpoints as a fold
of all events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.event_rewrites import Move
from devs_git.domain.ledger.events import Event, unreadable
from devs_git.domain.ledger.indexing.notes import ALONE, STEERS, TAGS, Note, note
from devs_git.values import WithoutCollector, field, mutable


class Names(dict[str, int]):
    """The numbers of kinds, actors and so on, from 1; a name that has none gets one. The empty name has 0."""

    def __init__(self, known: Mapping[str, int]) -> None:
        super().__init__(known)
        self[""] = 0

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number


@mutable
class Known:
    """The task of each tag, and the tasks, of the events before. `find` and `has_task` ask the index for what was not read now."""

    points: dict[str, str | None] = field(default_factory=dict)
    tasks: set[str] = field(default_factory=set)

    def find(self, tag: str) -> str | None:
        return self.points.get(tag)

    def has_task(self, task: str) -> bool:
        return task in self.tasks


@mutable
class Rows:
    """The rows of the events after the one with the number `seq`. `names` has those that the index has, too.

    `links`: pairs of a task and the task that has a tag which both claim; only a forged event does so. Then the first task
    cannot be folded without the events of the second. `points`: number of the event, place among its checkpoints, tag, commit
    and task of each checkpoint that an event recorded or moved.
    """

    seq: int = 0
    known: Known = field(default_factory=Known)
    names: Names = field(default_factory=lambda: Names({}))
    heads: set[str] = field(default_factory=set)
    events: list[tuple[object, ...]] = field(default_factory=list)
    touches: dict[str, list[int]] = field(default_factory=dict)
    links: list[tuple[str, str, int]] = field(default_factory=list)
    tasks: list[tuple[str, int]] = field(default_factory=list)
    points: list[tuple[int, int, str, str, str]] = field(default_factory=list)

    def watch(self, events: Iterable[Event]) -> Iterator[Event]:
        """The same events, oldest first; the rows have those that the caller took."""
        for event in events:
            self.add(event)
            yield event

    def add_all(self, events: Iterable[Event]) -> None:
        """Add events, oldest first."""
        with WithoutCollector():
            for event in events:
                self.add(event)

    def add_back(self, events: Iterable[Event]) -> None:
        """Add events that come newest first: of each one only its note is kept until the oldest has come."""
        with WithoutCollector():
            number = self.names.__getitem__
            notes = [note(event, number) for event in events]
            while notes:
                self._place(notes.pop())

    def add(self, event: Event) -> None:
        self._place(note(event, self.names.__getitem__))

    def touch_rows(self) -> Iterator[tuple[str, int]]:
        """Task and number of the event, in this order: rows in the order of their key are written much faster."""
        return ((task, seq) for task in sorted(self.touches) for seq in self.touches[task])

    def _place(self, one: Note) -> None:
        self.seq = seq = self.seq + 1
        known, effects, heads, flags = self.known, one.effects, self.heads, one.flags
        heads.difference_update(one.parents)
        heads.add(one.oid)
        tasks = {*one.tasks}
        if effects.starts or effects.records:
            if not known.has_task(one.task):
                known.tasks.add(one.task)
                self.tasks.append((one.task, seq))
            if effects.records:
                tasks.add(one.task)
                self._put(0, one.tag, one.commit, one.task)
        elif effects.steers and not known.has_task(one.task):
            flags |= STEERS
        if one.marks:
            tasks |= self._marked(one)
        for task in tasks:
            self.touches.setdefault(task, []).append(seq)
        if len(heads) == 1:
            flags |= ALONE
        self.events.append((seq, one.oid, flags, *one.numbers, one.finished))

    def _marked(self, one: Note) -> set[str]:
        """The tasks of the checkpoints that the event changes. LEDGER_MUTATED for a number that the fold cannot read, too."""
        try:
            return {task for task in self._changed(one) if task is not None}
        except ValueError as error:
            raise unreadable(Event("", "", (), oid=one.oid)) from error

    def _changed(self, one: Note) -> Iterator[str | None]:
        moves = [Move.of(value) for key, value in one.marks if key == Key.MOVED]
        first = int(one.effects.records)
        # All are found before the first is known under its new tag.
        for at, (move, task) in enumerate([(move, self.known.find(move.old)) for move in moves], first):
            if task is not None:
                self._put(at, move.new, move.commit, task)
            yield task
        for key, value in one.marks:
            if key in TAGS:
                yield self.known.find(value)
            elif key == Key.RENUMBERED:
                tag, _, number = value.partition(" ")
                if (task := self.known.find(tag)) is not None:
                    int(number)
                yield task

    def _put(self, at: int, tag: str, commit: str, task: str) -> None:
        """Add a checkpoint, unless its tag is known already."""
        first = self.known.find(tag)
        if first is None:
            self.known.points[tag] = task
            self.points.append((self.seq, at, tag, commit, task))
        elif first != task:
            self.links.append((task, first, self.seq))
