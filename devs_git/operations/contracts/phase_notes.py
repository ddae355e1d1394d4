"""The notes of active tasks after a phase changed: the git hooks copy the phase in them into commits."""

from __future__ import annotations

from contextlib import suppress

from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.domain.ledger.history import History
from devs_git.errors import DevsError
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS
from devs_git.storage.git import locks
from devs_git.storage.git.places import Places, worktrees
from devs_git.storage.worktree import active_task
from devs_git.values import replace
from devs_git.workspace import Workspace


def refresh(workspace: Workspace, history: History) -> None:
    """Write the present phase into the note of each worktree's active task.

    A worktree that another command works in for long keeps its note: that command must not fail, and a note only says what
    later commits tell of their phase.
    """
    for places in worktrees(workspace.store_git, workspace.places.common):
        if active_task.read(places):
            with suppress(DevsError), locks.hold(places.lock, wait=BUSY_SECONDS):
                _refresh(places, history)


def _refresh(places: Places, history: History) -> None:
    lines = active_task.read(places)
    work = work_of(lines)
    task = history.tasks.get(work.task) if work else None
    if work and task and lines != (new := replace(work, phase=history.phase_of(task)).lines()):
        active_task.write(places, new)
