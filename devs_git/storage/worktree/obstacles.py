"""Obstacles: untracked or ignored files at, above or below the paths that a move writes.

git would delete some of them without a warning (measured with `git reset --hard`), so we look first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from devs_git.errors import DevsError, Reason, immovable
from devs_git.values import immutable, mutable


@immutable
class Obstacles:
    """`files` can be captured and moved. Nested `repositories` and `special` files always make us refuse."""

    files: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    special: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.repositories or self.special)


@mutable
class _Found:
    files: set[str]
    repositories: set[str]
    special: set[str]


def find(top: Path, writes: Iterable[str], tracked: Callable[[str], bool]) -> Obstacles:
    """Find the obstacles of the paths `writes` below `top`. `tracked` says whether the index has a path."""
    found = _Found(set(), set(), set())
    # Folders of which we know that they are real folders, or missing.
    clear: set[str] = {""}
    for path in writes:
        if not _blocked_above(top, path, tracked, found, clear):
            _look_at(top, path, tracked, found)
    return Obstacles(
        tuple(sorted(found.files)), tuple(sorted(found.repositories)), tuple(sorted(found.special))
    )


def refusal_of(found: Obstacles, code: str) -> DevsError:
    """The refusal for what was found, with this code. It names at most a hundred paths."""
    reason: Reason = "untracked_in_the_way"
    what, hint = "Untracked files are", "Move or commit them."
    if found.repositories:
        reason, what, hint = "nested_repository", "Nested repositories are", "Move them to another place."
    elif found.special:
        reason, what, hint = "special_file", "Sockets, pipes or devices are", "Move them to another place."
    paths = [*found.repositories, *found.special, *found.files]
    words = f"{what} in the way, such as {paths[0]!r}."
    return immovable(reason, words, code=code, hint=hint, paths=paths[:100])


def _kind(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _blocked_above(
    top: Path, path: str, tracked: Callable[[str], bool], found: _Found, clear: set[str]
) -> bool:
    """Whether a file, a link or a nested repository is where a folder of `path` must be.

    Untracked ones are obstacles. If a folder became a repository later, git may still write tracked paths in it.
    """
    at = path.find("/")
    while at != -1:
        above = path[:at]
        if above not in clear:
            mode = _kind(f"{top}/{above}")
            if mode is not None and not stat.S_ISDIR(mode):
                if not tracked(above):
                    _add(above, mode, found)
                return True
            if mode is not None and os.path.lexists(f"{top}/{above}/.git") and not tracked(path):
                found.repositories.add(above)
                return True
            clear.add(above)
        at = path.find("/", at + 1)
    return False


def _look_at(top: Path, path: str, tracked: Callable[[str], bool], found: _Found) -> None:
    mode = _kind(f"{top}/{path}")
    if mode is None:
        return
    if stat.S_ISDIR(mode):
        _look_below(f"{top}/{path}", path, tracked, found)
    elif not tracked(path) or not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        _add(path, mode, found)


def _look_below(folder: str, path: str, tracked: Callable[[str], bool], found: _Found) -> None:
    with os.scandir(folder) as listing:
        inside = list(listing)
    if any(entry.name == ".git" for entry in inside):
        found.repositories.add(path)
        return
    for entry in inside:
        below = f"{path}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            _look_below(entry.path, below, tracked, found)
        elif not tracked(below):
            _add(below, os.lstat(entry.path).st_mode, found)


def _add(path: str, mode: int, found: _Found) -> None:
    plain = stat.S_ISREG(mode) or stat.S_ISLNK(mode)
    (found.files if plain else found.special).add(path)
