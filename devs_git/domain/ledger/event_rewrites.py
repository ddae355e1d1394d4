"""Events by which checkpoints follow rewritten commits."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class Move:
    """A checkpoint that moved to a rewritten commit: one `Devs-Moved`.

    `old` and `new` are the oids of the tag objects. `stat` is the number of changed files, of added lines and
    of removed lines; if it is empty, the figures of the old checkpoint stay.
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
        """The move in the value of a trailer; ValueError if it does not have the form that devs-git writes."""
        old, new, number, commit, tree, *stat = line.split()
        return cls(old, new, int(number), commit, tree, tuple(map(int, stat)))


def move_of(line: str, event: Event) -> tuple[str, dict[str, Any]]:
    """The old tag, and the changed members of the checkpoint, from the value of a `Devs-Moved`."""
    move = Move.of(line)
    changes: dict[str, Any] = {
        "tag": move.new,
        "number": move.number,
        "commit": move.commit,
        "tree": move.tree,
        "created_at": event.get(Key.FINISHED),
        "event": event.oid,
    }
    figures = ("files_changed", "lines_added", "lines_removed")
    return move.old, changes | dict(zip(figures, move.stat, strict=False))


@immutable
class CheckpointsRewritten:
    """Checkpoints followed an amend or a rebase, the `cause`. Oids are those of tag objects.

    `undone` are checkpoints that were squashed into others or have no commit any more. `next_numbers` are tasks, with the
    number of their next checkpoint. `gone` are checkpoints that are no longer kept, after a whole history was rewritten.
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
        """What the event says; ValueError if a move or a number cannot be read."""
        return cls(
            cause=event.get(Key.CAUSE),
            moves=tuple(map(Move.of, event.all(Key.MOVED))),
            undone=event.undone,
            next_numbers=tuple((task, int(number)) for task, number in event.next_numbers),
            gone=event.gone,
        )


@immutable
class HistoryRewritten(CheckpointsRewritten):
    """A whole history was rewritten. The `cause` is how the new commits were found: `map` or `trees`."""

    type: ClassVar[str] = "history.rewritten"
