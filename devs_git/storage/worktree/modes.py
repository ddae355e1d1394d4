"""Permissions of files and folders. git does not keep them, so we record them before a move and apply them after it.

git writes each file with the permissions of the umask, and makes folders anew. Without this module, a private key that
only its owner may read could be read by everybody after a rewind, and also after its undo.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Mapping

from devs_git.storage.git.objects import EXECUTABLE, FILE

Modes = Mapping[str, int]


def umask() -> int:
    """The umask of this process."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def default_mode(*, executable: bool, mask: int | None = None) -> int:
    """The permissions that git gives a file under a umask, or under the current one. A folder gets those of an executable
    file.
    """
    return (0o777 if executable else 0o666) & ~(umask() if mask is None else mask)


def are_default(found: Modes) -> bool:
    """Whether git would give all these permissions by itself."""
    common = {default_mode(executable=True), default_mode(executable=False)}
    return common.issuperset(found.values())


def modes_after_move(before: Modes, wanted: Modes, changes: Mapping[str, int]) -> dict[str, int]:
    """The permissions to apply after a move: `wanted`, and the unusual permissions of other paths that do not go away.

    `before` are the permissions before the move. `changes` has the files that the move writes or removes, with git's
    mode of the new file, or 0.
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
    """Apply permissions to folders and files, or only to the files `only`. Returns whether any had to change.

    What is behind a link is not ours: a link can be in the place of a folder that an earlier state had.
    """
    given = False
    links: dict[str, bool] = {"": False}

    def is_behind_link(folder: str) -> bool:
        if folder not in links:
            links[folder] = is_behind_link(folder.rpartition("/")[0]) or os.path.islink(f"{top}/{folder}")  # noqa: PTH114 - there may be thousands
        return links[folder]

    # The content of a folder comes before the folder, whose new permissions could forbid the change.
    for path in sorted(wanted, key=lambda path: -path.count("/")):
        folder = path.endswith("/")
        if not folder and only is not None and path not in only:
            continue
        if is_behind_link(path.rstrip("/").rpartition("/")[0]):
            continue
        mode = _mode(f"{top}/{path.rstrip('/')}")
        if mode is None or not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
            continue
        if stat.S_IMODE(mode) != wanted[path]:
            # Another user may own the file.
            with contextlib.suppress(PermissionError):
                os.chmod(f"{top}/{path}", wanted[path])  # noqa: PTH101 - there may be thousands
                given = True
    return given


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
