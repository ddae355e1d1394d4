"""The historical point from which a task is forked: a checkpoint, where a task began, or a moment."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.domain.checkpoints.task_states import require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Moment
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.storage.ledger import rewritten_commits, task_files
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class ForkPoint:
    """`name` is `task-10@2` or `moment:` and the whole id. `task_id`: the task that was active there, '' for none.

    `tag`: of the checkpoint, '' for none. `moment`: None if the point is no moment.
    """

    name: str
    commit: str
    created_at: str
    task_id: str
    tag: str = ""
    moment: Moment | None = None


def find(workspace: Workspace, target: str) -> ForkPoint:
    """The point with this name; TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, NO_CHECKPOINT, MOMENT_NOT_FOUND, HISTORY_REWRITTEN."""
    if names.is_name(target):
        from devs_git.operations.moments import resolve_moment

        return _of_moment(workspace, resolve_moment.resolve(workspace, target))
    wanted = ids.parse_target(target)
    point = named_checkpoint.confirm(workspace.store_git, workspace.ledger.require(), wanted)
    return _of_checkpoint(point) if wanted.number == 0 else _recorded(workspace, point)


def newest_until(workspace: Workspace, task_id: str, time: str) -> ForkPoint:
    """The newest checkpoint of a task, or moment made while it was active, that is not after a time (a stamp).

    TASK_NOT_FOUND; CHECKPOINT_NOT_FOUND if there is none.
    """
    history = task_files.history_here(workspace.ledger.require(), task_id)
    task = require_task(history, task_id, then="List all: devs-git log")
    moment = _newest_moment(workspace, task_id, time)
    point = max(_until(history, task_id, time), key=lambda one: one.created_at, default=None)
    if moment and (point is None or moment.created_at > point.created_at):
        return _of_moment(workspace, moment)
    if point:
        return _recorded(workspace, point)
    if task.started_at <= time:
        return find(workspace, f"{task_id}@0")
    raise DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"{task_id} began only at {task.started_at}.",
        hint=f"See its checkpoints and moments: devs-git log --moments --task {task_id}",
        task_id=task_id,
    )


def _until(history: History, task_id: str, time: str) -> Iterator[Checkpoint]:
    return (one for one in history.of_task(task_id) if one.created_at <= time and not one.gone)


def _newest_moment(workspace: Workspace, task_id: str, time: str) -> Moment | None:
    from devs_git.operations.moments import moment_rows

    found = moment_rows.newest_first(workspace, moment_rows.MomentFilter(task=task_id))
    return next((one.moment for one in found if one.moment.created_at <= time), None)


def _recorded(workspace: Workspace, point: Checkpoint) -> ForkPoint:
    rewritten_commits.require(workspace.store_git, point)
    return _of_checkpoint(point)


def _of_checkpoint(point: Checkpoint) -> ForkPoint:
    return ForkPoint(point.name, point.commit, point.created_at, point.task_id, point.tag)


def _of_moment(workspace: Workspace, moment: Moment) -> ForkPoint:
    from devs_git.storage.moments import read_moments
    from devs_git.storage.worktree import active_task

    state, _details = read_moments.look_up(workspace.objects, moment.id)
    task_id = active_task.task_of(state.active)
    return ForkPoint(f"{names.PREFIX}{moment.id}", state.head, moment.created_at, task_id, moment=moment)
