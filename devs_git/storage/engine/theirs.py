"""What of a half-done move is ours, and what somebody wrote since (DESIGN 4.5).

A path is ours if it holds the old content, the new content, nothing, or a beginning of the new one (of the old one
too, once a take-back was under way). Anything else is the user's, and so is whatever stands above or below it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from devs_git.storage.engine import attributes, tree
from devs_git.storage.engine.capture import listed
from devs_git.storage.engine.journal import Journal
from devs_git.storage.git_program import Git
from devs_git.storage.objects import EXECUTABLE, LINK, Objects
from devs_git.storage.private_index import index_path, private
from devs_git.values import immutable


@immutable
class Side:
    """What a path should hold in one state: mode and blob, and the raw blob where it was captured."""

    mode: int
    blob: str
    raw: str


Sides = dict[str, tuple[Side | None, Side | None]]


def sides_of(git: Git, journal: Journal) -> Sides:
    """Old and new side of every path that the move touches."""
    raw_old, raw_new = listed(git, journal.old.raw), listed(git, journal.new.raw)
    found: Sides = {}
    for change in tree.changes(git, journal.old.worktree, journal.new.worktree):
        old = Side(change.old_mode, change.old, raw_old.get(change.path, (0, ""))[1]) if change.old else None
        new = Side(change.new_mode, change.new, raw_new.get(change.path, (0, ""))[1]) if change.new else None
        found[change.path] = (old, new)
    for path, (mode, raw) in raw_new.items():
        if path not in found and raw_old.get(path) != (mode, raw):
            old_mode, old_raw = raw_old.get(path, (mode, ""))
            found[path] = (Side(old_mode, "", old_raw), Side(mode, "", raw))
    return found


@immutable
class Disk:
    """One path as it is: `kind` none, file, link, folder or other; oids of its bytes raw and as git would store them.

    `above` is the file or link that stands where a folder of the path should be: then nothing is at the path itself,
    wherever a link may lead.
    """

    kind: str
    executable: bool = False
    raw: str = ""
    clean: str = ""
    target: bytes = b""
    above: str = ""


def look(git: Git, paths: Sequence[str]) -> dict[str, Disk]:
    top, clear = os.fspath(git.where), dict[str, str]()
    found = {path: _plain(top, path, clear) for path in paths}
    regular = [path for path, disk in found.items() if disk.kind == "file"]
    raw, clean = attributes.raw_oids(git, regular), attributes.clean_oids(git, regular)
    for at, path in enumerate(regular):
        found[path] = Disk("file", found[path].executable, raw[at], clean[at])
    return found


def _plain(top: str, path: str, clear: dict[str, str]) -> Disk:
    above = _above(top, path, clear)
    if above:
        return Disk("none", above=above)
    mode = _mode(f"{top}/{path}")
    if mode is None:
        return Disk("none")
    if stat.S_ISLNK(mode):
        return Disk("link", target=os.fsencode(Path(f"{top}/{path}").readlink()))
    if stat.S_ISREG(mode):
        return Disk("file", bool(mode & 0o100))
    return Disk("folder" if stat.S_ISDIR(mode) else "other")


def _above(top: str, path: str, clear: dict[str, str]) -> str:
    for folder in parents(path):
        if folder not in clear:
            mode = _mode(f"{top}/{folder}")
            clear[folder] = "" if mode is None or stat.S_ISDIR(mode) else folder
        if clear[folder]:
            return folder
    return ""


def parents(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first."""
    at = path.find("/")
    while at != -1:
        yield path[:at]
        at = path.find("/", at + 1)


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def holds(disk: Disk, side: Side | None, objects: Objects) -> bool:
    """Whether the path is exactly this side."""
    if side is None:
        return disk.kind in ("none", "folder")
    if side.mode == LINK:
        return disk.kind == "link" and disk.target == objects.read(side.blob or side.raw, "blob")
    if disk.kind != "file" or disk.executable != (side.mode == EXECUTABLE):
        return False
    return disk.raw == side.raw if side.raw else side.blob in (disk.raw, disk.clean)


def _begins(git: Git, path: str, side: Side | None) -> bool:
    """Whether the file is a beginning of this side: a write that was cut off. Mode counts for nothing yet."""
    if side is None or side.mode == LINK:
        return False
    data = (Path(git.where) / path).read_bytes()
    for whole in (
        git.run("cat-file", "blob", side.raw or side.blob),
        attributes.smudged(git, side.blob, path) if side.blob else None,
    ):
        if whole is not None and whole.startswith(data):
            return True
    return False


def foreign(git: Git, objects: Objects, sides: Sides, *, going_back: bool) -> set[str]:
    """Touched paths that are the user's. `going_back`: a take-back was cut off, so old content may have begun too."""
    disks = look(git, list(sides))
    theirs = set()
    for path, (old, new) in sides.items():
        disk = disks[path]
        if disk.above:
            ours = disk.above in sides
        elif disk.kind == "folder":
            ours = _only_ours_below(Path(git.where), path, sides)
        else:
            ours = disk.kind == "none" or holds(disk, old, objects) or holds(disk, new, objects)
            if not ours and disk.kind == "file":
                ours = _begins(git, path, new) or (going_back and _begins(git, path, old))
        if not ours:
            theirs.add(path)
    return theirs | _around(theirs, sides, disks)


def _around(theirs: set[str], sides: Sides, disks: dict[str, Disk]) -> set[str]:
    """Paths that cannot be written without removing what is the user's above or below them."""
    above = {folder for path in theirs for folder in parents(path) if folder in sides}
    blocked = {path for path in theirs if disks[path].kind != "folder"}
    below = {path for path in sides if not blocked.isdisjoint(parents(path))} if blocked else set()
    return above | below


def _only_ours_below(top: Path, path: str, sides: Sides) -> bool:
    """Whether a folder where one state has a file holds nothing but paths of the move (git would remove it all)."""
    for folder, folders, files in os.walk(top / path):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        if any(os.path.relpath(f"{folder}/{name}", top) not in sides for name in (*files, *links)):
            return False
    return True


def index_is_ours(git: Git, folder: Path) -> bool:
    """Whether the index in place is the user's of before, or the one that the move made: nobody staged since.

    git may have refreshed its cached times, so entries are compared where the bytes differ.
    """
    now = index_path(git)
    known = [path for path in (folder / "index.user", folder / "index.new") if path.exists()]
    if not now.exists() or any(path.read_bytes() == now.read_bytes() for path in known):
        return True
    entries = _entries(git, now)
    return any(_entries(git, path) == entries for path in known)


def _entries(git: Git, index: Path) -> bytes:
    return private(git, index).run("ls-files", "-s", "-v", "-z")
