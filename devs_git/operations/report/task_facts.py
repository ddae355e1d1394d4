"""The tasks of a report: each with its checkpoints, its changed files and the beginning of its patch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from devs_git.domain.ledger import resolve
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.report.facts import ChangedFile, Difference, Point, Task
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import compared_states
from devs_git.operations.checkpoint.compared_states import Side
from devs_git.storage.git.comparisons import differences, patches
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed
from devs_git.values import replace
from devs_git.workspace import Workspace

_NO_CHECKPOINT: Final = "It has no checkpoint, so nothing of its work is recorded."
_GONE: Final = "Its commits are no longer kept."
_MISSING: Final = "git cannot compare its commits: an object is missing here. See: git fsck"
_OLD_NAME: Final = "@0"


def by_task(history: History) -> dict[str, list[Checkpoint]]:
    """The checkpoints of each task, from one pass over all."""
    found: dict[str, list[Checkpoint]] = {}
    for point in history.checkpoints.values():
        found.setdefault(point.task_id, []).append(point)
    return found


def read(
    workspace: Workspace, history: History, task_id: str, points: Sequence[Checkpoint], most: int
) -> Task:
    """One task. Of its patch at most `most` bytes are read. `points` are its checkpoints."""
    task = history.tasks[task_id]
    # Its checkpoints alone: whoever asks for those of one task would look through all.
    own = replace(history, checkpoints={point.tag: point for point in points})
    return Task(
        task_id=task_id,
        title=task.title,
        status=task.status,
        contract=task.contract,
        phase=history.phase_of(task),
        agent=task.agent,
        actor=task.actor,
        parent=task.parent,
        forked_from=task.forked_from,
        started_at=task.started_at,
        points=tuple(_point(point) for point in points),
        difference=_difference(workspace, own, task_id, most),
    )


def _point(point: Checkpoint) -> Point:
    recorded = point.live and not point.completed
    return Point(
        name=point.name,
        message=point.message,
        status="recorded" if recorded else point.status,
        commit=point.commit,
        branch=point.branch,
        at=point.created_at,
        files_changed=point.files_changed,
        additions=point.lines_added,
        deletions=point.lines_removed,
    )


def _difference(workspace: Workspace, own: History, task_id: str, most: int) -> Difference:
    point = resolve.newest(own, task_id)
    if not point:
        return Difference(missing=_GONE if own.checkpoints else _NO_CHECKPOINT)
    git = workspace.git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    try:
        before = compared_states.begin(workspace, git, own, point)
        return _compare(git, before, point, most, whole=own.completion(task_id) == point)
    except (GitFailed, DevsError):
        return Difference(missing=_MISSING)


def _compare(git: Git, before: Side, point: Checkpoint, most: int, *, whole: bool) -> Difference:
    changed = differences.changes(git, before.commit, point.commit)
    patch, cut = patches.read_beginning(git, before.commit, point.commit, most)
    files = (
        ChangedFile(one.path, one.old_path, one.action, one.additions, one.deletions, one.binary)
        for one in changed
    )
    command = _command(before, point, whole=whole)
    text = patch.decode("utf-8", "replace")
    return Difference(before.name, point.name, tuple(files), text, cut, command)


def _command(before: Side, point: Checkpoint, *, whole: bool) -> str:
    """The command that prints the whole patch. Only a completed task is compared by its own name."""
    if whole:
        return f"devs-git diff {point.task_id}"
    if before.commit == EMPTY_TREE:
        return f"git diff {EMPTY_TREE} {point.commit}"
    known = before.name if before.name.endswith(_OLD_NAME) else before.commit
    return f"devs-git diff {point.name} --against {known}"
