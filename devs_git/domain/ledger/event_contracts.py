"""Events of contracts: a contract was started, and a phase changed. What they say of a contract together is a `Contract`."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable, replace

UNKNOWN_CLIENT = "-"


def session_text(client: str, session: str) -> str:
    """A client and a session as one value; '' if there is no session. An id of a session has no space."""
    return f"{client or UNKNOWN_CLIENT} {session}" if session else ""


def session_in(text: str) -> tuple[str, str]:
    """The client ('' if unknown) and the session of such a value."""
    client, _, session = text.rpartition(" ")
    return ("" if client == UNKNOWN_CLIENT else client), session


@immutable
class ContractStarted:
    """A contract was started, or started again. `client` and `session` are its supervisor's; both are '' if it has none."""

    type: ClassVar[str] = "contract.started"
    contract: str
    client: str
    session: str
    op_id: str

    def fields(self) -> Fields:
        return non_empty(
            (Key.CONTRACT, self.contract),
            (Key.SUPERVISOR, session_text(self.client, self.session)),
            (Key.OP, self.op_id),
        )

    @classmethod
    def of(cls, event: Event) -> ContractStarted:
        return cls(event.get(Key.CONTRACT), *session_in(event.get(Key.SUPERVISOR)), event.op_id)


@immutable
class PhaseChanged:
    """The phase of a contract changed, or that of one task: one of the two is ''. `before` is the phase that it had."""

    type: ClassVar[str] = "phase.changed"
    contract: str
    task: str
    phase: str
    before: str
    op_id: str

    def fields(self) -> Fields:
        return non_empty(
            (Key.CONTRACT, self.contract),
            (Key.TASK, self.task),
            (Key.PHASE, self.phase),
            (Key.FROM_PHASE, self.before),
            (Key.OP, self.op_id),
        )

    @classmethod
    def of(cls, event: Event) -> PhaseChanged:
        return cls(event.get(Key.CONTRACT), event.task, event.phase, event.get(Key.FROM_PHASE), event.op_id)


@immutable
class Contract:
    """A contract that was started, or whose phase was set. The newest start counts; `client` and `session` are its supervisor's."""

    name: str
    phase: str = ""
    client: str = ""
    session: str = ""
    actor: str = ""
    started_at: str = ""


def steer(contracts: dict[str, Contract], event: Event) -> None:
    """Change the contracts as an event of these types says. The phase of a task is not in them."""
    name = event.get(Key.CONTRACT)
    known = contracts.get(name) or Contract(name)
    if event.type == ContractStarted.type:
        said = ContractStarted.of(event)
        contracts[name] = replace(
            known, client=said.client, session=said.session, actor=event.actor, started_at=event.finished
        )
    elif name:
        contracts[name] = replace(known, phase=event.phase)
