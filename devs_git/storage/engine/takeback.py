"""Take a half-done move back to the state before it, without touching anything that a user wrote since.

A path is ours if it holds the old content, the new content, nothing, or the beginning of either. Anything else is
the user's: then nothing more is touched, and RECOVERY_NEEDED names the backup (DESIGN 4.5).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.engine import attributes, tree
from devs_git.storage.engine.capture import listed
from devs_git.storage.engine.journal import Journal
from devs_git.storage.engine.site import Site
from devs_git.storage.git_program import Git, GitFailed, join_z, split_z
from devs_git.storage.objects import EXECUTABLE, LINK, Objects
from devs_git.storage.private_index import index_path, private


@dataclass(frozen=True)
class Side:
    """What a path should hold in one state: mode and blob, and the raw blob where it was captured."""

    mode: int
    blob: str
    raw: str


Sides = dict[str, tuple[Side | None, Side | None]]


def _sides(git: Git, journal: Journal) -> Sides:
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


@dataclass(frozen=True)
class _Disk:
    """One path as it is: `kind` none, file, link or other; oids of its bytes raw and as git would store them."""

    kind: str
    executable: bool = False
    raw: str = ""
    clean: str = ""
    target: bytes = b""


def _look(git: Git, paths: Sequence[str]) -> dict[str, _Disk]:
    top = Path(git.where)
    regular = [p for p in paths if (top / p).is_file() and not (top / p).is_symlink()]
    raw, clean = attributes.raw_oids(git, regular), attributes.clean_oids(git, regular)
    found = {
        path: _Disk("file", tree.is_executable(top / path), raw[at], clean[at])
        for at, path in enumerate(regular)
    }
    for path in paths:
        if path not in found:
            found[path] = _other(top / path)
    return found


def _other(path: Path) -> _Disk:
    if path.is_symlink():
        return _Disk("link", target=os.fsencode(path.readlink()))
    return _Disk("folder" if path.is_dir() else "other") if os.path.lexists(path) else _Disk("none")


def _holds(disk: _Disk, side: Side | None, objects: Objects) -> bool:
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


def foreign(git: Git, objects: Objects, sides: Sides) -> list[str]:
    """Touched paths that hold something that neither state explains: the user's."""
    disks = _look(git, list(sides))
    theirs = []
    for path, (old, new) in sides.items():
        disk = disks[path]
        if disk.kind == "folder":
            theirs += [] if _only_ours_below(Path(git.where), path, sides) else [path]
            continue
        if disk.kind == "none" or _holds(disk, old, objects) or _holds(disk, new, objects):
            continue
        if disk.kind == "file" and (_begins(git, path, old) or _begins(git, path, new)):
            continue
        theirs.append(path)
    return theirs


def _only_ours_below(top: Path, path: str, sides: Sides) -> bool:
    """Whether a folder where one state has a file holds nothing but paths of the move (git would remove it all)."""
    for folder, _folders, files in os.walk(top / path):
        for name in files:
            if os.path.relpath(f"{folder}/{name}", top) not in sides:
                return False
    return True


def restore(site: Site, journal: Journal, *, forward: bool = False, force: bool = False) -> None:
    """Bring files and index to `journal.old`, or to `journal.new` with `forward`; refs are the caller's.

    RECOVERY_NEEDED where a touched path is the user's, unless `force`: then those paths alone stay as they are.
    """
    sides = _sides(site.git, journal)
    theirs = foreign(site.git, site.objects, sides)
    if theirs and not force:
        raise DevsError(
            "RECOVERY_NEEDED",
            f"An interrupted {journal.verb} left {len(theirs)} files that were edited since, such as {theirs[0]!r}.",
            hint="Your files are untouched. Finish it: devs-git doctor --finish, or take it back: devs-git doctor "
            f"--take-back. What was there before is kept in refs/devs/backup/{journal.op_id}.",
            paths=theirs[:100],
            backup=f"refs/devs/backup/{journal.op_id}",
        )
    wanted = {
        path: pair[1] if forward else pair[0] for path, pair in sides.items() if path not in set(theirs)
    }
    folder, state = journal.folder(site.places), journal.new if forward else journal.old
    index = folder / "index.old"
    if forward:
        index = folder / "index.forward"
        shutil.copy2(folder / "index.old", index)
        private(site.git, index).run("read-tree", "-i", "-m", "--no-recurse-submodules", state.worktree)
    _write(site, wanted, index)
    tree.write_raw(site.git, site.objects, state.raw, folder, skip=lambda path: path not in wanted)
    if forward:
        tree.settle_index(site.git, site.objects, index, state)
        tree.refresh(site.git, index)
        tree.put_index(site.git, index)
    else:
        _old_index(site.git, folder)


def _write(site: Site, wanted: dict[str, Side | None], index: Path) -> None:
    """Remove what the state does not have, then let git write what it has, from a private index that holds it.

    Files whose bytes were captured are left to `tree.write_raw`: no filter, perhaps a failing one, is needed for them.
    """
    top, disks = Path(site.git.where), _look(site.git, list(wanted))
    for path, side in wanted.items():
        if side is None and disks[path].kind in ("file", "link"):
            (top / path).unlink()
            _prune_folders(top, path)
    git = private(site.git, index)
    hidden = {line[2:] for line in split_z(git.run("ls-files", "-t", "-z")) if line[0] == "S"}
    missing = [
        path
        for path, side in wanted.items()
        if side is not None
        and side.blob
        and not side.raw
        and path not in hidden
        and not _holds(disks[path], side, site.objects)
    ]
    if missing:
        git.run("checkout-index", "-f", "-z", "--stdin", stdin=join_z(missing))


def _prune_folders(top: Path, path: str) -> None:
    """Remove the folders that the move made and that are empty again."""
    for above in list((top / path).parents):
        if above == top:
            return
        with contextlib.suppress(OSError):
            above.rmdir()
            continue
        return


def _old_index(git: Git, folder: Path) -> None:
    """The user's index as it was, its cached times refreshed; the caller holds `index.lock`."""
    before, back = folder / "index.user", folder / "index.last"
    if not before.exists():
        index_path(git).unlink(missing_ok=True)
        return
    try:
        shutil.copy2(before, back)
        private(git, back).run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))
    except (OSError, GitFailed):
        back = before  # a full disk: stale times cost the next git a look at the files, and nothing else
    back.replace(index_path(git))
