"""What the event says by which `sync` joins the ledgers of two clones."""

from __future__ import annotations

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class LedgersMerged:
    """The lines of two clones became one; the first parent is that of `remote`, as this clone calls it.

    `superseded` are paths with where this clone's content is kept, `gates` those that both clones decided. `renumbered`
    are oids of tag objects with new numbers, `undone` oids of tag objects, `statuses` tasks with their status.
    """

    remote: str
    superseded: tuple[tuple[str, str], ...] = ()
    gates: tuple[str, ...] = ()
    renumbered: tuple[tuple[str, int], ...] = ()
    undone: tuple[str, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()

    @property
    def type(self) -> str:
        """Where a decision lost, readers of the ledger's types have to see it."""
        return "superseded" if self.gates else "ledger.merged"

    def fields(self) -> Fields:
        return (
            *non_empty((Key.REMOTE, self.remote)),
            *((Key.SUPERSEDED, f"{path} {kept}") for path, kept in self.superseded),
            *((Key.GATE, gate) for gate in self.gates),
            *((Key.RENUMBERED, f"{tag} {number}") for tag, number in self.renumbered),
            *((Key.UNDONE, tag) for tag in self.undone),
            *((Key.STATUS, f"{task} {status}") for task, status in self.statuses),
        )

    @classmethod
    def of(cls, event: Event) -> LedgersMerged:
        """What the event says; ValueError where a number is not as we write it."""
        # A path may have a space; an oid's path has none.
        lines = (line.rpartition(" ") for line in event.all(Key.SUPERSEDED))
        return cls(
            remote=event.get(Key.REMOTE),
            superseded=tuple((path, kept) for path, _, kept in lines),
            gates=event.all(Key.GATE),
            renumbered=tuple((tag, int(number)) for tag, number in event.renumbered),
            undone=event.undone,
            statuses=event.statuses,
        )
