"""`phase set`: say in which phase a contract is, or one task. A task without a phase of its own has its contract's."""

from __future__ import annotations

from devs_git.domain.checkpoints.task_states import require_task
from devs_git.domain.ledger import contracts, ids
from devs_git.domain.ledger.event_contracts import PhaseChanged
from devs_git.domain.ledger.event_keys import PHASES
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import History
from devs_git.domain.text.field_values import check_value
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.contracts import contract_here, phase_notes
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """The phase of `task_id` alone, or of `contract`; by default of the contract of the active task, else of the branch."""

    phase: str
    contract: str = ""
    task_id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "phase", check_value("phase", self.phase, among=PHASES))
        object.__setattr__(self, "contract", check_value("contract", self.contract))
        if self.task_id:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        if self.task_id and self.contract:
            raise invalid("task_id", "Name a task or a contract, not both.")


@immutable
class Result:
    """`contract` or `task_id` is ''. `before`: the phase that it had. `keep_own`: active tasks of the contract with a phase of their own."""

    contract: str
    task_id: str
    phase: str
    before: str
    keep_own: tuple[str, ...]
    event: str


def run(workspace: Workspace, request: Request) -> Result:
    """CONTRACT_NOT_FOUND, TASK_NOT_FOUND; INVALID_ARGUMENTS on a detached HEAD without a task, where no contract is named."""
    workspace.ledger.require()
    op_id = workspace.new_id("phase set", request.phase)
    contract = before = ""

    def build(tip: Tip) -> Draft:
        nonlocal contract, before
        contract = "" if request.task_id else _contract(workspace, tip.history, request.contract)
        before = _before(tip.history, contract, request.task_id)
        content = PhaseChanged(contract, request.task_id, request.phase, before, op_id)
        subject = f"phase: {contract or request.task_id} is in {request.phase}"
        return Draft(workspace.event_of(content, subject, verb_name="phase set"))

    event = workspace.append(build)
    history = workspace.ledger.tip().here
    phase_notes.refresh(workspace, history)
    own = (task for task in history.tasks.values() if task.phase and task.status == "active")
    return Result(
        contract=contract,
        task_id=request.task_id,
        phase=request.phase,
        before=before,
        keep_own=tuple(task.task_id for task in own if contract and task.contract == contract),
        event=event.oid,
    )


def _contract(workspace: Workspace, history: History, named: str) -> str:
    return contracts.require(history, named).name if named else contract_here.name(workspace, history)


def _before(history: History, contract: str, task_id: str) -> str:
    if task_id:
        return history.phase_of(require_task(history, task_id))
    # The branch of this worktree is a contract before it has a task.
    return history.contracts[contract].phase if contract in history.contracts else ""
