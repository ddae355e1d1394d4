"""Examples of the events of contracts and directives, and of tasks that were given up, for `event_examples`."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_contracts import ContractStarted, PhaseChanged
from devs_git.domain.ledger.event_header import Content
from devs_git.domain.ledger.event_tasks import DirectiveAdded, DirectiveWithdrawn, TaskAbandoned, TaskReopened

OP: Final = "20010203T040506-1a2b3c4d"
CONTRACTS: Final[tuple[tuple[Content, str, str], ...]] = (
    (
        ContractStarted("feature/dates", "claude", "s1", OP),
        "contract.started",
        f"Devs-Contract: feature/dates\nDevs-Supervisor: claude s1\nDevs-Op: {OP}",
    ),
    (
        ContractStarted("main", "", "s1", OP),
        "contract.started",
        f"Devs-Contract: main\nDevs-Supervisor: - s1\nDevs-Op: {OP}",
    ),
    (ContractStarted("main", "", "", OP), "contract.started", f"Devs-Contract: main\nDevs-Op: {OP}"),
    (
        PhaseChanged("main", "", "execute", "plan", OP),
        "phase.changed",
        f"Devs-Contract: main\nDevs-Phase: execute\nDevs-From-Phase: plan\nDevs-Op: {OP}",
    ),
    (
        PhaseChanged("", "task-1", "review", "", OP),
        "phase.changed",
        f"Devs-Task: task-1\nDevs-Phase: review\nDevs-Op: {OP}",
    ),
    (
        TaskAbandoned("task-1", OP),
        "task.abandoned",
        f"Devs-Task: task-1\nDevs-Op: {OP}\nDevs-Status: task-1 abandoned",
    ),
    (
        TaskReopened("task-1", OP),
        "task.reopened",
        f"Devs-Task: task-1\nDevs-Op: {OP}\nDevs-Status: task-1 active",
    ),
    (DirectiveAdded(OP, "task-1"), "directive.added", f"Devs-Directive: {OP}\nDevs-Task: task-1"),
    (DirectiveWithdrawn(OP, "task-1"), "directive.withdrawn", f"Devs-Directive: {OP}\nDevs-Task: task-1"),
)
