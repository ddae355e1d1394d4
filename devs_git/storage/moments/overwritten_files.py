"""Finds ignored files that git would overwrite with those of a commit: it does so without a word."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import Git, split_z

# Paths that git gets as arguments; for more it lists all files.
_ARGUMENTS: Final = 200


def find(git: Git, top: Path, revs: Sequence[str]) -> dict[str, int]:
    """The ignored files at, above or below a path that one of the commits has and the index does not; sizes in bytes.

    Words of `revs` that name no commit or tree are skipped. `git` is that of the worktree, with the user's index.
    """
    places: dict[str, None] = {}
    for rev in revs:
        for path in _only_there(git, rev):
            places.update(dict.fromkeys(_in_the_way(top, path)))
    return {path: top.joinpath(path).lstat().st_size for path in _ignored(git, list(places))}


def _only_there(git: Git, rev: str) -> list[str]:
    """The files that a commit has and the index does not."""
    words = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{rev}^{{tree}}")
    status, tree = git.attempt(*words, ok=(0, 1, 128))
    if status:
        return []
    options = ("--cached", "-z", "--name-only", "--no-renames", "--diff-filter=D")
    return split_z(git.run("diff-index", *options, tree.decode().strip(), "--"))


def _in_the_way(top: Path, path: str) -> Iterator[str]:
    """What is on the disk at the path, or the file that is there instead of a folder above it."""
    parts = path.split("/")
    for end in range(1, len(parts) + 1):
        place = "/".join(parts[:end])
        mode = _mode(top / place)
        if mode is None:
            return
        if end == len(parts) or not stat.S_ISDIR(mode):
            yield place
            return


def _ignored(git: Git, places: Sequence[str]) -> Iterator[str]:
    """The ignored files among these files, and in those of the places that are folders."""
    if not places:
        return
    asked = ("--", *places) if len(places) <= _ARGUMENTS else ()
    listed = split_z(git.run("ls-files", "-z", "-o", "-i", "--exclude-standard", *asked))
    wanted = set(places)
    for path in listed:
        parts = path.split("/")
        if not path.endswith("/") and any(
            "/".join(parts[:end]) in wanted for end in range(1, len(parts) + 1)
        ):
            yield path


def _mode(place: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except OSError:
        return None
