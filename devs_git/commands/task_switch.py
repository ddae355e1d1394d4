"""`task switch`: make another active task of this worktree the current one, for which commits count from now on.

A worktree can have several active tasks after a rewind: one that was completed is active again, and one that has no
checkpoint yet stays. Only this worktree's note changes then. For a task that was abandoned, the ledger gets an event, too,
which makes it active again: no file of its work was moved when it was given up, and none is moved now.
"""

from __future__ import annotations

from typing import Final

from devs_git.domain.checkpoints import task_activity
from devs_git.domain.checkpoints.task_states import require_live, require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_tasks import TaskReopened
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import Checkpoint, Task
from devs_git.domain.ledger.task_standing import ABANDONED
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import other_worktrees
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS
from devs_git.storage.git import locks
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace

NAME: Final = "task switch"
_AGAIN: Final = "Run the same command again."


@immutable
class Request(VerbRequest):
    """`task_id`: the task that becomes the current one."""

    task_id: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", ids.task_id(self.task_id))


@immutable
class Result:
    """`before`: the task that was the current one, '' for none; it stays active. It is `task_id` if nothing changed.

    `was_abandoned`: the task was given up before, and is active again now.
    """

    task_id: str
    title: str
    before: str
    was_abandoned: bool = False


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND; CONFLICT for a task that is neither active nor abandoned; TASK_ACTIVE for one of another worktree; BUSY."""
    workspace.ledger.require()
    with locks.hold(workspace.places.lock, wait=BUSY_SECONDS):
        history = workspace.ledger.tip().here
        task = require_task(history, request.task_id)
        _require_here(workspace, task)
        _require_work(task, history.of_task(task.task_id))
        if was_abandoned := task.status == ABANDONED:
            _reopen(workspace, task.task_id)
        before = task_activity.task_of(active_task.read(workspace.places))
        if before != task.task_id:
            active_task.write(workspace.places, task_activity.lines_of(history, task))
    return Result(task.task_id, task.title, before, was_abandoned)


def _reopen(workspace: Workspace, task_id: str) -> None:
    """Record that the task is active again; CONFLICT if another process reopened or completed it meanwhile."""
    content = TaskReopened(task_id, workspace.new_id(NAME, task_id))

    def build(tip: Tip) -> Draft:
        status = tip.here.tasks[task_id].status
        if status != ABANDONED:
            raise DevsError("CONFLICT", f"{task_id} is {status} now.", hint=_AGAIN, task_id=task_id)
        return Draft(workspace.event_of(content, f"task: reopen {task_id}", verb_name=NAME))

    workspace.append(build)


def _require_work(task: Task, points: list[Checkpoint]) -> None:
    """CONFLICT for an abandoned task whose work went back: it would be active, and rewound as its checkpoints are."""
    if task.status == ABANDONED and points and not any(point.live for point in points):
        raise DevsError(
            "CONFLICT",
            f"{task.task_id} was abandoned, and its checkpoints were undone.",
            hint="Return from the rewind that undid them: devs-git undo",
            task_id=task.task_id,
        )


def _require_here(workspace: Workspace, task: Task) -> None:
    if task.status != ABANDONED:
        require_live(task.task_id, task.status)
    if task.status not in ("active", ABANDONED):
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
