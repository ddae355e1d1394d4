"""From which checkpoint `resume` goes on, in a mode that goes on from an earlier state."""

from __future__ import annotations

from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_contracts import Contract, PhaseChanged
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.operations.resume.resume_targets import ResumeTarget
from devs_git.workspace import Workspace


def find(workspace: Workspace, named: ResumeTarget, mode: str, checkpoint: str) -> Checkpoint:
    """The checkpoint, or where a task began. `checkpoint`: what the caller names, a number only of a task, '' for nothing.

    INVALID_ARGUMENTS {mode} if the mode is not one of a task, or not one of a contract. CHECKPOINT_NOT_FOUND.
    """
    history = workspace.ledger.require().here
    if mode == "from_checkpoint":
        return _of_named(workspace, history, named, checkpoint)
    if mode == "clean_restart" and named.task:
        return named_checkpoint.find(workspace.store_git, history, f"{named.task.task_id}@0")
    if mode == "restart_phase" and named.contract:
        return first_of_phase(workspace, history, named.contract)
    kind = "a task" if named.task else "a contract"
    raise invalid("mode", f"{kind.capitalize()} has no mode {mode}.", hint="See: devs-git resume --help")


def _of_named(workspace: Workspace, history: History, named: ResumeTarget, text: str) -> Checkpoint:
    """The checkpoint of the task, or of a task of the contract, which a caller names."""
    if named.point and not text:
        return named.point
    if named.task and text.isdecimal():
        text = f"{named.task.task_id}@{text}"
    if not text or text.isdecimal():
        raise invalid("checkpoint", "Say which checkpoint.", hint="For example: --checkpoint task-10@2")
    point = named_checkpoint.find(workspace.store_git, history, str(ids.parse_target(text)))
    if point.task_id in tasks_of(history, named):
        return point
    raise DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"{point.name} is no checkpoint of {named.name}.",
        hint="List checkpoints: devs-git log",
    )


def tasks_of(history: History, named: ResumeTarget) -> frozenset[str]:
    """The task that was named, or the tasks of the contract."""
    if named.task:
        return frozenset((named.task.task_id,))
    name = named.contract.name if named.contract else ""
    return frozenset(task.task_id for task in history.tasks.values() if task.contract == name)


def first_of_phase(workspace: Workspace, history: History, contract: Contract) -> Checkpoint:
    """The first live checkpoint of the contract's tasks since it has its phase. A task with a phase of its own counts only in that one.

    CHECKPOINT_NOT_FOUND if there is none, or if the contract has no phase.
    """
    began = _phase_began(workspace, contract) if contract.phase else ""
    names = tasks_of(history, ResumeTarget(contract=contract))
    found = [
        point
        for point in history.live()
        if began
        and point.task_id in names
        and point.created_at >= began
        and history.phase_of(history.tasks[point.task_id]) == contract.phase
    ]
    if found:
        return min(found, key=lambda point: point.created_at)
    raise DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"The contract has no checkpoint in its phase {contract.phase}."
        if contract.phase
        else "The contract has no phase.",
        hint=f"See it: devs-git contract show {contract.name}",
        contract=contract.name,
    )


def _phase_began(workspace: Workspace, contract: Contract) -> str:
    """Since when the contract has its phase, as a stamp. The same phase may have been set again since."""
    began = ""
    for event in workspace.ledger.events():
        if event.type != PhaseChanged.type or event.failed:
            continue
        said = PhaseChanged.of(event)
        if said.contract != contract.name or said.task:
            continue
        if said.phase != contract.phase:
            break
        began = event.finished
    return began
