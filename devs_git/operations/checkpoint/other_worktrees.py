"""Which worktree works on a task: the changes that are staged elsewhere are not its work."""

from __future__ import annotations

from devs_git.errors import DevsError
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace


def require_not_active(workspace: Workspace, task_id: str, then: str) -> None:
    """TASK_ACTIVE if the task is active in another worktree. `then`: the hint."""
    for name, lines in active_task.everywhere(workspace.places).items():
        if active_task.task_of(lines) == task_id and name != workspace.places.worktree_id:
            raise DevsError(
                "TASK_ACTIVE",
                f"{task_id} is active in another worktree ({name}).",
                hint=then,
                task_id=task_id,
                worktree=name,
            )
