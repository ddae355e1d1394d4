"""Events of `init`: the ledger and its policy were created, and what was installed or removed."""

from __future__ import annotations

from typing import ClassVar, Self

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class LedgerCreated:
    """The genesis, the only root of the ledger. `LINE` is the line of its message by which git finds it."""

    type: ClassVar[str] = "ledger.created"
    LINE: ClassVar[str] = f"{Key.EVENT}: ledger.created"

    def fields(self) -> Fields:
        return ()

    @classmethod
    def of(cls, _event: Event) -> LedgerCreated:
        return cls()


@immutable
class FirstPolicy:
    """The first policy was set, of the ledger with the root `genesis`. `event_gates.GateDecided` sets later ones."""

    type: ClassVar[str] = "policy.set"
    genesis: str

    def fields(self) -> Fields:
        return non_empty((Key.GENESIS, self.genesis))

    @classmethod
    def of(cls, event: Event) -> FirstPolicy:
        return cls(event.get(Key.GENESIS))


@immutable
class RepositoryPrepared:
    """`init` installed something. Each pair of `did` is one word for what was done, and to what."""

    type: ClassVar[str] = "repository.prepared"
    did: tuple[tuple[str, str], ...]

    def fields(self) -> Fields:
        return tuple((Key.DID, f"{done} {what}") for done, what in self.did)

    @classmethod
    def of(cls, event: Event) -> Self:
        return cls(event.pairs(Key.DID))


@immutable
class RepositoryReleased(RepositoryPrepared):
    """`init --uninstall` removed something."""

    type: ClassVar[str] = "repository.released"
