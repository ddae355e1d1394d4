"""Permissions of files and folders, which git does not keep: recorded before a move, and given back after it.

git writes a file anew with what the umask says, and a folder that became empty comes back as any other. So a key that
only its owner may read would be readable for all after a rewind, and again after its undo.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Mapping

from devs_git.storage.git.objects import EXECUTABLE, FILE

Modes = Mapping[str, int]


def default_mode(*, executable: bool) -> int:
    """The permissions that git gives a file here; a folder gets those of an executable file."""
    mask = os.umask(0)
    os.umask(mask)
    return (0o777 if executable else 0o666) & ~mask


def are_default(found: Modes) -> bool:
    """Whether these are the permissions that git gives files and folders here."""
    common = {default_mode(executable=True), default_mode(executable=False)}
    return common.issuperset(found.values())


def modes_after_move(before: Modes, wanted: Modes, changes: Mapping[str, int]) -> dict[str, int]:
    """What is to be given after a move: `wanted`, and what else had unusual permissions keeps them where it stays.

    `changes` are the files that the move writes or removes, with git's mode of the new ones, or 0.
    """
    found = dict(wanted)
    common = {default_mode(executable=True), default_mode(executable=False)}
    for path, mode in before.items():
        if path in found or mode in common:
            continue
        if path.endswith("/"):
            found[path] = mode
        elif changes.get(path, 0) == EXECUTABLE:
            found[path] = mode | (mode & 0o444) >> 2
        elif changes.get(path, 0) == FILE:
            found[path] = mode & ~0o111
    return found


def apply(top: str, wanted: Modes, only: Collection[str] | None = None) -> bool:
    """Give files (those among `only`) and folders their recorded permissions; whether one had others."""
    given = False
    for path in sorted(wanted, key=lambda path: -path.count("/")):  # what is in a folder before the folder
        folder = path.endswith("/")
        if not folder and only is not None and path not in only:
            continue
        mode = _mode(f"{top}/{path.rstrip('/')}")
        if mode is None or not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
            continue
        if stat.S_IMODE(mode) != wanted[path]:
            with contextlib.suppress(PermissionError):  # another user's
                os.chmod(f"{top}/{path}", wanted[path])  # noqa: PTH101 - there may be thousands
                given = True
    return given


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
