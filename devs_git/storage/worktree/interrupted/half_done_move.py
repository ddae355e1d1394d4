"""Bring the files and the index of a half-done move to the state before it, or to the state after it.

We never change what a user wrote since (see `ownership`). If a user's edit is in the way, we write nothing more, and
RECOVERY_NEEDED names the backup. Then a person decides, with `doctor --finish` or `doctor --take-back`.
"""

from __future__ import annotations

import os
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.git import files
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.objects import EMPTY_TREE, LINK, Entry
from devs_git.storage.git.private_index import index_path, private
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.git.refs import BACKUPS
from devs_git.storage.worktree import file_state, files_aside, late_saves, modes, place_files, tree_difference
from devs_git.storage.worktree.capture import git_words
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileState
from devs_git.storage.worktree.interrupted import ownership
from devs_git.storage.worktree.interrupted.ownership import Side, Sides
from devs_git.storage.worktree.journal import Journal
from devs_git.storage.worktree.place_files import Folders

GOING_BACK = "going-back"
# A take-back has no time limit, but this part of it is not needed, and git starts filters for it.
REFRESH_SECONDS = 2.0


def find_foreign(site: Site, journal: Journal, sides: Sides) -> set[str]:
    """Find the touched paths whose content belongs to the user."""
    folder = journal.folder(site.places)
    return ownership.find_foreign(site.git, sides, folder, going_back=(folder / GOING_BACK).exists())


def require_ours(site: Site, journal: Journal, sides: Sides) -> None:
    """Raise RECOVERY_NEEDED if a touched path belongs to the user, or if somebody staged into the index since."""
    found = sorted(find_foreign(site, journal, sides))
    staged = not ownership.index_is_ours(site.git, journal.folder(site.places))
    if not found and not staged:
        return
    what = (
        f"files were edited, such as {found[0]!r} ({len(found)} in all)" if found else "the index was changed"
    )
    raise DevsError(
        "RECOVERY_NEEDED",
        f"After the interrupted {journal.verb}, {what}.",
        hint="Nothing more was changed. Finish it: devs-git doctor --finish, or take it back: devs-git doctor "
        f"--take-back. Your edits stay. The state before it is saved in {BACKUPS}{journal.op_id}."
        if journal.backup
        else "Nothing more was changed. Finish it: devs-git doctor --finish, or take it back: devs-git doctor "
        "--take-back. Your edits stay.",
        paths=found[:100],
        index_changed=staged,
        backup=f"{BACKUPS}{journal.op_id}" if journal.backup else "",
    )


def restore(site: Site, journal: Journal, *, forward: bool = False, force: bool = False) -> None:
    """Bring files and index to `journal.old`, or with `forward` to `journal.new`. The caller moves the refs.

    RECOVERY_NEEDED as in `require_ours`, unless `force`: then only the user's paths stay as they are.
    """
    folder, state = journal.folder(site.places), journal.new if forward else journal.old
    # A killed git left these locks of our private indexes.
    for lock in folder.glob("*.lock"):
        lock.unlink()
    sides = ownership.sides_of(site.git, journal, folder)
    late_saves.bring_back_in_recovery(site, journal)
    if not force:
        require_ours(site, journal, sides)
    skipped = find_foreign(site, journal, sides) if force else set()
    wanted = {path: pair[1] if forward else pair[0] for path, pair in sides.items() if path not in skipped}
    (folder / GOING_BACK).touch()
    index = _new_index(site, journal) if forward else folder / "index.old"
    if not _write_or_refuse(site, journal, wanted, index):
        # Somebody saved a file meanwhile. It belongs to the user now, so we decide again.
        restore(site, journal, forward=forward, force=force)
        return
    # A move also changes the permissions of files that it does not write.
    modes.apply(os.fspath(site.top), state.modes, {*wanted, *journal.new.modes} - skipped)
    if forward:
        tree_difference.settle_index(site.git, site.objects, index, state, written=bool(journal.exact))
        tree_difference.refresh(site.git, index)
        tree_difference.put_index(site.git, index)
    else:
        _old_index(site.git, folder, journal)


def _new_index(site: Site, journal: Journal) -> Path:
    """A private index with the state after the move. git merges it and does not look at files."""
    folder = journal.folder(site.places)
    index = folder / "index.forward"
    files.copy(folder / "index.old", index)
    tree_difference.merge(site.git, index, *journal.trees)
    return index


def _write_or_refuse(site: Site, journal: Journal, wanted: dict[str, Side | None], index: Path) -> bool:
    """Call `_write`; RECOVERY_NEEDED if git cannot write a file whose bytes were not captured."""
    try:
        return _write(site, journal, wanted, index)
    except GitFailed as error:
        raise DevsError(
            "RECOVERY_NEEDED",
            f"git could not write the files of an interrupted {journal.verb}: {git_words(error)}",
            hint="Fix what git reports, then run any command of devs-git, such as: devs-git status",
            backup=f"{BACKUPS}{journal.op_id}" if journal.backup else "",
        ) from error


def _write(site: Site, journal: Journal, wanted: dict[str, Side | None], index: Path) -> bool:
    """Remove the files that the state does not have, and place those that it has.

    Returns False if somebody saved a file meanwhile. A file that the move took aside is put back unchanged, and captured
    bytes are written by us: neither needs a filter, which might fail. git writes the rest from the private index.
    """
    top, folder, forward = os.fspath(site.top), journal.folder(site.places), index.name != "index.old"
    known = ownership.oids_of(ownership.sides_of(site.git, journal, folder))
    disks = ownership.look(site.git, list(wanted), folder, known)
    off = [path for path, side in wanted.items() if not ownership.matches(disks[path], side)]
    left_out = place_files.paths_outside_sparse_checkout(site.git, index, wanted)
    missing = {path: side for path in off if (side := wanted[path]) is not None and path not in left_out}
    site.step("files back")
    taken = files_aside.begin(top, folder, [path for path in off if disks[path].seen])
    if not all(_take(taken, number, disks[path].seen) for number, path in enumerate(taken.paths)):
        return False
    gone = [path for path in taken.paths if wanted[path] is None]
    place_files.remove_empty_folders(top, gone, missing, _folders(site, journal, forward=forward))
    _from_aside(top, folder, missing)
    lacking = {path: side for path, side in missing.items() if not os.path.lexists(f"{top}/{path}")}
    raw = {
        path: Entry(side.mode, side.raw or side.blob)
        for path, side in lacking.items()
        if side.raw or side.mode == LINK
    }
    place_files.write_captured(top, site.objects, raw, folder)
    paths = [path for path, side in lacking.items() if side.blob and path not in raw]
    place_files.write_by_git(
        site.git, index, paths, tree_difference.attributes_fallbacks(site.git, journal.new) if forward else {}
    )
    return True


def _take(taken: files_aside.Round, number: int, seen: FileState | None) -> bool:
    """Take one of our files away and delete it. If somebody wrote to it since the look, put it back and return False."""
    spot = taken.take(number)
    if not spot:
        return True
    if file_state.is_same(spot, seen, renamed=True):
        # After another crash we could not recognize it as ours, so it must not stay aside.
        os.unlink(spot)  # noqa: PTH108 - strings
        return True
    files_aside.put(spot, taken.top, taken.paths[number])
    return False


def _from_aside(top: str, folder: Path, missing: dict[str, Side]) -> None:
    """Put back the files that were taken aside, where they are what is missing."""
    for one in files_aside.rounds(top, folder):
        for number, path in enumerate(one.paths):
            spot = one.spot(number) if path in missing else ""
            seen = file_state.look_at(spot) if spot else None
            if seen and ownership.is_side(seen, missing[path]):
                files_aside.put(spot, top, path)


def _folders(site: Site, journal: Journal, *, forward: bool) -> Folders:
    folders = ownership.differences(site.git, journal, journal.folder(site.places))[1]
    return folders if forward else Folders(folders.left, folders.made)


def _old_index(git: Git, folder: Path, journal: Journal) -> None:
    """Put the user's old index back, with refreshed times. The caller holds `index.lock`.

    `index.user` stays until the operation's folder is removed, so that a take-back can be repeated after a crash.
    """
    before, back = folder / "index.user", folder / "index.last"
    if not before.exists() and journal.old.index == EMPTY_TREE:
        index_path(git).unlink(missing_ok=True)
        return
    try:
        if before.exists():
            files.copy(before, back)
        else:
            private(git, back).run("read-tree", journal.old.index)
        words = ("update-index", "-q", "--refresh", "--ignore-submodules")
        private(git, back).run(*words, ok=(0, 1), timeout=REFRESH_SECONDS)
    except (OSError, GitFailed, GitTimedOut):
        # The disk is full, or a filter hangs. With old times in the index, the next git only has to read the files again.
        back.unlink(missing_ok=True)
        os.link(before, back)
    back.replace(index_path(git))
