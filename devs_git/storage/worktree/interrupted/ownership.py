"""Decide which paths of a half-done move are ours, and which ones somebody wrote to since.

A path is ours if it has the old content, the new content, nothing, or the beginning of the new content, because a write
was cut off. Once a take-back has begun, the beginning of the old content is ours, too. Everything else belongs to the
user, and so does what is above or below such a path.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Sequence
from pathlib import Path

from devs_git.storage.git.objects import EXECUTABLE, LINK
from devs_git.storage.git.private_index import index_path, private
from devs_git.storage.git.program import Git
from devs_git.storage.worktree import attributes, file_state, tree_difference
from devs_git.storage.worktree.file_state import FileState
from devs_git.storage.worktree.journal import LISTING, Journal
from devs_git.storage.worktree.place_files import Folders
from devs_git.storage.worktree.tree_difference import Change
from devs_git.values import immutable, replace


@immutable
class Side:
    """What a path should have in one state: mode and blob, and the raw blob if its bytes were captured."""

    mode: int
    blob: str
    raw: str


Sides = dict[str, tuple[Side | None, Side | None]]


def sides_of(git: Git, journal: Journal, folder: Path) -> Sides:
    """The old and the new side of each path that the move touches. `folder` is the operation's folder."""
    found: Sides = {}
    for change in differences(git, journal, folder)[0]:
        written = journal.exact.get(change.path)
        raw = journal.raw.get(change.path, "")
        old = Side(change.old_mode, change.old, raw) if change.old else None
        new = Side(change.new_mode, change.new, written.oid if written else "") if change.new else None
        found[change.path] = (old, new)
    for path, written in journal.exact.items():
        if path not in found:
            found[path] = (Side(written.mode, "", written.before), Side(written.mode, "", written.oid))
    return found


def differences(git: Git, journal: Journal, folder: Path) -> tuple[list[Change], Folders]:
    """What the move changes, read from the operation's own listing, because the trees may have been pruned since."""
    kept = folder / LISTING
    if kept.exists():
        return tree_difference.read_listing(kept.read_bytes())
    return tree_difference.differences(git, journal.old.worktree, journal.new.worktree)


@immutable
class Disk:
    """The current content of one path. `kind` is none, file, link, folder or other.

    `raw` is the oid of its bytes, and `clean` the oid that git would store. If the raw oid is a known one, git is not
    asked for `clean`. `seen` is the state of the file or link. `above` is the file or link in the place of a folder of
    the path: then there is nothing at the path, wherever such a link leads.
    """

    kind: str
    executable: bool = False
    raw: str = ""
    clean: str = ""
    above: str = ""
    seen: FileState | None = None


def look(git: Git, paths: Sequence[str], folder: Path, known: Container[str] = ()) -> dict[str, Disk]:
    """Look at the paths. git is asked for the clean oids of the files whose raw oid is not among the `known` ones.

    `folder` is the operation's folder. It has the index of the move, with the attributes that git used to write files.
    """
    top, clear = os.fspath(git.where), dict[str, str]()
    found = {path: _plain(top, path, clear) for path in paths}
    regular = [path for path, disk in found.items() if disk.kind == "file" and disk.raw not in known]
    if not regular:
        return found
    for path, clean in attributes.clean_oids(git_on_moved_index(git, folder), regular).items():
        found[path] = replace(found[path], clean=clean)
    return found


def git_on_moved_index(git: Git, folder: Path) -> Git:
    """A git with the index that the move made. This index has the attributes that git used to write files."""
    done = folder / "index.new"
    return private(git, done if done.exists() else folder / "index")


def oids_of(sides: Sides) -> frozenset[str]:
    """All oids that a file can have in one of the two states."""
    there = [side for pair in sides.values() for side in pair if side is not None]
    return frozenset(oid for side in there for oid in (side.blob, side.raw) if oid)


def _plain(top: str, path: str, clear: dict[str, str]) -> Disk:
    above = _above(top, path, clear)
    if above:
        return Disk("none", above=above)
    mode = _mode(f"{top}/{path}")
    if mode is None:
        return Disk("none")
    seen = file_state.look_at(f"{top}/{path}")
    if seen:
        return Disk("link" if seen.is_link else "file", bool(mode & 0o100), seen.oid, seen=seen)
    return Disk("folder" if stat.S_ISDIR(mode) else "other")


def _above(top: str, path: str, clear: dict[str, str]) -> str:
    for folder in tree_difference.parents(path):
        if folder not in clear:
            mode = _mode(f"{top}/{folder}")
            clear[folder] = "" if mode is None or stat.S_ISDIR(mode) else folder
        if clear[folder]:
            return folder
    return ""


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def matches(disk: Disk, side: Side | None) -> bool:
    """Whether the path has exactly the content of this side."""
    if side is None:
        return disk.kind in ("none", "folder")
    if side.mode == LINK:
        return disk.kind == "link" and disk.raw == (side.raw or side.blob)
    if disk.kind != "file" or disk.executable != (side.mode == EXECUTABLE):
        return False
    return disk.raw == side.raw if side.raw else side.blob in (disk.raw, disk.clean)


def is_side(seen: FileState, side: Side) -> bool:
    """Whether a file or link has the kind and the bytes of this side: the captured bytes, or else those of the blob."""
    executable = not seen.is_link and bool(seen.mode & 0o100)
    same = seen.is_link == (side.mode == LINK) and executable == (side.mode == EXECUTABLE)
    return same and seen.oid == (side.raw or side.blob)


def is_partial_write(git: Git, path: str, side: Side | None, place: str) -> bool:
    """Whether the file at `place` has the beginning of this side's bytes, because a write was cut off. Its mode can differ.

    `git` uses the index that the move made.
    """
    if side is None or side.mode == LINK:
        return False
    data = Path(place).read_bytes()
    for whole in (
        git.run("cat-file", "blob", side.raw or side.blob),
        attributes.checkout_bytes(git, side.blob, path) if side.blob else None,
    ):
        if whole is not None and whole.startswith(data):
            return True
    return False


def is_ours(
    git: Git, path: str, disk: Disk, sides: tuple[Side | None, Side | None], *, going_back: bool
) -> bool:
    """Whether a path has one of its sides, nothing, or the beginning of the new side; if `going_back`, also of the old."""
    old, new = sides
    if disk.kind == "none" or matches(disk, old) or matches(disk, new):
        return True
    place = f"{git.where}/{path}"
    return disk.kind == "file" and (
        is_partial_write(git, path, new, place) or (going_back and is_partial_write(git, path, old, place))
    )


def find_foreign(git: Git, sides: Sides, folder: Path, *, going_back: bool) -> set[str]:
    """The touched paths that belong to the user. `going_back`: a take-back was cut off, so a file may have a part of the
    old content.
    """
    disks = look(git, list(sides), folder, oids_of(sides))
    foreign = set()
    for path, pair in sides.items():
        disk = disks[path]
        if disk.above:
            ours = disk.above in sides
        elif disk.kind == "folder":
            ours = _only_ours_below(Path(git.where), path, sides)
        else:
            ours = is_ours(git_on_moved_index(git, folder), path, disk, pair, going_back=going_back)
        if not ours:
            foreign.add(path)
    return foreign | _around(foreign, sides, disks)


def _around(foreign: set[str], sides: Sides, disks: dict[str, Disk]) -> set[str]:
    """The paths that we cannot write without removing the user's files above or below them."""
    above = {folder for path in foreign for folder in tree_difference.parents(path) if folder in sides}
    blocked = {path for path in foreign if disks[path].kind != "folder"}
    below = (
        {path for path in sides if not blocked.isdisjoint(tree_difference.parents(path))}
        if blocked
        else set()
    )
    return above | below


def _only_ours_below(top: Path, path: str, sides: Sides) -> bool:
    """Whether a folder in the place of a file has only paths of the move. git would remove everything in it."""
    for folder, folders, files in os.walk(top / path):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        if any(os.path.relpath(f"{folder}/{name}", top) not in sides for name in (*files, *links)):
            return False
    return True


def index_is_ours(git: Git, folder: Path) -> bool:
    """Whether the index is the user's old one, or the one that the move made: then nobody has staged since.

    git may have refreshed the times in it. So if the bytes of the files differ, we compare the entries.
    """
    now = index_path(git)
    known = [path for path in (folder / "index.user", folder / "index.new") if path.exists()]
    if not now.exists() or any(path.read_bytes() == now.read_bytes() for path in known):
        return True
    entries = _entries(git, now)
    return any(_entries(git, path) == entries for path in known)


def _entries(git: Git, index: Path) -> bytes:
    return private(git, index).run("ls-files", "-s", "-v", "-z")
