"""`task switch`: make another active task of this worktree the current one, for which commits count from now on.

A worktree can have several active tasks after a rewind: one that was completed is active again, and one that has no
checkpoint yet stays. The ledger does not change; only this worktree's note does.
"""

from __future__ import annotations

from devs_git.domain.checkpoints import task_activity
from devs_git.domain.checkpoints.task_states import require_live, require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Task
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import other_worktrees
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS
from devs_git.storage.git import locks
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`task_id`: the task that becomes the current one."""

    task_id: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", ids.task_id(self.task_id))


@immutable
class Result:
    """`before`: the task that was the current one, '' for none; it stays active. It is `task_id` if nothing changed."""

    task_id: str
    title: str
    before: str


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND; CONFLICT for a task that is not active; TASK_ACTIVE for one of another worktree; BUSY."""
    workspace.ledger.require()
    with locks.hold(workspace.places.lock, wait=BUSY_SECONDS):
        history = workspace.ledger.tip().here
        task = require_task(history, request.task_id)
        _require_active_here(workspace, task)
        lines = active_task.read(workspace.places)
        before = task_activity.task_of(lines)
        if before != task.task_id:
            active_task.write(workspace.places, task_activity.lines_of(history, task))
    return Result(task.task_id, task.title, before)


def _require_active_here(workspace: Workspace, task: Task) -> None:
    require_live(task.task_id, task.status)
    if task.status != "active":
        raise DevsError(
            "CONFLICT",
            f"{task.task_id} is {task.status}, so it cannot be the current task.",
            hint=f"To work on it again, go back to one of its checkpoints: devs-git show {task.task_id}",
            task_id=task.task_id,
        )
    other_worktrees.require_not_active(workspace, task.task_id, "Work on it there.")
    if task.worktree != workspace.places.worktree_id:
        raise DevsError(
            "TASK_ACTIVE",
            f"{task.task_id} was started in another worktree ({task.worktree}).",
            hint=f"Switch to it there, or go on from its state here: devs-git fork {task.task_id}",
            task_id=task.task_id,
            worktree=task.worktree,
        )
