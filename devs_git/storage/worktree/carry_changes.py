"""Moves that keep local changes, as `git switch` does: checkout and restore.

git merges the index from one tree to another, and refuses if a local change is in the way. We let git try it on a private
copy of the index, so that a refusal has not written anything. If git would do it, the merged index has the new tree's
entries at all paths at which the two trees differ, and its own everywhere else. We put them into another copy while git
tries: that takes a third of the time of a second merge. If nothing is staged, and each file that changes has the bytes
that HEAD has, there is nothing to try. If nothing is staged and no attribute converts the files, the copy gets the entries
when the files are on the disk, with their times: so git writes a large index once.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError, immovable
from devs_git.storage.git.objects import EMPTY_TREE, GITLINK
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import Git, GitFailed, split_z
from devs_git.storage.worktree import (
    attributes,
    file_state,
    journal,
    missing_objects,
    obstacles,
    tree_difference,
)
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import Capture, copy_index, git_words
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.move_plan import Known
from devs_git.storage.worktree.survey import Head, Survey
from devs_git.storage.worktree.tree_difference import Sides
from devs_git.values import field, immutable, replace

# If more paths change, git merges the index: it also notes the trees of all folders in it, which later commits need.
MANY: Final = 1000


@immutable
class CarryPlan:
    """The states before and after the move, the two trees that git merges the index with, and what is known of the files.

    `short` is git's short name of the target. `changes`: the difference of the two trees in git's raw format, if the index has
    the first of them; else None.
    """

    old: State
    new: State
    trees: tuple[str, str]
    known: Known
    short: str
    changes: bytes | None = field(default=None, repr=False)


@immutable
class _Merge:
    """What git merges: the trees of HEAD and of the target, the paths that differ between them, and those that are staged.

    `before` is the tree of the index; `listing` is how it changes, in git's raw format.
    """

    trees: tuple[str, str]
    moved: Sides
    staged: Sides
    before: str
    listing: bytes


@contextlib.contextmanager
def prepare(site: Site, folder: Path, head: Head, target: str, refusal: str) -> Iterator[CarryPlan]:
    """Prepare the move from `head` to the tree `target`: write the private index into `folder`, and compute both states.

    Raises the code `refusal` with the paths if a local change or an untracked file is in the way. git may still write the
    index while the body begins the move.
    """
    _copy_index(site.git, folder)
    own, after = (private(site.git, folder / name) for name in ("index", "index.merged"))
    compared = _compare(site.git, folder, (head.commit or EMPTY_TREE, target), refusal)
    (*trees, short), listing, staged, listed = compared
    # Without staged changes the index has HEAD's tree, and then the target's.
    before, merged = trees
    merge = _Merge((before, merged), tree_difference.sides(listing), staged, before, listing)
    _refuse_staged(staged, merge.moved, refusal)
    # A sparse checkout marks entries, which only git's own merge does.
    by_git = attributes.is_sparse(site.git) or (not staged and len(merge.moved) > MANY)
    entries = {} if by_git and not staged else _entries(merge)
    plain = not (
        by_git or staged or tree_difference.has_submodules(merge.moved)
    ) and not attributes.may_convert(site.git, site.top, merge.moved, lambda: listed)
    few = {path: new for path, new in entries.items() if new != tree_difference.GONE}
    written = (private(site.git, folder / "index.few"), few) if plain else (after, entries)
    with tree_difference.enter_alongside(*written) as entered:
        if staged:
            entered()
            before, merged = (one.text("write-tree", "--missing-ok") for one in (own, after))
            listing = tree_difference.listing(own, before, merged)
            merge = replace(merge, before=before, listing=listing)
        old, known, refreshed = _look(site, folder, head, merge, refusal)
        known = replace(known, listed=listed)

        def ready() -> Path:
            if not staged:
                entered()
            return folder / ("index.few" if plain else "index.merged")

        if plain:
            known = replace(known, entries=entries, few=ready)
        # A refreshed index has newer times of files.
        elif not (by_git or refreshed or merged == before):
            known = replace(known, merged=ready)
        new = State(head.commit, head.branch, merged, merged)
        yield CarryPlan(old, new, merge.trees, known, short, None if staged else listing)


def _look(site: Site, folder: Path, head: Head, merge: _Merge, refusal: str) -> tuple[State, Known, bool]:
    """The state before the move, what is known of its files, and whether git refreshed the index. Refuses what would be lost."""
    own = private(site.git, folder / "index")
    touched, folders = tree_difference.read_listing(merge.listing)
    files = [path for path in folders.made if not (site.top / path).is_dir()]
    _refuse_obstacles(site, touched, files, refusal)
    blobs = {change.path: change.old for change in touched if change.old}
    seen = file_state.look(os.fspath(site.top), blobs)
    uncertain = merge.staged or tree_difference.has_submodules(merge.moved) or attributes.is_sparse(own)
    # Each file that changes or goes has exactly what HEAD has, so that nothing can be lost.
    safe = not uncertain and tree_difference.are_old(touched, seen.files)
    with tree_difference.try_move(own, *merge.trees, safe=safe) as answer:
        gone = _deleted_by_user(site, touched)
        # The journal needs it on the disk. Now other programs work meanwhile.
        with contextlib.suppress(FileNotFoundError):
            journal.sync(folder / "index.user")
        try:
            refreshed = answer()
        except GitFailed as error:
            edited = split_z(own.run("diff-files", "-z", "--name-only", "--ignore-submodules", "--"))
            raise _merge_refusal({change.path for change in touched}, edited, error, refusal) from error
    off = {path: blobs[path] for path, one in seen.files.items() if one.oid != blobs[path]}
    _refuse_edited(site, folder, off, refusal)
    raw = Capture(site.git, site.places, site.objects, folder).raw(off)
    there = tree_difference.tree_without(own, folder / "index", gone) if gone else ""
    old = State(head.commit, head.branch, merge.before, there or merge.before, raw, modes=seen.modes)
    known = Known(seen.files, blobs, listing=None if there else merge.listing)
    return old, known, refreshed


def capture_all(site: Site, folder: Path, found: Survey, carried: CarryPlan, active: str) -> State:
    """The state before the move with all local changes, for a backup. `folder` is that of `prepare`."""
    from devs_git.storage.worktree import footprint

    # The move has a private index in the folder, too.
    apart = folder / "backup"
    apart.mkdir(mode=0o700)
    plan = footprint.compute(found, site.top, carried.trees[1], carried.changes)
    copied = (folder / "index.user", carried.old.index)
    return Capture(site.git, site.places, site.objects, apart, copied).take(found, plan, (), active).state


def _entries(merge: _Merge) -> dict[str, tuple[str, str]]:
    """Mode and oid of each entry that the index gets by the merge."""
    staged = merge.staged
    return {path: new for path, (old, new) in merge.moved.items() if staged.get(path, (old, old))[1] != new}


def _compare(
    git: Git, folder: Path, commits: tuple[str, str], refusal: str
) -> tuple[tuple[str, str, str], bytes, Sides, bytes]:
    """The trees of HEAD and of the target, the target's short name, their difference, what is staged, and the index's paths.

    git is asked for all of them at once.
    """
    own = private(git, folder / "index")
    names = (*(f"{commit}^{{tree}}" for commit in commits), "--short", commits[1])
    with (
        own.alongside(*tree_difference.CACHED, "--ita-visible-in-index", commits[0], "--") as staged,
        own.alongside(*tree_difference.DIFF, *commits, "--") as listing,
        own.alongside("rev-parse", *names) as named,
    ):
        # They are needed later.
        attributes.settings(git)
        listed = attributes.list_index(own, folder / "index")
        # Of a tree that is missing, the comparison says which one.
        differs, (before, after, short) = listing(), named().decode().split()
        return (before, after, short), differs, _sides_of_staged(staged(), refusal), listed


def _copy_index(git: Git, folder: Path) -> None:
    """Copy the user's index. The other names are hard links: git never changes an index file, it writes a new one."""
    names = ("index.user", "index.old", "index", "index.merged")
    for name in names:
        (folder / name).unlink(missing_ok=True)
    copy_index(git, folder / names[0])
    for name in names[1:]:
        with contextlib.suppress(FileNotFoundError):
            os.link(folder / names[0], folder / name)


def _deleted_by_user(site: Site, touched: Iterable[tree_difference.Change]) -> list[str]:
    """The files that a person deleted only on the disk. If the move is taken back, they must not come back."""
    if attributes.is_sparse(site.git):
        return []
    gone = (c.path for c in touched if c.old and c.old_mode != GITLINK)
    return [path for path in gone if not os.path.lexists(f"{site.top}/{path}")]


def _refuse_edited(site: Site, folder: Path, off: Mapping[str, str], refusal: str) -> None:
    """Refuse if a file was edited and its times did not change: git calls it unchanged, and would overwrite it."""
    if not off:
        return
    own = private(site.git, folder / "index")
    clean = attributes.clean_oids(own, list(off))
    edited = {path: blob for path, blob in off.items() if clean.get(path) != blob}
    if lost := sorted(edited.keys() - attributes.find_inexact(own, site.top, edited)):
        raise _changes_refusal(lost, refusal)


def _sides_of_staged(out: bytes, refusal: str) -> Sides:
    """The entries of the index that differ from HEAD's tree. Refuses unmerged ones."""
    unmerged = [path for head, path in tree_difference.lines(out) if head.endswith("U")]
    if unmerged:
        raise immovable(
            "unmerged",
            "The index has unmerged entries.",
            code=refusal,
            hint="Resolve the conflicts and run git add.",
            paths=sorted(set(unmerged))[:100],
        )
    return tree_difference.sides(out)


def _refuse_staged(staged: Sides, moved: Sides, refusal: str) -> None:
    """Refuse staged files that the move would lose.

    git refuses one at a path that the move changes, if it is neither the old nor the new file. It deletes one above or below
    such a path without a warning, because one of the two would become a folder (measured: `git switch`, `read-tree -m -u`).
    """
    lost = [path for path, (_, now) in staged.items() if path in moved and now not in moved[path]]
    if lost:
        raise _changes_refusal(sorted(lost), refusal)
    above = {folder for path in moved for folder in tree_difference.parents(path)} if staged else set()
    there = (path for path, (_, now) in staged.items() if now != tree_difference.GONE)
    lost = [p for p in there if p in above or not moved.keys().isdisjoint(tree_difference.parents(p))]
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
        raise obstacles.refusal_of(found, refusal)


def at_position(state: State, head: str, branch: str, active: str) -> State:
    """The same trees with another HEAD, branch and active task."""
    return replace(state, head=head, branch=branch, active=active)
