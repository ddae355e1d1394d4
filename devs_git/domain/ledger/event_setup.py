"""What the events of `init` say: the ledger begins, with its policy, and what was put in or taken out."""

from __future__ import annotations

from typing import ClassVar, Self

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class LedgerCreated:
    """The genesis, the ledger's only root. `LINE` is by what git finds its commit."""

    type: ClassVar[str] = "ledger.created"
    LINE: ClassVar[str] = f"{Key.EVENT}: ledger.created"

    def fields(self) -> Fields:
        return ()

    @classmethod
    def of(cls, _event: Event) -> LedgerCreated:
        return cls()


@immutable
class FirstPolicy:
    """The first policy of the ledger that begins with the commit `genesis`. Later ones are set by `event_gates.GateDecided`."""

    type: ClassVar[str] = "policy.set"
    genesis: str

    def fields(self) -> Fields:
        return non_empty((Key.GENESIS, self.genesis))

    @classmethod
    def of(cls, event: Event) -> FirstPolicy:
        return cls(event.get(Key.GENESIS))


@immutable
class RepositoryPrepared:
    """What `init` put in: what was done, in one word, and to what."""

    type: ClassVar[str] = "repository.prepared"
    did: tuple[tuple[str, str], ...]

    def fields(self) -> Fields:
        return tuple((Key.DID, f"{done} {what}") for done, what in self.did)

    @classmethod
    def of(cls, event: Event) -> Self:
        return cls(event.pairs(Key.DID))


@immutable
class RepositoryReleased(RepositoryPrepared):
    """What `init --uninstall` took out."""

    type: ClassVar[str] = "repository.released"
