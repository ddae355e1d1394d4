"""Moves that keep local changes, as `git switch` does: checkout and restore.

git merges the index from one tree to another, and refuses if a local change is in the way. We let git try it first on
private copies of the index, so that a refusal has not written anything.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError, Reason, immovable
from devs_git.storage.git.objects import EMPTY_TREE, GITLINK
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import attributes, file_state, missing_objects, obstacles, tree_difference
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import Capture, copy_index, git_words
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.survey import Head
from devs_git.values import immutable, replace

_STAGED: Final = ("-z", "--name-only", "--no-renames", "--ita-visible-in-index")


@immutable
class CarryPlan:
    """The states before and after the move, the two trees that git merges the index with, and how the files looked."""

    old: State
    new: State
    trees: tuple[str, str]
    file_states: FileStates
    blobs: Mapping[str, str]


def prepare(site: Site, folder: Path, head: Head, target: str, refusal: str) -> CarryPlan:
    """Prepare the move from `head` to the tree `target`: write the private index into `folder`, and compute both states.

    Raises the code `refusal` with the paths if a local change or an untracked file is in the way.
    """
    for name in ("index", "index.user", "index.old"):
        (folder / name).unlink(missing_ok=True)
        copy_index(site.git, folder / name)
    own = private(site.git, folder / "index")
    before = own.text("write-tree", "--missing-ok")
    trees = (head.commit or EMPTY_TREE, target)
    _refuse_staged(own, trees, refusal)
    merged = _merge_index(site, folder, trees, refusal)
    touched, folders = tree_difference.differences(site.git, before, merged)
    files = [path for path in folders.made if not (site.top / path).is_dir()]
    _refuse_obstacles(site, touched, files, refusal)
    blobs = {change.path: change.old for change in touched if change.old}
    seen = file_state.look(os.fspath(site.top), blobs)
    try:
        tree_difference.check_move(site.git, folder / "index", *trees)
    except GitFailed as error:
        edited = split_z(own.run("diff-files", "-z", "--name-only", "--ignore-submodules", "--"))
        raise _merge_refusal({change.path for change in touched}, edited, error, refusal) from error
    off = {path: blobs[path] for path, one in seen.files.items() if one.oid != blobs[path]}
    _refuse_edited(site, folder, off, refusal)
    raw = Capture(site.git, site.places, site.objects, folder).raw(off)
    there = _without(own, folder, _deleted_by_user(site, touched))
    old = State(head.commit, head.branch, before, there or before, raw, modes=seen.modes)
    return CarryPlan(old, State(head.commit, head.branch, merged, merged), trees, seen.files, blobs)


def _deleted_by_user(site: Site, touched: Iterable[tree_difference.Change]) -> list[str]:
    """The files that a person deleted only on the disk. If the move is taken back, they must not come back."""
    if attributes.is_sparse(site.git):
        return []
    gone = (c.path for c in touched if c.old and c.old_mode != GITLINK)
    return [path for path in gone if not os.path.lexists(f"{site.top}/{path}")]


def _without(own: Git, folder: Path, paths: Sequence[str]) -> str:
    """The tree of the index without these files; '' for no files."""
    if not paths:
        return ""
    copy = folder / "index.there"
    shutil.copy2(folder / "index", copy)
    there = private(own, copy)
    there.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(paths))
    return there.text("write-tree", "--missing-ok")


def _refuse_edited(site: Site, folder: Path, off: Mapping[str, str], refusal: str) -> None:
    """Refuse if a file was edited and its times did not change: git calls it unchanged, and would overwrite it."""
    if not off:
        return
    own = private(site.git, folder / "index")
    clean = attributes.clean_oids(own, list(off))
    edited = {path: blob for path, blob in off.items() if clean.get(path) != blob}
    if lost := sorted(edited.keys() - attributes.find_inexact(own, site.top, edited)):
        raise _changes_refusal(lost, refusal)


def _refuse_staged(own: Git, trees: tuple[str, str], refusal: str) -> None:
    """Refuse if a staged file is above or below a path that the move changes: one of the two would become a folder.

    git deletes such a file from the index and the disk without a warning (measured: `git switch`, `read-tree -m -u`).
    """
    staged = split_z(own.run("diff-index", "--cached", "--diff-filter=d", *_STAGED, trees[0], "--"))
    if not staged:
        return
    moved = {change.path for change in tree_difference.changes(own, *trees)}
    above = {folder for path in moved for folder in tree_difference.parents(path)}
    lost = [path for path in staged if path in above or not moved.isdisjoint(tree_difference.parents(path))]
    if lost:
        raise _changes_refusal(lost, refusal, "Staged")


def _merge_refusal(moving: set[str], changed: Iterable[str], error: GitFailed, refusal: str) -> DevsError:
    """The refusal for local changes at paths that are to move. git names only the first one, so we list them."""
    found = sorted(moving.intersection(changed)) or re.findall(r"'(.+?)'", error.stderr)
    if not found:
        words = f"git said: {git_words(error)}"
        return missing_objects.refusal_from_git(error, refusal) or immovable(
            "git_failed", words, code=refusal
        )
    return _changes_refusal(found, refusal)


def _changes_refusal(paths: Sequence[str], refusal: str, kind: str = "Local") -> DevsError:
    return immovable(
        "dirty",
        f"{kind} changes are in the way, such as {paths[0]!r} ({len(paths)} in all).",
        code=refusal,
        hint="Commit them, or stash them: git stash push",
        paths=list(paths[:100]),
    )


def _merge_index(site: Site, folder: Path, trees: tuple[str, str], refusal: str) -> str:
    """The tree of the index after the merge. git merges a copy, and does not look at files."""
    copy = folder / "index.merged"
    if (folder / "index").exists():
        shutil.copy2(folder / "index", copy)
    own = private(site.git, copy)
    try:
        own.run("read-tree", "-m", "-i", *trees)
    except GitFailed as error:
        moving = {change.path for change in tree_difference.changes(own, *trees)}
        staged = split_z(own.run("diff-index", "--cached", *_STAGED, trees[0], "--"))
        other = split_z(own.run("diff-index", "--cached", *_STAGED, trees[1], "--"))
        raise _merge_refusal(moving.intersection(other), staged, error, refusal) from error
    return own.text("write-tree", "--missing-ok")


def _refuse_obstacles(
    site: Site, touched: list[tree_difference.Change], folders: list[str], refusal: str
) -> None:
    """Refuse if something is in the way of files, or of the `folders` of submodules.

    A submodule does not count as a tracked file.
    """
    tracked = {change.path for change in touched if change.old}
    entries: set[str] = set()

    def is_tracked(path: str) -> bool:
        if path in tracked:
            return True
        if not entries:
            lines = split_z(site.git.run("ls-files", "-s", "-z"))
            entries.update(
                line.split("\t", 1)[1] for line in lines if not line.startswith(tree_difference.SUBMODULE)
            )
        return path in entries

    writes = [*(change.path for change in touched if change.new), *folders]
    found = obstacles.find(site.top, writes, is_tracked)
    if found:
        raise _obstacle_refusal(found, refusal)


def _obstacle_refusal(found: obstacles.Obstacles, refusal: str) -> DevsError:
    reason: Reason = "untracked_in_the_way"
    what, hint = "Untracked files are", "Move or commit them."
    if found.repositories:
        reason, what, hint = "nested_repository", "Nested repositories are", "Move them to another place."
    elif found.special:
        reason, what, hint = "special_file", "Sockets, pipes or devices are", "Move them to another place."
    paths = [*found.repositories, *found.special, *found.files]
    words = f"{what} in the way, such as {paths[0]!r}."
    return immovable(reason, words, code=refusal, hint=hint, paths=paths[:100])


def at_position(state: State, head: str, branch: str, active: str) -> State:
    """The same trees with another HEAD, branch and active task."""
    return replace(state, head=head, branch=branch, active=active)
