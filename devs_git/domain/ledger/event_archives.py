"""Events of archives: commits that keep many old checkpoints, so that these need no ref of their own."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields
from devs_git.values import immutable


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


def apply(archives: dict[str, str], event: Event) -> None:
    """Change the archives that count, each with the event that names it."""
    archives.update(dict.fromkeys(event.all(Key.ARCHIVED), event.oid))
    for oid in event.all(Key.UNARCHIVED):
        archives.pop(oid, None)
