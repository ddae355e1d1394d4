"""What the events say by which something was deleted for good: a purge, and traces that were pruned."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class Purged:
    """What was looked for, never the text itself, and what was deleted.

    `amounts` has one text for each kind, such as `3 refs`; `dropped` has refs with their oids. `checkpoints` are the oids
    of tag objects that nobody is to keep any more, each with whether it was live or rewound, and not replaced.
    """

    type: ClassVar[str] = "purged"
    sought: str
    amounts: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]
    checkpoints: tuple[tuple[str, bool], ...]

    def fields(self) -> Fields:
        return (
            *non_empty((Key.SOUGHT, self.sought)),
            *((Key.PURGED, amount) for amount in self.amounts),
            *((Key.DROPPED, f"{ref} {oid}") for ref, oid in self.dropped),
            *(pair for tag, was_undone in self.checkpoints for pair in _gone(tag, also_undone=was_undone)),
        )

    @classmethod
    def of(cls, event: Event) -> Purged:
        return cls(
            sought=event.get(Key.SOUGHT),
            amounts=event.all(Key.PURGED),
            dropped=event.pairs(Key.DROPPED),
            checkpoints=tuple((tag, tag in event.undone) for tag in event.gone),
        )


def _gone(tag: str, *, also_undone: bool) -> Fields:
    return ((Key.GONE, tag), (Key.UNDONE, tag)) if also_undone else ((Key.GONE, tag),)


@immutable
class TracesPruned:
    """How many traces with how many bytes were deleted; `upto` is when the newest of them was stored."""

    type: ClassVar[str] = "trace.pruned"
    traces: int
    bytes: int
    upto: str

    def fields(self) -> Fields:
        return non_empty((Key.PRUNED, f"{self.traces} traces {self.bytes} bytes"), (Key.UPTO, self.upto))

    @classmethod
    def of(cls, event: Event) -> TracesPruned:
        """What the event says; ValueError where a number is not as we write it."""
        traces, _, count, _ = event.get(Key.PRUNED, "0 traces 0 bytes").split()
        return cls(int(traces), int(count), event.get(Key.UPTO))
