"""Whether the state to return to is there already, so that a rewind would change nothing. It writes only private files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import Git
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.modes import Modes
from devs_git.storage.worktree.move_plan import Known, work_out
from devs_git.storage.worktree.survey import Survey


def is_there(site: Site, folder: Path, found: Survey, states: tuple[State, State], known: Known) -> bool:
    """Whether the new one of `states` equals the old one, which was just captured: position, task, index, bytes, permissions.

    `folder` is the operation's, with the private index of the capture.
    """
    old, new = states
    one, other = ((s.head, s.branch, s.index, s.worktree, s.active) for s in states)
    if one != other or not _same_index(site, folder, found, new):
        return False
    work = work_out(site, folder / "index", old, new, known)
    return not (work.touched or work.exact) and _has_modes(os.fspath(site.top), work.modes)


def changes_nothing(effect: Effect) -> bool:
    """Whether no checkpoint and no task changes."""
    return not (effect.undone or effect.revived or effect.statuses or effect.reactivated)


def _same_index(site: Site, folder: Path, found: Survey, new: State) -> bool:
    """Whether the index has the same flags and intent-to-add entries; its tree is the same.

    An entry that is in the list and not in the tree has the intent to add, so equal lists are enough.
    """
    if not new.index_raw:
        # Such a state says nothing about flags.
        return not (found.intended or found.hollow)
    wanted = folder / "index.wanted"
    wanted.write_bytes(site.objects.read(new.index_raw, "blob"))
    return _entries(site.git) == _entries(private(site.git, wanted))


def _entries(git: Git) -> bytes:
    return git.run("ls-files", "--stage", "-v", "-z")


def _has_modes(top: str, wanted: Modes) -> bool:
    for path, mode in wanted.items():
        try:
            now = os.lstat(f"{top}/{path.rstrip('/')}").st_mode
        except OSError:
            return False
        if not stat.S_ISLNK(now) and stat.S_IMODE(now) != mode:
            return False
    return True
