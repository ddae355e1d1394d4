"""Moves that carry local changes along, as `git switch` does: checkout and restore.

git merges the index from one tree to another and refuses where a local change is in the way; we ask it first on
private copies, so that a refusal has written nothing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.engine import obstacles, theirs, tree
from devs_git.storage.engine.capture import Capture, State, copy_index, git_words
from devs_git.storage.engine.site import Site
from devs_git.storage.git_program import Git, GitFailed, split_z
from devs_git.storage.objects import EMPTY_TREE
from devs_git.storage.private_index import private
from devs_git.values import immutable, replace


@immutable
class Carried:
    """The two states that a carrying move goes between, and the trees that git merges on the way."""

    old: State
    new: State
    trees: tuple[str, str]


def prepare(site: Site, folder: Path, head: tuple[str, str], target: str, refusal: str) -> Carried:
    """Lay out the private index in `folder` and work out both sides of moving from `head` to the tree `target`.

    `head` is (oid, branch). Raises `refusal` with git's reason where a local change or an untracked file is in the way.
    """
    for name in ("index", "index.user", "index.old"):
        (folder / name).unlink(missing_ok=True)
        copy_index(site.git, folder / name)
    own = private(site.git, folder / "index")
    before = own.text("write-tree", "--missing-ok")
    trees = (head[0] or EMPTY_TREE, target)
    _refuse_staged(own, trees, refusal)
    merged = _merged(site, folder, trees, refusal)
    touched = tree.changes(site.git, before, merged)
    folders = tree.submodules_made(site.git, before, merged)
    files = [path for path in folders if not (site.top / path).is_dir()]
    _refuse_obstacles(site, touched, files, refusal)
    try:
        tree.read_tree(site.git, folder / "index", trees, dry=True)
    except GitFailed as error:
        raise DevsError(
            refusal, f"git said: {git_words(error)}", hint="Commit, stash or move the changes."
        ) from error
    raw = Capture(site.git, site.places, site.objects, folder).raw([change.path for change in touched])
    old = State(*head, before, before, raw)
    return Carried(old, State(*head, merged, merged), trees)


def _refuse_staged(own: Git, trees: tuple[str, str], refusal: str) -> None:
    """Refuse where a file is staged at, above or below a path that becomes a folder, or a file, on the way.

    git drops such a file without a word (measured: `git switch`, `read-tree -m -u`), from the index and from the disk.
    """
    options = ("-z", "--name-only", "--diff-filter=d", "--no-renames", "--ita-visible-in-index")
    staged = split_z(own.run("diff-index", "--cached", *options, trees[0], "--"))
    if not staged:
        return
    moved = {change.path for change in tree.changes(own, *trees)}
    above = {folder for path in moved for folder in theirs.parents(path)}
    lost = [path for path in staged if path in above or not moved.isdisjoint(theirs.parents(path))]
    if lost:
        raise DevsError(
            refusal,
            f"Staged changes are in the way, such as {lost[0]!r}.",
            hint="Commit, stash or unstage them.",
            paths=lost[:100],
        )


def _merged(site: Site, folder: Path, trees: tuple[str, str], refusal: str) -> str:
    """The index's tree after the merge, worked out on a copy and without looking at files."""
    copy = folder / "index.merged"
    if (folder / "index").exists():
        shutil.copy2(folder / "index", copy)
    own = private(site.git, copy)
    try:
        own.run("read-tree", "-m", "-i", *trees)
    except GitFailed as error:
        raise DevsError(
            refusal, f"git said: {git_words(error)}", hint="Commit or unstage what is staged there."
        ) from error
    return own.text("write-tree", "--missing-ok")


def _refuse_obstacles(site: Site, touched: list[tree.Change], folders: list[str], refusal: str) -> None:
    """Refuse for whatever stands where files, or the `folders` of submodules, are to be. A submodule is no file of ours."""
    tracked = {change.path for change in touched if change.old}
    entries: set[str] = set()

    def is_tracked(path: str) -> bool:
        if path in tracked:
            return True
        if not entries:
            lines = split_z(site.git.run("ls-files", "-s", "-z"))
            entries.update(line.split("\t", 1)[1] for line in lines if not line.startswith(tree.SUBMODULE))
        return path in entries

    writes = [*(change.path for change in touched if change.new), *folders]
    found = obstacles.find(site.top, writes, is_tracked)
    if found:
        first = (*found.repositories, *found.special, *found.files)[0]
        raise DevsError(
            refusal,
            f"Untracked files are in the way, such as {first!r}.",
            hint="Move or commit them.",
            paths=[*found.repositories, *found.special, *found.files][:100],
        )


def at(state: State, head: str, branch: str, active: str) -> State:
    """The same trees at another position."""
    return replace(state, head=head, branch=branch, active=active)
