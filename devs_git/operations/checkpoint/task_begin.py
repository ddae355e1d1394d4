"""Where a task began: `task-10@0`, the commit of HEAD when it was started. No checkpoint is recorded there."""

from __future__ import annotations

from devs_git.domain.checkpoints.task_states import require_task
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import rewritten_commits


def find(git: Git, history: History, task_id: str) -> Checkpoint:
    """Where a task began, as a checkpoint without a tag.

    TASK_NOT_FOUND; CHECKPOINT_NOT_FOUND if there was no commit yet, or it is gone.
    """
    # Who names a state of a task does not want to start it.
    task = require_task(history, task_id, then="List all: devs-git log")
    points = history.of_task(task_id)
    # Events of early versions do not say on which commit a task was started.
    begin = task.started_on or (f"{points[0].commit}^" if points else "")
    commit = refs.commit_of(git, begin) if begin else ""
    if not commit:
        raise _nowhere(task.task_id)
    return Checkpoint(
        task_id=task.task_id,
        number=0,
        tag="",
        commit=commit,
        tree=rewritten_commits.trees(git, [commit])[commit],
        branch="",
        worktree=task.worktree,
        message="",
        files_changed=0,
        lines_added=0,
        lines_removed=0,
        created_at=task.started_at,
        completed=False,
        event="",
    )


def _nowhere(task_id: str) -> DevsError:
    return DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"The commit on which {task_id} began is not known: there was none yet, or it is gone.",
        hint="List its checkpoints: devs-git log",
        task_id=task_id,
    )
