"""Which contract a worktree works for."""

from __future__ import annotations

from devs_git.domain.ledger.history import History
from devs_git.errors import invalid
from devs_git.storage.git import refs
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace


def name(workspace: Workspace, history: History) -> str:
    """The contract of the active task, else the one that is named like the branch; INVALID_ARGUMENTS if there is neither."""
    task = history.tasks.get(active_task.task_of(active_task.read(workspace.places)))
    found = task.contract if task else refs.branch(workspace.places.git_dir)
    if not found:
        raise invalid("contract", "HEAD is on no branch and no task is active here, so name a contract.")
    return found
