"""What the events say by which checkpoints follow commits that were rewritten."""

from __future__ import annotations

from typing import ClassVar, Self

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class Move:
    """A checkpoint that followed a rewritten commit, as a `Devs-Moved` says it.

    `old` and `new` are the oids of the tag objects. `stat` is the number of files, of lines added and of lines removed;
    where it is empty, the figures are those of the old checkpoint.
    """

    old: str
    new: str
    number: int
    commit: str
    tree: str
    stat: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, (self.old, self.new, self.number, self.commit, self.tree, *self.stat)))

    @classmethod
    def of(cls, line: str) -> Move:
        """The move that a trailer's value tells of; ValueError where it is not as we write it."""
        old, new, number, commit, tree, *stat = line.split()
        return cls(old, new, int(number), commit, tree, tuple(map(int, stat)))


@immutable
class CheckpointsRewritten:
    """Checkpoints followed an amend or a rebase, which is the `cause`. All oids are those of tag objects.

    `undone` were folded into others or have no commit any more; of `next_numbers` each has a task and what its next
    checkpoint gets. `gone` are kept nowhere any more; only the rewriting of a whole history says it.
    """

    type: ClassVar[str] = "checkpoints.rewritten"
    cause: str
    moves: tuple[Move, ...]
    undone: tuple[str, ...]
    next_numbers: tuple[tuple[str, int], ...]
    gone: tuple[str, ...] = ()

    def fields(self) -> Fields:
        return (
            *non_empty((Key.CAUSE, self.cause)),
            *((Key.MOVED, str(move)) for move in self.moves),
            *((Key.UNDONE, tag) for tag in self.undone),
            *((Key.GONE, tag) for tag in self.gone),
            *((Key.NEXT, f"{task} {number}") for task, number in self.next_numbers),
        )

    @classmethod
    def of(cls, event: Event) -> Self:
        """What the event says; ValueError where a move or a number is not as we write it."""
        return cls(
            cause=event.get(Key.CAUSE),
            moves=tuple(map(Move.of, event.all(Key.MOVED))),
            undone=event.undone,
            next_numbers=tuple((task, int(number)) for task, number in event.next_numbers),
            gone=event.gone,
        )


@immutable
class HistoryRewritten(CheckpointsRewritten):
    """A whole history was rewritten. The `cause` is how the new places were found: `map` or `trees`."""

    type: ClassVar[str] = "history.rewritten"
