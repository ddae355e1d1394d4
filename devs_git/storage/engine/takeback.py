"""Bring the files and the index of a half-done move to the state before it, or after it.

What a user wrote since is not touched: see `theirs`. While somebody else's work is in the way nothing more is
written, and RECOVERY_NEEDED names the backup; a person then decides (`decide`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.engine import theirs, tree
from devs_git.storage.engine.journal import BACKUPS, Journal
from devs_git.storage.engine.site import Site
from devs_git.storage.engine.theirs import Side, Sides
from devs_git.storage.git_program import Git, GitFailed, join_z, split_z
from devs_git.storage.objects import EMPTY_TREE
from devs_git.storage.private_index import index_path, private

GOING_BACK = "going-back"


def foreign(site: Site, journal: Journal, sides: Sides) -> set[str]:
    """Touched paths that are the user's."""
    going_back = (journal.folder(site.places) / GOING_BACK).exists()
    return theirs.foreign(site.git, site.objects, sides, going_back=going_back)


def require_ours(site: Site, journal: Journal, sides: Sides) -> None:
    """RECOVERY_NEEDED where a touched path is the user's, or somebody staged into the index since."""
    found = sorted(foreign(site, journal, sides))
    staged = not theirs.index_is_ours(site.git, journal.folder(site.places))
    if not found and not staged:
        return
    what = (
        f"files that were edited since, such as {found[0]!r} ({len(found)} in all)"
        if found
        else "an index changed since"
    )
    raise DevsError(
        "RECOVERY_NEEDED",
        f"An interrupted {journal.verb} left {what}.",
        hint="Nothing more was touched. Finish it: devs-git doctor --finish, or take it back: devs-git doctor "
        f"--take-back; your edits stay. What was there before is kept in {BACKUPS}{journal.op_id}."
        if journal.backup
        else "Nothing more was touched. Finish it: devs-git doctor --finish, or take it back: devs-git doctor "
        "--take-back; your edits stay.",
        paths=found[:100],
        index_changed=staged,
        backup=f"{BACKUPS}{journal.op_id}" if journal.backup else "",
    )


def restore(site: Site, journal: Journal, *, forward: bool = False, force: bool = False) -> None:
    """Bring files and index to `journal.old`, or to `journal.new` with `forward`; refs are the caller's.

    RECOVERY_NEEDED as `require_ours` says, unless `force`: then the user's paths alone stay as they are.
    """
    folder, state = journal.folder(site.places), journal.new if forward else journal.old
    for lock in folder.glob("*.lock"):  # of our private indexes, left by a git that was killed
        lock.unlink()
    sides = theirs.sides_of(site.git, journal)
    if not force:
        require_ours(site, journal, sides)
    skipped = foreign(site, journal, sides) if force else set()
    wanted = {path: pair[1] if forward else pair[0] for path, pair in sides.items() if path not in skipped}
    (folder / GOING_BACK).touch()
    index = _new_index(site, journal) if forward else folder / "index.old"
    _write(site, wanted, index)
    tree.write_raw(site.git, site.objects, state.raw, folder, skip=lambda path: path not in wanted)
    tree.set_modes(site.git, site.objects, state, skip=lambda path: path not in wanted)
    if forward:
        tree.settle_index(site.git, site.objects, index, state)
        tree.refresh(site.git, index)
        tree.put_index(site.git, index)
    else:
        _old_index(site.git, folder, journal)


def _new_index(site: Site, journal: Journal) -> Path:
    """The private index moved on as git would move it, without looking at files."""
    folder = journal.folder(site.places)
    index = folder / "index.forward"
    shutil.copy2(folder / "index.old", index)
    private(site.git, index).run("read-tree", "-i", "-m", "--no-recurse-submodules", *journal.trees)
    return index


def _write(site: Site, wanted: dict[str, Side | None], index: Path) -> None:
    """Remove what the state does not have, then let git write what it has, from a private index that holds it.

    Files whose bytes were captured are left to `tree.write_raw`: no filter, perhaps a failing one, is needed for them.
    """
    top, disks = Path(site.git.where), theirs.look(site.git, list(wanted))
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
        and not theirs.holds(disks[path], side, site.objects)
    ]
    site.step("files back")
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


def _old_index(git: Git, folder: Path, journal: Journal) -> None:
    """The user's index as it was, its cached times refreshed; the caller holds `index.lock`.

    The copy stays where it is until the operation's folder goes, so that a take-back can be repeated.
    """
    before, back = folder / "index.user", folder / "index.last"
    if not before.exists() and journal.old.index == EMPTY_TREE:
        index_path(git).unlink(missing_ok=True)
        return
    try:
        if before.exists():
            shutil.copy2(before, back)
        else:
            private(git, back).run("read-tree", journal.old.index)
        private(git, back).run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))
    except (OSError, GitFailed):
        # A full disk: stale times cost the next git a look at the files, and nothing else.
        back.unlink(missing_ok=True)
        os.link(before, back)
    back.replace(index_path(git))
