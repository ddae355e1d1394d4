"""Writes down what shows that a loss was made good, and looks whether it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from devs_git.domain.moments.loss import Loss
from devs_git.storage.git import refs
from devs_git.storage.git.objects import EXECUTABLE, LINK
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed, split_z
from devs_git.storage.moments.loss_facts import NOT_GONE, Kept
from devs_git.storage.moments.loss_note import PATHS, NotedLoss, Watched
from devs_git.storage.worktree import file_state
from devs_git.values import Final

_COMMITS: Final = 20


def note_of(git: Git, before: Kept, loss: Loss, watched: Watched) -> NotedLoss:
    """The loss as it is written down, without its time and its sentence."""
    files = _entries(git, before.state.worktree, loss.files)
    files |= _entries(git, before.details.ignored, loss.ignored)
    branches = {name: before.details.branches[f"refs/heads/{name}"] for name in loss.branches}
    commits = tuple(one.partition(" ")[0] for one in loss.commits[:_COMMITS])
    staged = _entries(git, before.state.index, loss.staged)
    return NotedLoss(
        "",
        watched.moment,
        watched.top,
        "",
        files,
        staged,
        commits,
        branches,
        loss.stashes,
        gone=bool(loss.worktree),
    )


def _entries(git: Git, tree: str, paths: tuple[str, ...]) -> dict[str, str]:
    """Mode and oid of some paths of a tree."""
    if not tree or not paths:
        return {}
    out = split_z(git.run("ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths[:PATHS]))
    rows = (line.partition("\t") for line in out)
    return {path: " ".join(head.split(" ")[::2]) for head, _, path in rows}


def is_back(git: Git, loss: NotedLoss) -> bool:
    """Whether all that was lost is there again."""
    try:
        now = refs.list_refs(git, "refs/heads") if loss.branches else {}
        if any(now.get(f"refs/heads/{name}") != oid for name, oid in loss.branches.items()):
            return False
        if loss.stashes and not set(loss.stashes) <= set(refs.stashes(git)):
            return False
        if loss.commits and git.run("rev-list", "-1", *loss.commits, *NOT_GONE):
            return False
        own = Git(Path(loss.top), unset=REPOSITORY_VARIABLES)
        return _files_are_back(own, loss.files) and _are_staged(own, loss.staged)
    except (GitFailed, OSError):
        return False


def _are_staged(own: Git, staged: Mapping[str, str]) -> bool:
    if not staged:
        return True
    rows = (row.partition("\t") for row in split_z(own.run("ls-files", "-s", "-z", "--", *staged)))
    now = {path: head[:47] for head, _, path in rows}
    return all(now.get(path) == entry for path, entry in staged.items())


def _files_are_back(own: Git, files: Mapping[str, str]) -> bool:
    there: dict[str, str] = {}
    for path, entry in islice(files.items(), PATHS):
        mode, oid = entry.split(" ")
        place = own.where / path
        facts = place.lstat()
        if stat.S_ISLNK(facts.st_mode) != (int(mode, 8) == LINK):
            return False
        if stat.S_ISLNK(facts.st_mode):
            target = os.fsencode(place.readlink())
            if file_state.blob_oid((target,), len(target)) != oid:
                return False
            continue
        if bool(facts.st_mode & 0o100) != (int(mode, 8) == EXECUTABLE):
            return False
        there[path] = oid
    if not there:
        return True
    return own.text("hash-object", "--", *there).split() == [*there.values()]
