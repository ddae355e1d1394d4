"""Find the repository around a folder without starting git, where it stands as nearly all do.

What decides is git's own order (`setup.c`; `safe.directory` in git-config(1)). Whatever is out of the ordinary is git's to
answer: then there is no answer here, and never a wrong one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import REPOSITORY_VARIABLES

_TOLD_ELSEWHERE: Final = (*REPOSITORY_VARIABLES, "GIT_DISCOVERY_ACROSS_FILESYSTEM")
# The settings of a repository that move its parts or change its format, and the value with which they do not.
_HARMLESS: Final = {"core.bare": "false", "core.worktree": None, "core.repositoryformatversion": "0"}
_FOREIGN: Final = ("extensions", "include", "includeif")
# The plainest forms alone: of whatever else git may make something, or call the file damaged.
_SECTION: Final = re.compile(r'\[([A-Za-z0-9.-]+)(?: +"[^"\\\]\0]*")?\]')
_SETTING: Final = re.compile(r'([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^"\\\0]*)')


def top_of(where: Path, *, unset: Container[str] = ()) -> Path | None:
    """The root of the worktree around `where` whose `.git` is a plain folder of our own; None: ask git."""
    if any(name in os.environ for name in _TOLD_ELSEWHERE if name not in unset):
        return None
    try:
        here = where.resolve(strict=True)
        if not here.is_dir():
            return None
        for folder in (here, *here.parents):
            if folder.stat().st_dev != here.stat().st_dev:  # git does not look above a mount point
                return None
            if (folder / ".git").is_dir():
                return folder if _is_plain(folder, folder / ".git") else None
            if _is_odd(folder):
                return None
    except (OSError, UnicodeDecodeError):  # git says what is wrong
        pass
    return None


def _is_odd(folder: Path) -> bool:
    """Whether git may see a repository here that is no `.git` folder: a bare one, or a file that names another place."""
    return any(
        os.path.lexists(folder / name) for name in ("HEAD", ".git")
    )  # HEAD may be a link to no branch yet


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
    """Whether every line is of the plainest form, and none moves a part of the repository."""
    section = ""
    for line in (line.strip(" \t\r") for line in config.split("\n")):
        if not line or line[0] in "#;":
            continue
        if head := _SECTION.fullmatch(line):
            section = head[1].lower()
            if section.partition(".")[0] in _FOREIGN:
                return False
        elif section and (setting := _SETTING.fullmatch(line)):
            name, value = f"{section}.{setting[1].lower()}", setting[2]
            if value != _HARMLESS.get(name, value):
                return False
        else:
            return False
    return True
