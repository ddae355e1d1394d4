"""Events of gates: a decision was requested, and a person decided."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.gates.gate_model import APPROVED, POLICY_CHANGE, REQUESTED, RESOLVED
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class GateRequested:
    """An agent or a person requested a decision. The request is a file of the ledger. `NAME` is for other programs."""

    NAME: ClassVar[str] = "HITL_GATE_REQUIRED"
    type: ClassVar[str] = REQUESTED
    gate_id: str
    gate_type: str
    agent: str
    task: str

    def fields(self) -> Fields:
        return non_empty(
            (Key.GATE, self.gate_id),
            (Key.GATE_TYPE, self.gate_type),
            (Key.AGENT, self.agent),
            (Key.TASK, self.task),
            (Key.EVENT_NAME, self.NAME),
        )

    @classmethod
    def of(cls, event: Event) -> GateRequested:
        return cls(event.get(Key.GATE), event.get(Key.GATE_TYPE), event.get(Key.AGENT), event.task)


@immutable
class Landing:
    """The commit that added an approved TAS to `branch` (its full name). `before` is the commit before.

    `op_id` and `backup` (the oid of the backup's commit) are '' if no worktree had the branch checked out.
    """

    branch: str
    before: str
    commit: str
    op_id: str = ""
    backup: str = ""

    def fields(self) -> Fields:
        return non_empty(
            (Key.OP, self.op_id),
            (Key.BRANCH, self.branch),
            (Key.FROM, self.before),
            (Key.COMMIT, self.commit),
            (Key.BACKUP, self.backup),
        )


@immutable
class GateDecided:
    """A person decided. `decision` is APPROVED or REJECTED, `approval` is unsigned or signed.

    `landing` is None unless a TAS was committed. `NAME` is for other programs. The event of an approved policy change
    also sets the policy, so it has another type.
    """

    NAME: ClassVar[str] = "GATE_RESOLVED"
    gate_id: str
    gate_type: str
    task: str
    decision: str
    approval: str
    reviewer: str
    landing: Landing | None = None

    @property
    def type(self) -> str:
        return "policy.set" if (self.gate_type, self.decision) == (POLICY_CHANGE, APPROVED) else RESOLVED

    def fields(self) -> Fields:
        own = non_empty(
            (Key.GATE, self.gate_id),
            (Key.GATE_TYPE, self.gate_type),
            (Key.TASK, self.task),
            (Key.DECISION, self.decision),
            (Key.APPROVAL, self.approval),
            (Key.REVIEWER, self.reviewer),
            (Key.EVENT_NAME, self.NAME),
        )
        return (*own, *(self.landing.fields() if self.landing else ()))

    @classmethod
    def of(cls, event: Event) -> GateDecided:
        landing = Landing(event.branch, event.get(Key.FROM), event.commit, event.op_id, event.backup)
        return cls(
            gate_id=event.get(Key.GATE),
            gate_type=event.get(Key.GATE_TYPE),
            task=event.task,
            decision=event.get(Key.DECISION),
            approval=event.get(Key.APPROVAL),
            reviewer=event.get(Key.REVIEWER),
            landing=landing if landing.commit else None,
        )
