"""The files of our own below the git directories that hold a secret: captured payloads, and what a broken operation left.

The catalog is no such file, nor are worktrees that `snapshot open` made, which are a person's to remove.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.purging import Left, holds
from devs_git.storage import loose
from devs_git.storage.catalog.database import NAME
from devs_git.storage.places import Places

_OBJECTS: Final = ("saved", "newest")  # second names of loose objects
_GOES: Final = ("spool", "op", "raw", *_OBJECTS)  # folders of ours whose files are nobody else's
_LEFT_ALONE: Final = "open"


def holding(every: Iterable[Places], forms: tuple[bytes, ...]) -> tuple[list[Path], list[Left]]:
    """The files that go, and those that a person has to look at; what is gone meanwhile is no matter."""
    going: list[Path] = []
    left: list[Left] = []
    for folder in dict.fromkeys(folder for one in every for folder in (one.shared, one.own)):
        for path in _files(folder):
            with contextlib.suppress(FileNotFoundError):
                if not holds(_content(path), forms):
                    continue
            if path.relative_to(folder).parts[0] in _GOES:
                going.append(path)
            elif path.exists():
                left.append(
                    Left(str(path), "look at it: it is a note of ours, made again by the next command")
                )
    return sorted(set(going)), left


def _files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        if Path(where) == folder:
            folders[:] = [name for name in folders if name != _LEFT_ALONE]
        for name in names:
            path = Path(where) / name
            if not name.startswith(NAME) and not path.is_symlink() and path.is_file():
                yield path


def _content(path: Path) -> bytes:
    known = loose.read_file(path) if path.parent.name in _OBJECTS else None
    return known[1] if known else path.read_bytes()


def remove(paths: Iterable[Path]) -> None:
    """Take the files away; one that is gone already is no matter."""
    for path in paths:
        path.unlink(missing_ok=True)
