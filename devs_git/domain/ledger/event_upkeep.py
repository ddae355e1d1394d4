"""Events of upkeep: what a purge deleted for good, what was pruned because of its age, and which checkpoints are in archives."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class Purged:
    """Something was purged. `sought` is a path, or says that it was a text: the text itself is never in the event.

    `amounts` has one text for each kind, such as `3 refs`. `dropped` are refs with their oids. `checkpoints` are the oids of
    tag objects that nobody has to keep any more; the second member says whether the checkpoint also becomes undone.
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
    """Traces were deleted: how many, and how many bytes. `upto` is when the newest of them was stored."""

    type: ClassVar[str] = "trace.pruned"
    traces: int
    bytes: int
    upto: str

    def fields(self) -> Fields:
        return non_empty((Key.PRUNED, f"{self.traces} traces {self.bytes} bytes"), (Key.UPTO, self.upto))

    @classmethod
    def of(cls, event: Event) -> TracesPruned:
        """What the event says; ValueError if a number cannot be read."""
        traces, _, count, _ = event.get(Key.PRUNED, "0 traces 0 bytes").split()
        return cls(int(traces), int(count), event.get(Key.UPTO))


@immutable
class Pruned:
    """What was older than the policy keeps it was deleted. `amounts` has one text for each kind, such as `3 backups`.

    `dropped` are the refs that were deleted, with their oids; those of moments are not named.
    """

    type: ClassVar[str] = "pruned"
    amounts: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]

    def fields(self) -> Fields:
        return (
            *((Key.PRUNED, amount) for amount in self.amounts),
            *((Key.DROPPED, f"{ref} {oid}") for ref, oid in self.dropped),
        )

    @classmethod
    def of(cls, event: Event) -> Pruned:
        return cls(event.all(Key.PRUNED), event.pairs(Key.DROPPED))


@immutable
class CheckpointsArchived:
    """Checkpoints were archived. `archive` is the oid of the commit, whose tree has their tag objects."""

    type: ClassVar[str] = "checkpoints.archived"
    archive: str

    def fields(self) -> Fields:
        return ((Key.ARCHIVED, self.archive),)

    @classmethod
    def of(cls, event: Event) -> CheckpointsArchived:
        return cls(event.get(Key.ARCHIVED))


@immutable
class CheckpointsUnarchived:
    """The checkpoints of these archives have refs again. No clone has to keep the archives any more."""

    type: ClassVar[str] = "checkpoints.unarchived"
    archives: tuple[str, ...]

    def fields(self) -> Fields:
        return tuple((Key.UNARCHIVED, oid) for oid in self.archives)

    @classmethod
    def of(cls, event: Event) -> CheckpointsUnarchived:
        return cls(event.all(Key.UNARCHIVED))


def name_archives(archives: dict[str, str], event: Event) -> None:
    """Change the archives that count, each with the event that names it."""
    archives.update(dict.fromkeys(event.all(Key.ARCHIVED), event.oid))
    for oid in event.all(Key.UNARCHIVED):
        archives.pop(oid, None)
