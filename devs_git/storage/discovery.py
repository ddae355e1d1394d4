"""Find the repository around a folder without starting git, where it stands as nearly all do.

What decides is git's own order (`setup.c`; `safe.directory` in git-config(1)). Whatever is out of the ordinary is git's to
answer: then there is no answer here, and never a wrong one.
"""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path
from typing import Final

from devs_git.storage.git_program import REPOSITORY_VARIABLES

_TOLD_ELSEWHERE: Final = (*REPOSITORY_VARIABLES, "GIT_DISCOVERY_ACROSS_FILESYSTEM")
# The settings of a repository that move its parts or change its format, and the value with which they do not.
_HARMLESS: Final = {"core.bare": "false", "core.worktree": None, "core.repositoryformatversion": "0"}
_FOREIGN: Final = ("extensions", "include", "includeif")


def top_of(where: Path, *, unset: Container[str] = ()) -> Path | None:
    """The root of the worktree around `where` whose `.git` is a plain folder of our own; None: ask git."""
    if any(name in os.environ for name in _TOLD_ELSEWHERE if name not in unset):
        return None
    try:
        here = where.resolve(strict=True)
        for folder in (here, *here.parents):
            if (folder / ".git").is_dir():
                return folder if _is_plain(folder, folder / ".git") else None
            if _is_odd(folder) or folder.stat().st_dev != here.stat().st_dev:
                return None
    except (OSError, UnicodeDecodeError):  # git says what is wrong
        pass
    return None


def _is_odd(folder: Path) -> bool:
    """Whether git may see a repository here that is no `.git` folder: a bare one, or a file that names another place."""
    return (folder / "HEAD").exists() or os.path.lexists(folder / ".git")


def _is_plain(top: Path, git_dir: Path) -> bool:
    if git_dir.is_symlink() or (git_dir / "commondir").exists():
        return False
    if not all((git_dir / name).is_dir() for name in ("objects", "refs")):
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
    for line in map(str.strip, config.split("\n")):
        if not line or line[0] in "#;":
            continue
        if "\\" in line:
            return False
        if line[0] == "[":
            section, closed, rest = line[1:].lower().partition("]")
            if rest or not closed or section.split(" ")[0].split(".")[0] in _FOREIGN:
                return False
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        setting = f"{section}.{name.lower()}"
        if not (section and equals) or '"' in line or not name.replace("-", "").isalnum():
            return False
        if setting in _HARMLESS and value != _HARMLESS[setting]:
            return False
    return True
