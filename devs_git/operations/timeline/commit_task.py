"""The task that a commit belongs to, also after a rebase or a squash that no hook saw; and the commit that such a one made."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.operations.timeline.line_commit import Origin
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable

# A squash or a rebase is looked for among so many of the newest checkpoints that changed the file.
_MOST: Final = 500
_PATCH: Final = ("-p", "--root", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent")
By = Literal["checkpoint", "trailer", "tree", "patch", "squash", ""]


@immutable
class CommitTask:
    """A task, the checkpoint that has the change (None if no checkpoint of the task has it), and how they were found."""

    task_id: str = ""
    point: Checkpoint | None = None
    by: By = ""


def find(git: Git, tip: Tip, origin: Origin) -> CommitTask:
    """The task of the commit of a line. The surest sign is looked for first."""
    there = listing.tasks_at(tip, (origin.commit,))
    found = _recorded(listing.of_tasks(tip, *there), origin.commit) if there else None
    return found or _recorded(tip.here, origin.commit) or _guessed(git, tip.here, origin)


def _recorded(history: History, commit: str) -> CommitTask | None:
    points = (point for point in history.checkpoints.values() if point.commit == commit)
    first = next(points, None)
    return CommitTask(first.task_id, first, "checkpoint") if first else None


def _guessed(git: Git, history: History, origin: Origin) -> CommitTask:
    """The task of a commit that is not that of a checkpoint."""
    points = list(history.checkpoints.values())
    tree, patch = git.text("rev-parse", f"{origin.commit}^{{tree}}"), _patch_of(git, origin.commit)
    candidates = _touching(git, points, origin.path)
    named = _named(git, history, origin.commit)
    same_files = [point for point in points if point.tree == tree]
    squashed = _before_the_squash(git, points, same_files, origin)
    if squashed:
        return CommitTask(squashed.task_id, squashed, "tree")
    same_patch = _same_patch(git, candidates, patch)
    if len(named) == 1:
        of_task = [point for point in points if point.task_id == named[0]]
        return CommitTask(named[0], same_patch or _last(of_task), "trailer")
    if same_files:
        return CommitTask(same_files[0].task_id, same_files[0], "tree")
    if same_patch:
        return CommitTask(same_patch.task_id, same_patch, "patch")
    return _squashed(git, history, candidates, patch)


def same_change(git: Git, commit: str) -> str:
    """The commit of HEAD that makes the change of `commit`, or of its whole branch; '' if none is found.

    It is looked for among the newest commits that HEAD has since the branch began and that changed the same file.
    """
    status, out = git.attempt("merge-base", "HEAD", commit, ok=(0, 1, 128))
    base = out.decode().strip()
    if status or base == commit:
        return ""
    # To look for the commits with one file of the change is quick; the patch of each commit would take seconds.
    names = git.run("diff-tree", "--root", "-r", "-z", "--name-only", "--no-commit-id", commit, "--")
    file = os.fsdecode(names.partition(b"\0")[0])
    if not file:
        return ""
    newer = git.run("rev-list", "--no-merges", f"--max-count={_MOST}", f"{base}..HEAD", "--", file)
    wanted = {_patch_of(git, commit, base), _patch_of(git, commit)} - {""}
    patches = git.run("diff-tree", "--stdin", *_PATCH, stdin=newer)
    rows = (row.split() for row in git.run("patch-id", "--stable", stdin=patches).decode().splitlines())
    return next((oid for found, oid in rows if found in wanted), "")


def _before_the_squash(
    git: Git, points: Iterable[Checkpoint], same_files: list[Checkpoint], origin: Origin
) -> Checkpoint | None:
    """The checkpoint from which the line comes in the history that the commit squashed: the commit has the files of the last
    checkpoint of that history, but not its commits. A squash of several tasks names at most the last of them.
    """
    last = _last(same_files)
    if not last:
        return None
    place = ("-L", f"{origin.line},{origin.line}", last.commit, f"^{origin.commit}", "--", origin.path)
    status, out = git.attempt("blame", "--porcelain", "--no-textconv", *place, ok=(0, 128))
    if status or b"\nboundary\n" in out:
        return None
    oid = out.decode("utf-8", "replace").partition(" ")[0]
    return next((point for point in points if point.commit == oid), None)


def _last(points: list[Checkpoint]) -> Checkpoint | None:
    found = [point for point in points if point.live] or points
    return found[-1] if found else None


def _named(git: Git, history: History, commit: str) -> list[str]:
    """The tasks that the message of a commit names in its trailers."""
    form = f"--format=%(trailers:key={TrailerKey.TASK},valueonly)"
    names = git.text("show", "-s", form, commit, "--").split()
    return [name for name in dict.fromkeys(names) if name in history.tasks]


def _touching(git: Git, points: Sequence[Checkpoint], path: str) -> list[Checkpoint]:
    """The checkpoints whose commit changed a file; commits that are no longer here are left out."""
    by_commit = {point.commit: point for point in reversed(points)}
    script = "".join(f"{oid}\n" for oid in by_commit).encode()
    there = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=script)
    known = b"".join(line[:-7] + b"\n" for line in there.splitlines() if line.endswith(b" commit"))
    if not known:
        return []
    words = ("diff-tree", "--stdin", "-r", "--root", "--diff-merges=first-parent", "--name-only")
    out = git.run(*words, "--", path, stdin=known)
    found = [by_commit[oid] for oid in out.decode("utf-8", "replace").split("\n") if oid in by_commit]
    order = {point.tag: at for at, point in enumerate(points)}
    return sorted(found, key=lambda point: order[point.tag])[-_MOST:]


def _patch_of(git: Git, after: str, before: str = "") -> str:
    """The id of a patch, which neither its place nor its message changes; '' for no change."""
    ends = (before, after) if before else (after,)
    patch = git.run("diff-tree", *_PATCH, *ends, "--")
    return git.run("patch-id", "--stable", stdin=patch).decode().partition(" ")[0]


def _same_patch(git: Git, points: Iterable[Checkpoint], patch: str) -> Checkpoint | None:
    """The newest checkpoint whose commit made the same change."""
    by_commit = {point.commit: point for point in points}
    if not patch or not by_commit:
        return None
    script = "".join(f"{oid}\n" for oid in by_commit).encode()
    patches = git.run("diff-tree", "--stdin", *_PATCH, stdin=script)
    rows = (row.split() for row in git.run("patch-id", "--stable", stdin=patches).decode().splitlines())
    return _last([by_commit[oid] for found, oid in rows if found == patch and oid in by_commit])


def _squashed(git: Git, history: History, points: Iterable[Checkpoint], patch: str) -> CommitTask:
    """The task all of whose commits together made the change."""
    for task_id in dict.fromkeys(point.task_id for point in points):
        own = history.of_task(task_id)
        begin = history.tasks[task_id].started_on or f"{own[0].commit}^"
        last = _last(own)
        if patch and last and _exists(git, begin) and _patch_of(git, last.commit, begin) == patch:
            return CommitTask(task_id, last, "squash")
    return CommitTask()


def _exists(git: Git, commit: str) -> bool:
    return git.attempt("cat-file", "-e", f"{commit}^{{commit}}", ok=(0, 1, 128))[0] == 0
