"""The commits of one task on a branch, and in which order they are taken back."""

from __future__ import annotations

from collections.abc import Sequence

from devs_git.errors import DevsError
from devs_git.values import immutable

_SHOWN = 5


@immutable
class TaskCommit:
    """A commit with the trailer of a task. `tasks`: all tasks that its trailers name; a squash may name several."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    tasks: tuple[str, ...]


@immutable
class Run:
    """Commits of which each is the parent of the one before. They are taken back in one step, so that they cannot conflict
    with each other.

    `newest`: the tree of the newest commit. `before`: the parent of the oldest one, '' for a first commit.
    """

    newest: str
    before: str


def require_droppable(task_id: str, commits: Sequence[TaskCommit]) -> None:
    """CONFLICT{commits} if a commit is a merge or belongs to another task, too."""
    merges = [one.oid for one in commits if len(one.parents) > 1]
    if merges:
        raise DevsError(
            "CONFLICT",
            f"Merge commits belong to {task_id}, and git cannot tell which side of a merge to take back: {_shown(merges)}.",
            hint=f"Revert it by hand, and say which parent stays: git revert -m 1 {merges[0][:12]}",
            commits=merges,
        )
    shared = [one for one in commits if set(one.tasks) != {task_id}]
    if shared:
        other = next(task for task in shared[0].tasks if task != task_id)
        raise DevsError(
            "CONFLICT",
            f"A commit has work of {task_id} and of {other}: {_shown([one.oid for one in shared])}.",
            hint=f"See what it changes: git show {shared[0].oid[:12]}",
            commits=[one.oid for one in shared],
        )


def _shown(oids: Sequence[str]) -> str:
    more = f" and {len(oids) - _SHOWN} more" if len(oids) > _SHOWN else ""
    return ", ".join(oid[:12] for oid in oids[:_SHOWN]) + more


def runs(newest_first: Sequence[TaskCommit]) -> tuple[Run, ...]:
    """The commits as runs, the newest first. No commit is a merge."""
    groups: list[list[TaskCommit]] = []
    for commit in newest_first:
        if groups and groups[-1][-1].parents == (commit.oid,):
            groups[-1].append(commit)
        else:
            groups.append([commit])
    return tuple(Run(group[0].tree, "".join(group[-1].parents)) for group in groups)
