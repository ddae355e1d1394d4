"""`task abandon`: give an active task up. Its id stays taken, and its checkpoints can be returned to.

With `rewind`, the files go back to where the task began, by a rewind whose event says that the task is abandoned. So both
happen, or neither, and `undo` takes both back.
"""

from __future__ import annotations

from typing import Any

from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.checkpoints.task_activity import task_of
from devs_git.domain.checkpoints.task_states import no_active_task, require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_tasks import TaskAbandoned
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import Task
from devs_git.domain.ledger.task_standing import ABANDONED
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import other_worktrees
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS
from devs_git.operations.rewind import go_back
from devs_git.operations.rewind.rewind_plan import RewindPlan
from devs_git.storage.git import locks
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, move_tree
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

NAME = "task abandon"


@immutable
class Request(VerbRequest):
    """`task_id`: None for the active task. `rewind`: go back to where it began, too, with the options of a rewind."""

    task_id: str | None = None
    rewind: bool = False
    preserve: str | None = None
    untracked: str | None = None
    plan_id: str | None = None
    dry_run: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        if self.task_id is not None:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        for name in ("preserve", "untracked", "dry_run", "force"):
            if getattr(self, name) and not self.rewind:
                raise invalid(name, f"{name} needs --rewind: without it, no file is moved.")
        require_untracked_mode(self.untracked)
        preserve_mode(self.preserve)


@immutable
class Result(VerbResult):
    """`checkpoints`: those to which one can return, the newest last. `rewind`: what the rewind did, or would do; None without one."""

    task_id: str
    title: str
    status: str
    checkpoints: tuple[str, ...]
    event: str = ""
    rewind: go_back.Plan | go_back.Result | None = None
    plan_id: str = ""
    blocked_by: tuple[dict[str, Any], ...] = ()


def find(workspace: Workspace, request: Request) -> Task:
    """The task; TASK_NOT_FOUND if there is none."""
    task_id = request.task_id or task_of(active_task.read(workspace.places))
    if not task_id:
        raise no_active_task()
    return require_task(task_files.history_here(workspace.ledger.require(), task_id), task_id)


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND; CONFLICT for a task that is not active; TASK_ACTIVE for one of another worktree; the codes of a rewind."""
    task = find(workspace, request)
    _require_active(task)
    other_worktrees.require_not_active(workspace, task.task_id, "Abandon it there.")
    return _with_rewind(workspace, request, task) if request.rewind else _abandon(workspace, task.task_id)


def _require_active(task: Task) -> None:
    if task.status == "active":
        return
    hint = "" if task.status != "completed" else f"To undo it: devs-git drop {task.task_id}"
    raise DevsError(
        "CONFLICT",
        f"{task.task_id} is {task.status}. Only an active task can be abandoned.",
        hint=hint,
        task_id=task.task_id,
    )


def _abandon(workspace: Workspace, task_id: str) -> Result:
    content = TaskAbandoned(task_id, workspace.new_id(NAME, task_id))
    result = Result(task_id, "", ABANDONED, ())

    def build(tip: Tip) -> Draft:
        nonlocal result
        history = task_files.history_here(tip, task_id)
        task = require_task(history, task_id)
        # Another process may have completed it meanwhile.
        _require_active(task)
        points = tuple(point.name for point in history.of_task(task_id) if point.live)
        result = replace(result, title=task.title, checkpoints=points)
        return Draft(workspace.event_of(content, f"task: abandon {task_id}", verb_name=NAME))

    with locks.hold(workspace.places.lock, wait=BUSY_SECONDS):
        event = workspace.append(build)
        if task_of(active_task.read(workspace.places)) == task_id:
            active_task.write(workspace.places, "")
    return replace(result, event=event.oid)


def _with_rewind(workspace: Workspace, request: Request, task: Task) -> Result:
    """Go back to before the task. The event of the rewind says that the task is abandoned."""
    _require_here(workspace, task)
    options = Options(f"{task.task_id}^", preserve_mode(request.preserve), None, request.untracked)
    wanted = go_back.CodeRequest(options, request.dry_run, request.plan_id)
    at_work = _at_work(workspace, request)
    with move_tree.translate_failures("GIT_RESET_FAILED"):
        if request.dry_run:
            plan = go_back.preview(workspace, wanted)
            against = (*plan.blocked_by, *(error.envelope() for error in at_work))
            plan = replace(plan, blocked_by=against)
            return Result(
                task.task_id,
                task.title,
                ABANDONED,
                (),
                rewind=plan,
                plan_id=plan.plan_id,
                blocked_by=against,
            )
        with move_tree.worktree_lock(workspace.site, alone=True) as site:
            # Another process may have completed it meanwhile.
            _require_active(find(workspace, replace(request, task_id=task.task_id)))
            moves = _given_up(go_back.make_plan(workspace, site, wanted), task.task_id)
            for error in at_work:
                raise error
            result = go_back.rewind(workspace, site, wanted, moves, go_back.Cause(NAME))
    go_back.note_what_is_back(workspace, result)
    event = _event_of(workspace, result.rewind_id)
    return Result(task.task_id, task.title, ABANDONED, (), event=event, rewind=result)


def _event_of(workspace: Workspace, op_id: str) -> str:
    """The event of an operation that was just carried out. Others may have been written after it."""
    events = workspace.ledger.newest_first()
    return next((event.oid for event in events if event.op_id == op_id), "")


def _require_here(workspace: Workspace, task: Task) -> None:
    if task.worktree != workspace.places.worktree_id:
        raise DevsError(
            "TASK_ACTIVE",
            f"{task.task_id} was started in another worktree ({task.worktree}), whose files are not here.",
            hint="Abandon it there, or without --rewind.",
            task_id=task.task_id,
            worktree=task.worktree,
        )


def _given_up(plan: RewindPlan, task_id: str) -> RewindPlan:
    """The plan after which the task is abandoned, and not rewound: then its id would be free again."""
    others = tuple(pair for pair in plan.effect.statuses if pair[0] != task_id)
    return replace(plan, effect=replace(plan.effect, statuses=(*others, (task_id, ABANDONED))))


def _at_work(workspace: Workspace, request: Request) -> list[DevsError]:
    """TASK_RUNNING if another session is at work here. The module is imported only where a client has worked."""
    if request.force or not (workspace.places.own / "turns").is_dir():
        return []
    from devs_git.operations.sessions import running_sessions

    return running_sessions.in_worktree(workspace, workspace.places)
