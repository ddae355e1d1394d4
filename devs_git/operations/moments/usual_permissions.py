"""The usual permissions of a moment. It lists the unusual ones only, so a move to it has to give the others back, too."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from devs_git.storage.git.objects import EXECUTABLE, FILE, Entry
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.modes import default_mode, umask
from devs_git.storage.worktree.tree_difference import parents


def find(top: Path, wanted: Mapping[str, Entry], state: State, mask: int) -> tuple[dict[str, int], list[str]]:
    """The usual permissions of the files `wanted`, and of their folders, that would have others after the move.

    `mask`: the umask of the moment. Also returns a file below each folder whose permissions change: the capture records the
    permissions of the folders above the files at which it looks.
    """
    other = mask != umask()
    found: dict[str, int] = {}
    below: dict[str, str] = {}
    for path, entry in wanted.items():
        for folder in parents(path):
            below.setdefault(f"{folder}/", path)
        if path in state.modes or entry.mode not in (FILE, EXECUTABLE):
            continue
        usual, now = default_mode(executable=entry.mode == EXECUTABLE, mask=mask), _mode(f"{top}/{path}")
        if other or (stat.S_ISREG(now) and stat.S_IMODE(now) != usual):
            found[path] = usual
    usual = default_mode(executable=True, mask=mask)
    looked_at = []
    for folder, path in below.items():
        now = _mode(f"{top}/{folder}")
        changes = stat.S_ISDIR(now) and stat.S_IMODE(now) != state.modes.get(folder, usual)
        if changes:
            looked_at.append(path)
        if folder not in state.modes and (other or changes):
            found[folder] = usual
    return found, looked_at


def _mode(place: str) -> int:
    try:
        return os.lstat(place).st_mode
    except OSError:
        # There is nothing, or links in the place of a folder lead round in a circle.
        return 0
