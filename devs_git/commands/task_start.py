"""`task start`: start a task in this worktree; it is the active task until it is completed.

A worktree has one active task: TASK_ACTIVE names the other one. TASK_EXISTS for the id of a live task. The id of a rewound
or dropped task is free again, and its numbers continue. A task starts again if its worktree lost the note of it (a crash).
"""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import AGENTS, PHASES, Work, work_of
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_tasks import TaskStarted
from devs_git.domain.ledger.events import Draft, one_line
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.task_standing import LIVE
from devs_git.domain.text.field_values import check_body, check_value
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS
from devs_git.storage.git import locks, refs
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task
from devs_git.values import field, immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`contract`: the name of a line of work; the branch by default."""

    task_id: str
    title: str = ""
    plan: str = ""
    contract: str = ""
    agent: str = "developer"
    client: str = ""
    phase: str = "execute"

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        for name, among in (
            ("title", ()),
            ("contract", ()),
            ("client", ()),
            ("agent", AGENTS),
            ("phase", PHASES),
        ):
            object.__setattr__(self, name, check_value(name, getattr(self, name), among=among))
        check_body("plan", self.plan)


@immutable
class Result:
    task_id: str
    status: str
    title: str
    contract: str
    agent: str
    client: str
    phase: str
    worktree: str
    branch: str
    next_checkpoint: int
    event: str = field(default="")


def run(workspace: Workspace, request: Request) -> Result:
    workspace.ledger.require()
    branch = refs.branch(workspace.places.git_dir)
    head = refs.head(workspace.places.git_dir, workspace.places.common)[0] or workspace.head
    contract = request.contract or branch
    work = Work(request.task_id, request.agent, request.client, request.phase)
    op_id = workspace.new_id("task start", request.task_id)
    number = 1

    def build(tip: Tip) -> Draft:
        nonlocal number
        _refuse(workspace, tip.here, request.task_id)
        number = tip.here.next_number(request.task_id)
        event = workspace.event_of(
            TaskStarted(work, request.title, contract, branch, head, op_id, number),
            f"task: start {request.task_id}: {request.title}".rstrip(": "),
            verb_name="task start",
        )
        fields = {"title": request.title, "plan": request.plan, "contract": contract, "branch": branch}
        return Draft(event, (task_files.file(op_id, event, work, fields),))

    with locks.hold(workspace.places.lock, wait=BUSY_SECONDS):
        event = workspace.append(build)
        active_task.write(workspace.places, work.lines())
    return Result(
        task_id=work.task,
        status="active",
        title=request.title,
        contract=contract,
        agent=work.agent,
        client=work.client,
        phase=work.phase,
        worktree=workspace.places.worktree_id,
        branch=branch,
        next_checkpoint=number,
        event=event.oid,
    )


def _refuse(workspace: Workspace, history: History, task_id: str) -> None:
    here = work_of(active_task.read(workspace.places))
    task = history.tasks.get(task_id)
    if task and task.status in LIVE:
        lost = task.status == "active" and task.worktree == workspace.places.worktree_id and not here
        if not lost:
            raise DevsError(
                "TASK_EXISTS",
                f"{task_id} already exists and is {task.status}.",
                hint="Use another id, or look at the task: devs-git task status " + task_id,
                task_id=task_id,
            )
    running = history.tasks.get(here.task) if here else None
    if running and running.status == "active":
        raise DevsError(
            "TASK_ACTIVE",
            f"{running.task_id} is active in this worktree{_in_brackets(running.title)}.",
            hint=f"Complete it first (devs-git task complete {running.task_id}), or use another worktree.",
            task_id=running.task_id,
        )


def _in_brackets(title: str) -> str:
    return f" ({one_line(title)})" if title else ""
