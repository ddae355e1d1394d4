"""Examples of the events of gates, for `event_examples`."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_gates import GateDecided, GateRequested, Landing
from devs_git.domain.ledger.event_header import Content
from tests.support.contract_event_examples import OP

A, B, C = "a" * 40, "b" * 40, "c" * 40
MAIN: Final = "refs/heads/main"
_GATE: Final = ("gate-1", "TAS_REVISION", "task-1")
GATES: Final[tuple[tuple[Content, str, str], ...]] = (
    (
        GateRequested("gate-1", "MANUAL", "architect", "task-1"),
        "gate.requested",
        """Devs-Gate: gate-1
Devs-Gate-Type: MANUAL
Devs-Agent: architect
Devs-Task: task-1
Devs-Event-Name: HITL_GATE_REQUIRED""",
    ),
    (
        GateDecided("gate-1", "POLICY_CHANGE", "", "APPROVED", "signed", "ada@example.org"),
        "policy.set",
        """Devs-Gate: gate-1
Devs-Gate-Type: POLICY_CHANGE
Devs-Decision: APPROVED
Devs-Approval: signed
Devs-Reviewer: ada@example.org
Devs-Event-Name: GATE_RESOLVED""",
    ),
    (
        GateDecided(*_GATE, "APPROVED", "unsigned", "ada@example.org", Landing(MAIN, A, B, OP, C)),
        "gate.resolved",
        f"""Devs-Gate: gate-1
Devs-Gate-Type: TAS_REVISION
Devs-Task: task-1
Devs-Decision: APPROVED
Devs-Approval: unsigned
Devs-Reviewer: ada@example.org
Devs-Event-Name: GATE_RESOLVED
Devs-Op: {OP}
Devs-Branch: refs/heads/main
Devs-From: {A}
Devs-Commit: {B}
Devs-Backup: {C}""",
    ),
    (
        GateDecided(*_GATE, "REJECTED", "unsigned", "ada@example.org"),
        "gate.resolved",
        """Devs-Gate: gate-1
Devs-Gate-Type: TAS_REVISION
Devs-Task: task-1
Devs-Decision: REJECTED
Devs-Approval: unsigned
Devs-Reviewer: ada@example.org
Devs-Event-Name: GATE_RESOLVED""",
    ),
)
