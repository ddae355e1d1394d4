"""Which folders of PATH belong to somebody else than this repository: only from them is a client's program started.

A repository also brings what lies in its other worktrees, in the repository of which it is a submodule, and in any other
repository around it. A folder is compared by its name and by its number on the disk, because a disk may ignore case.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.storage.git.places import Places

_FILE: Final = b"gitdir: "
_Mark = str | tuple[int, int]


class Foreign:
    """Sorts paths into those of this repository, or of one around it, and those of others."""

    def __init__(self, places: Places) -> None:
        self._common = _real(places.common)
        starts = [self._common, *([_real(places.top)] if places.top else [])]
        self._ours = {mark for one in _known(places) for mark in _marks(_real(one))}
        self._above = {mark for start in starts for mark in _chain(start)}
        # The first repository around this one for which a path was refused.
        self.around: Path | None = None

    def folders(self) -> Iterator[str]:
        """The folders of PATH that belong to others. A relative one may be in this repository tomorrow."""
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            if Path(folder).is_absolute() and self.has(Path(folder)):
                yield folder

    def has(self, path: Path) -> bool:
        """Whether neither the path, nor the file to which it links, belongs to this repository or to one around it."""
        named = Path(os.path.abspath(path))  # noqa: PTH100 - keeps odd bytes
        return not any(self._brings(folder) for one in {_real(path), named} for folder in (one, *one.parents))

    def _brings(self, folder: Path) -> bool:
        marks = _marks(folder)
        if marks & self._ours:
            return True
        if not os.path.lexists(folder / ".git"):
            return False
        if marks & self._above:
            self.around = self.around or folder
            return True
        return any(map(self._is_related, _git_dirs(folder)))

    def _is_related(self, git_dir: Path) -> bool:
        """Whether the git directory is ours, or one of the two contains the other, as that of a submodule."""
        return bool(_marks(git_dir) & _chain(self._common) or _marks(self._common) & _chain(git_dir))


def _known(places: Places) -> Iterator[Path]:
    """The git directories of this repository and all worktrees that they name."""
    yield from (places.common, places.git_dir)
    if places.top:
        yield places.top
    if places.common.name == ".git":
        yield places.common.parent
    for file in places.common.glob("worktrees/*/gitdir"):
        if text := _line(file):
            # git 2.48 can write a relative one.
            yield (file.parent / os.fsdecode(text)).parent


def _git_dirs(top: Path) -> Iterator[Path]:
    """The git directory to which a worktree's `.git` leads, and the one that it shares with other worktrees."""
    git_dir, text = top / ".git", _line(top / ".git")
    if text.startswith(_FILE):
        git_dir = top / os.fsdecode(text.removeprefix(_FILE))
    yield _real(git_dir)
    if text := _line(git_dir / "commondir"):
        yield _real(git_dir / os.fsdecode(text))


def _line(file: Path) -> bytes:
    """What the file says, without its line end; b'' if it is no file that can be read."""
    try:
        return bounded.read_regular(file, limits.DOCUMENT, str(file)).rstrip(b"\r\n")
    except (OSError, ValueError, DevsError):
        return b""


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        # A name with a NUL byte.
        return path


def _chain(path: Path) -> set[_Mark]:
    return {mark for folder in (path, *path.parents) for mark in _marks(folder)}


def _marks(path: Path) -> set[_Mark]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return {str(path)}
    return {str(path), (found.st_dev, found.st_ino)}
