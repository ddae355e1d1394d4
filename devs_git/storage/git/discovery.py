"""Find the repository around a folder without starting git, if it has the usual layout.

The order is git's own (`setup.c`; `safe.directory` in git-config(1)). For any unusual layout the answer is None, never a
wrong one, and the caller asks git.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container
from pathlib import Path

from devs_git.storage.git.program import REPOSITORY_VARIABLES
from devs_git.values import Final

_OVERRIDES: Final = (*REPOSITORY_VARIABLES, "GIT_DISCOVERY_ACROSS_FILESYSTEM")
# Settings that move parts of a repository or change its format, with the value that changes nothing.
_HARMLESS: Final = {"core.bare": "false", "core.worktree": None, "core.repositoryformatversion": "0"}
_FOREIGN: Final = ("extensions", "include", "includeif")
# Only the plainest forms: git may read more into any other form, or call the file damaged.
_SECTION: Final = r'\[([A-Za-z0-9.-]+)(?: +"[^"\\\]\0]*")?\]'
# A value in quotes, from its beginning to its end, is git's form of an alias such as ours.
_SETTING: Final = r'([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^"\\\0]*|"(?:[^"\\\0]|\\["\\nt])*")'


def top_of(where: Path, *, unset: Container[str] = ()) -> Path | None:
    """The top of the worktree around `where`, if its `.git` is a plain folder of this user. None: ask git."""
    if any(name in os.environ for name in _OVERRIDES if name not in unset):
        return None
    try:
        here = where.resolve(strict=True)
        if not here.is_dir():
            return None
        for folder in (here, *here.parents):
            # git does not search above a mount point.
            if folder.stat().st_dev != here.stat().st_dev:
                return None
            if (folder / ".git").is_dir():
                return folder if _is_plain(folder, folder / ".git") else None
            if _is_odd(folder):
                return None
    except (OSError, UnicodeDecodeError):
        # The caller asks git, which says what is wrong.
        pass
    return None


def bare_repository_around(where: str) -> Path | None:
    """The folder at or above `where` that git takes for a repository itself, before it finds a `.git`; None for no such.

    Files that somebody tracked can be such a folder. Its configuration can name programs, which git then starts.
    """
    here = Path(os.path.realpath(where))
    # Nothing of that name can be tracked.
    if ".git" in here.parts:
        return None
    for folder in (here, *here.parents):
        if (folder / ".git").is_file() or _has_parts(folder / ".git"):
            return None
        if _has_parts(folder):
            return folder
    return None


def _has_parts(folder: Path) -> bool:
    """Whether git may take a folder for a git directory. With a file `commondir` the other parts are elsewhere."""
    there = {name for name in ("HEAD", "commondir", "objects", "refs") if os.path.lexists(folder / name)}
    return "HEAD" in there and ("commondir" in there or {"objects", "refs"} <= there)


def _is_odd(folder: Path) -> bool:
    """Whether git may find a repository here without a `.git` folder: a bare one, or a file that names another place."""
    # HEAD may be a link to a branch that does not exist yet.
    return any(os.path.lexists(folder / name) for name in ("HEAD", ".git"))


def _is_plain(top: Path, git_dir: Path) -> bool:
    if git_dir.is_symlink() or os.path.lexists(git_dir / "commondir"):
        return False
    parts = [git_dir / name for name in ("objects", "refs")]
    if not all(part.is_dir() and os.access(part, os.X_OK) for part in parts):
        return False
    if {top.stat().st_uid, git_dir.stat().st_uid} != {os.geteuid()}:
        return False
    head = git_dir / "HEAD"
    if head.is_symlink() or not head.read_bytes().startswith(b"ref: refs/heads/"):
        return False
    return _is_harmless((git_dir / "config").read_text("utf-8"))


def _is_harmless(config: str) -> bool:
    """Whether every line has the plainest form, and none moves a part of the repository."""
    section = ""
    for line in (line.strip(" \t\r") for line in config.split("\n")):
        if not line or line[0] in "#;":
            continue
        if head := re.fullmatch(_SECTION, line):
            section = head[1].lower()
            if section.partition(".")[0] in _FOREIGN:
                return False
        elif section and (setting := re.fullmatch(_SETTING, line)):
            name, value = f"{section}.{setting[1].lower()}", setting[2]
            if value != _HARMLESS.get(name, value):
                return False
        else:
            return False
    return True
