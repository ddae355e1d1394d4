"""The event by which `sync` merges the ledgers of two clones."""

from __future__ import annotations

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class LedgersMerged:
    """The ledgers of two clones were merged. The first parent is that of `remote`, by its name in this clone.

    `superseded` are paths, each with the path where this clone's content is kept. `gates` are those that both clones
    decided. `renumbered` are oids of tag objects with new numbers, `undone` are such oids, `statuses` are tasks with their
    status.
    """

    remote: str
    superseded: tuple[tuple[str, str], ...] = ()
    gates: tuple[str, ...] = ()
    renumbered: tuple[tuple[str, int], ...] = ()
    undone: tuple[str, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()

    @property
    def type(self) -> str:
        """`superseded` if a decision was superseded: the type alone has to show it."""
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
        """What the event says; ValueError if a number cannot be read."""
        # The first path may contain a space; the second one is made of an oid.
        lines = (line.rpartition(" ") for line in event.all(Key.SUPERSEDED))
        return cls(
            remote=event.get(Key.REMOTE),
            superseded=tuple((path, kept) for path, _, kept in lines),
            gates=event.all(Key.GATE),
            renumbered=tuple((tag, int(number)) for tag, number in event.renumbered),
            undone=event.undone,
            statuses=event.statuses,
        )
