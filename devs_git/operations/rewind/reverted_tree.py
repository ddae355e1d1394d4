"""The tree of HEAD without the changes of one task: git merges trees, and no file of the worktree is touched."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from devs_git.domain.checkpoints.task_commits import Run, TaskCommit, require_droppable, runs
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.errors import DevsError, immovable
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, split_z
from devs_git.storage.ledger import lines_of_work

_FORMAT: Final = f"%H%n%T%n%P%n%(trailers:key={TrailerKey.TASK},valueonly,unfold)"
_SIGN: Final = "devs-git <devs-git@localhost> 0 +0000"
_CONFLICT: Final = 1
_UNKNOWN_OPTION: Final = 129


def find_commits(
    git: Git, head: str, task_id: str, drops: Collection[tuple[str, str]]
) -> tuple[TaskCommit, ...]:
    """The commits with the trailer of the task that HEAD reaches, newest first; CONFLICT if one cannot be dropped alone.

    `drops`: earlier drops of the task. What one of them took back is not taken back again.
    """
    # A task is named with and without its prefix.
    name = ids.bare(task_id).replace("\\", "\\\\").replace(".", "\\.")
    words = (
        "--topo-order",
        "-E",
        "-i",
        f"--grep=^{TrailerKey.TASK}: *(task-)?{name} *$",
        # Anybody may have written a trailer. It is one line and has no NUL, so it cannot pose as another commit.
        "-z",
        f"--format={_FORMAT}",
    )
    since = [f"^{oid}" for drop in drops if (oid := lines_of_work.commit_of_drop(git, head, drop))]
    out = git.run("log", "--no-show-signature", "--no-color", *words, head, *since, "--")
    found = map(_commit, split_z(out))
    commits = tuple(one for one in found if task_id in one.tasks)
    require_droppable(task_id, commits)
    return commits


def _commit(text: str) -> TaskCommit:
    oid, tree, parents, *tasks = text.split("\n")
    return TaskCommit(
        oid, tree, tuple(parents.split()), tuple(dict.fromkeys(filter(None, map(_task, tasks))))
    )


def _task(text: str) -> str:
    """The canonical id; '' for a text that is no id. Anybody may have written the commit."""
    try:
        return ids.task_id(text.strip())
    except DevsError:
        return ""


def write(git: Git, head_tree: str, commits: Sequence[TaskCommit], task_id: str) -> str:
    """The tree without the changes of the commits; CONFLICT{paths} if later changes are in the way.

    git writes the objects of the tree. It runs no merge driver of the configuration: a file with one is a conflict where
    both sides changed it.
    """
    plain = git.with_config("merge.renormalize=false", "merge.directoryRenames=false", *_drivers_off(git))
    tree, paths = head_tree, list[str]()
    for run in runs(commits):
        tree, conflicts = _merge(plain, run, tree)
        paths += conflicts
        if conflicts:
            break
    if paths:
        raise _conflict(task_id, sorted(set(paths)))
    return tree


def _drivers_off(git: Git) -> list[str]:
    status, out = git.attempt(
        "config", "-z", "--name-only", "--get-regexp", r"^merge\..*\.driver$", ok=(0, 1)
    )
    return [] if status else [f"{name}=false" for name in split_z(out)]


def _merge(git: Git, run: Run, tree: str) -> tuple[str, list[str]]:
    """The tree without the changes of one run, and the paths with conflicts."""
    before = git.text("rev-parse", f"{run.before}^{{tree}}") if run.before else EMPTY_TREE
    # git older than 2.40 takes no base, so three commits give it one: both sides have the newest tree as their parent.
    base = _commit_of(git, run.newest)
    sides = _commit_of(git, tree, base), _commit_of(git, before, base)
    words = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")
    status, out = git.attempt(*words, *sides, ok=(0, _CONFLICT, _UNKNOWN_OPTION))
    if status == _UNKNOWN_OPTION:
        raise immovable("git_failed", "A drop needs git 2.38 or newer.", hint="Install a newer git.")
    result, *paths = split_z(out)
    return result, paths if status == _CONFLICT else []


def _commit_of(git: Git, tree: str, *parents: str) -> str:
    lines = "".join(f"parent {oid}\n" for oid in parents)
    text = f"tree {tree}\n{lines}author {_SIGN}\ncommitter {_SIGN}\n\nA step of a drop\n"
    return git.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode()).decode().strip()


def _conflict(task_id: str, paths: list[str]) -> DevsError:
    return DevsError(
        "CONFLICT",
        f"Later changes depend on {task_id} in {paths[0]!r} ({len(paths)} in all). Nothing was changed.",
        hint=f"Drop the later task first, or revert by hand: git log --grep='{TrailerKey.TASK}: {task_id}'",
        paths=paths[:1000],
    )


def changed_files(git: Git, before: str, after: str) -> dict[str, tuple[str, ...]]:
    """The paths that differ between two trees, as `added`, `modified` and `deleted`."""
    words = ("diff-tree", "-r", "-z", "--name-status", "--no-renames", before, after, "--")
    out = split_z(git.run(*words))
    found: dict[str, list[str]] = {"added": [], "modified": [], "deleted": []}
    for status, path in zip(out[::2], out[1::2], strict=True):
        found[{"A": "added", "D": "deleted"}.get(status[0], "modified")].append(path)
    return {kind: tuple(paths) for kind, paths in found.items()}
