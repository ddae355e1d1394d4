"""`task start`: start a task in this worktree; it is the active task until it is completed.

A worktree has one active task: TASK_ACTIVE names the other one. TASK_EXISTS for the id of a live or abandoned task. The id of a rewound
or dropped task is free again, and its numbers continue. A task starts again if its worktree lost the note of it (a crash).
"""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import AGENTS, DEFAULT_ROLE, Work, work_of
from devs_git.domain.checkpoints.task_states import require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_contracts import session_text
from devs_git.domain.ledger.event_keys import PHASES
from devs_git.domain.ledger.event_tasks import TaskStarted
from devs_git.domain.ledger.events import Draft, one_line
from devs_git.domain.ledger.history import History, Task
from devs_git.domain.ledger.task_standing import ABANDONED, TAKEN
from devs_git.domain.text.field_values import check_body, check_value
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS
from devs_git.operations.contracts import sessions
from devs_git.storage.git import locks, refs
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`contract`: the name of a line of work; the branch by default. `phase`: '' for that of the contract.

    `agent`: the role; '' for `usual_agent`, for that of a developer where a client runs, and for none where a person works.
    `parent`: the task of which this one is a part. `spawned_by`: the session that starts it; the one that runs this by default.
    """

    task_id: str
    title: str = ""
    plan: str = ""
    contract: str = ""
    agent: str = ""
    client: str = ""
    phase: str = ""
    parent: str = ""
    spawned_by: str = ""
    usual_agent: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", _meant(ids.task_id(self.task_id)))
        if self.parent:
            object.__setattr__(self, "parent", ids.task_id(self.parent, field="parent"))
        if self.parent == self.task_id:
            raise invalid("parent", "A task cannot be a part of itself.")
        for name, among in (
            ("title", ()),
            ("contract", ()),
            ("client", ()),
            ("agent", ("", *AGENTS)),
            ("phase", ("", *PHASES)),
        ):
            object.__setattr__(self, name, check_value(name, getattr(self, name), among=among))
        sessions.check("spawned_by", self.spawned_by)
        check_body("plan", self.plan)


def _meant(task_id: str) -> str:
    """`task-10` for `task10` and `task_10`. A word that only begins so (`tasks`) is an id of its own."""
    from devs_git.domain.ledger import resolve  # a plain id does not need it

    other = resolve.other_spelling(task_id) if task_id.startswith("task-task") else ""
    return other if ids.bare(other).isdigit() else task_id


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
    parent: str = ""
    spawned_by: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_EXISTS, TASK_ACTIVE; TASK_NOT_FOUND for a parent that does not exist."""
    workspace.ledger.require()
    begun, phase = _begun(workspace, request), ""

    def build(tip: Tip) -> Draft:
        nonlocal begun, phase
        history = task_files.history_for_start(tip, request.task_id)
        _refuse(workspace, tip, request.task_id, history.tasks.get(request.task_id))
        if request.parent and request.parent not in task_files.history_here(tip, request.parent).tasks:
            require_task(tip.here, request.parent)
        begun = replace(_again(begun, history), next_number=history.next_number(request.task_id))
        phase = request.phase or _phase(tip, begun.contract)
        return _draft(workspace, tip, begun, request.plan)

    with locks.hold(workspace.places.lock, wait=BUSY_SECONDS):
        event = workspace.append(build)
        # Commits name the phase of the contract, too, but the event only the task's own.
        active_task.write(workspace.places, replace(begun.work, phase=phase).lines())
    return Result(
        task_id=request.task_id,
        status="active",
        title=request.title,
        contract=begun.contract,
        agent=begun.work.agent,
        client=request.client,
        phase=phase,
        worktree=workspace.places.worktree_id,
        branch=begun.branch,
        next_checkpoint=begun.next_number,
        event=event.oid,
        parent=begun.parent,
        spawned_by=begun.spawned_by,
    )


def _begun(workspace: Workspace, request: Request) -> TaskStarted:
    """What the event says. Its number is that of a new task."""
    branch = refs.branch(workspace.places.git_dir)
    return TaskStarted(
        work=Work(request.task_id, _role(workspace, request), request.client, request.phase),
        title=request.title,
        contract=request.contract or branch,
        branch=branch,
        head=refs.head(workspace.places.git_dir, workspace.places.common)[0] or workspace.head,
        op_id=workspace.new_id("task start", request.task_id),
        next_number=1,
        parent=request.parent,
        spawned_by=session_text(*sessions.identify(workspace, request.spawned_by)),
    )


def _role(workspace: Workspace, request: Request) -> str:
    """The role that was given, or that of an agent that works here. A person has none that nobody chose."""
    from_client = request.client or workspace.agent_variable
    return request.agent or request.usual_agent or (DEFAULT_ROLE if from_client else "")


def _again(begun: TaskStarted, history: History) -> TaskStarted:
    """The event for a task that is active already: it stays the part and the fork that it was."""
    known = history.tasks.get(begun.work.task)
    if known is None or known.status != "active":
        return begun
    return replace(
        begun,
        parent=begun.parent or known.parent,
        forked_from=known.forked_from,
        forked_session=known.forked_session,
    )


def _draft(workspace: Workspace, tip: Tip, begun: TaskStarted, plan: str) -> Draft:
    subject = f"task: start {begun.work.task}: {begun.title}".rstrip(": ")
    event = workspace.event_of(begun, subject, verb_name="task start")
    fields = {
        "title": begun.title,
        "plan": plan,
        "contract": begun.contract,
        "branch": begun.branch,
        "parent": begun.parent,
        "spawned_by": begun.spawned_by,
        "forked_from": begun.forked_from,
    }
    return Draft(event, (task_files.file(begun.op_id, event, begun.work, fields, tip=tip),))


def _phase(tip: Tip, name: str) -> str:
    """The phase of a contract, for the commits of the task; '' for none."""
    from devs_git.storage.ledger.index import listing  # `verify` knows each command, and does not ask it

    contract = listing.contract(tip, name)
    return contract.phase if contract else ""


def _refuse(workspace: Workspace, tip: Tip, wanted: str, task: Task | None) -> None:
    """`task`: the one with the id that is wanted, if the ledger has one."""
    here = work_of(active_task.read(workspace.places))
    if not task and refs.read(workspace.store_git, ids.completed_tag(wanted)):
        # `git fetch` brings the tags of other clones, and only `sync` their ledger.
        raise DevsError(
            "TASK_EXISTS",
            f"There is a tag devs/{wanted} that this ledger does not know: another clone may have this task.",
            hint="Use another id, or get the events of the other clones: devs-git sync",
            task_id=wanted,
        )
    if task and task.status in TAKEN:
        lost = task.status == "active" and task.worktree == workspace.places.worktree_id and not here
        if not lost:
            hint = f"look at the task: devs-git task status {task.task_id}"
            if task.status == ABANDONED:
                hint = f"take it up again: devs-git task switch {task.task_id}"
            raise DevsError(
                "TASK_EXISTS",
                f"{task.task_id} already exists and is {task.status}.",
                hint=f"Use another id, or {hint}",
                task_id=task.task_id,
            )
    running = task_files.history_here(tip, here.task).tasks.get(here.task) if here else None
    if running and running.status == "active":
        raise DevsError(
            "TASK_ACTIVE",
            f"{running.task_id} is active in this worktree{_in_brackets(running.title)}.",
            hint=f"Complete it first (devs-git task complete {running.task_id}), or use another worktree.",
            task_id=running.task_id,
        )


def _in_brackets(title: str) -> str:
    return f" ({one_line(title)})" if title else ""
