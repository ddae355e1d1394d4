"""Where the code of a task stands, and what changed there since a point."""

from __future__ import annotations

import os

from devs_git.domain.resume.bundle import BundleChanges, BundleCode, BundleFile, BundleStats
from devs_git.storage.git import worktree_status
from devs_git.storage.git.comparisons import differences
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.places import Places, worktrees
from devs_git.storage.git.program import REPOSITORY_VARIABLES, GitFailed
from devs_git.storage.git.worktree_status import TreeState
from devs_git.storage.worktree import active_task
from devs_git.values import replace
from devs_git.workspace import Workspace

_NOTHING = BundleStats(0, 0, 0)


def places_of(workspace: Workspace, worktree: str, task_id: str = "") -> Places | None:
    """The worktree in which the task is active, else the one with this name; None if it is gone."""
    notes = active_task.everywhere(workspace.places) if task_id else {}
    name = next((name for name, lines in notes.items() if active_task.task_of(lines) == task_id), worktree)
    if workspace.places.worktree_id == name and workspace.places.top:
        return workspace.places
    every = worktrees(workspace.store_git, workspace.places.common)
    return next((one for one in every if one.worktree_id == name), None)


def read(
    workspace: Workspace, places: Places | None, since: str, name: str, last: str
) -> tuple[BundleCode, BundleChanges]:
    """The state of a worktree, and its changes since the commit `since`, which is called `name`.

    `last`: the commit of the newest checkpoint, for a worktree that is gone.
    """
    if places is None:
        return BundleCode(last, "", "", dirty=False), BundleChanges(name, (), _NOTHING)
    there = workspace if places == workspace.places else replace(workspace, places=places)
    git = there.git if places == workspace.places else replace(there.git, unset=REPOSITORY_VARIABLES)
    with worktree_status.read_alongside(git) as answer:
        state = answer()
    dirty = bool(state.staged or state.unstaged or state.untracked or state.unmerged)
    code = BundleCode(
        state.head, state.branch, os.path.relpath(there.top, workspace.places.common.parent), dirty
    )
    try:
        found = differences.changes(git, since or EMPTY_TREE, "", renames=not state.not_told)
    except GitFailed:
        # The commit is not here any more, or git would need a filter that the repository names.
        found = ()
    return code, _changes(name, found, state)


def _changes(name: str, found: tuple[differences.Change, ...], state: TreeState) -> BundleChanges:
    unsure = {file.path for file in state.not_told}
    known = [one for one in found if one.path not in unsure]
    files = (
        *(BundleFile(one.path, one.action, one.additions, one.deletions) for one in known),
        *(BundleFile(path, "untracked", 0, 0) for path in state.untracked),
    )
    added, deleted = sum(one.additions for one in known), sum(one.deletions for one in known)
    return BundleChanges(name, files, BundleStats(len(files), added, deleted))
