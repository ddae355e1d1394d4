"""The files of our own below the git directories that hold a secret: captured payloads, and what a broken operation left.

The catalog is no such file, nor are worktrees that `snapshot open` made, which are a person's to remove.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from devs_git.domain.recall.purge_terms import Left, hold, holds
from devs_git.storage.catalog.database import NAME
from devs_git.storage.git import loose_objects
from devs_git.storage.git.places import Places

_OBJECTS: Final = ("saved", "newest")  # second names of loose objects
_GOES: Final = ("spool", "op", "raw", *_OBJECTS)  # folders of ours whose files are nobody else's
_AT_ONCE: Final = 1 << 20  # bytes
_LEFT_ALONE: Final = "open"
# Where git keeps the messages and patches of what was interrupted, and what ends that.
_UNDER_WAY: Final = {
    "rebase-merge": "git rebase --continue, or git rebase --abort",
    "rebase-apply": "git am --abort, or git rebase --abort",
    "sequencer": "git cherry-pick --abort, or git revert --abort",
    "BISECT_LOG": "git bisect reset",
}


def find_files(every: Iterable[Places], forms: tuple[bytes, ...]) -> tuple[list[Path], list[Left]]:
    """The files that go, and those that a person has to look at; what is gone meanwhile is no matter."""
    going: list[Path] = []
    left: list[Left] = []
    for folder in dict.fromkeys(folder for one in every for folder in (one.shared, one.own)):
        for path in _files(folder):
            with contextlib.suppress(FileNotFoundError):
                if not file_holds(path, forms):
                    continue
            if path.relative_to(folder).parts[0] in _GOES:
                going.append(path)
            elif path.exists():
                left.append(
                    Left(str(path), "look at it: it is a note of ours, made again by the next command")
                )
    return sorted(set(going)), left


def file_holds(path: Path, forms: tuple[bytes, ...]) -> bool:
    """Whether one of the forms stands in a file, of any size; OSError where it cannot be read."""
    known = loose_objects.read_file(path) if path.parent.name in _OBJECTS else None
    if known:
        return holds(known[1], forms)
    with path.open("rb") as stream:
        return hold(iter(partial(stream.read, _AT_ONCE), b""), forms)


def on_disk(every: Iterable[Places], path: str) -> Iterator[Left]:
    """The file or folder itself, where a worktree has it."""
    for top in dict.fromkeys(one.top for one in every if path and one.top):
        if os.path.lexists(top / path):
            yield Left(str(top / path), "it is a file of yours: delete it, or write it without the secret")


def messages(every: Iterable[Places], forms: tuple[bytes, ...]) -> Iterator[Left]:
    """The files in which git itself keeps a message, of the last commit or of a merge under way, and messages and patches of a
    rebase, a cherry-pick, an am or a bisect that is under way: git needs these to go on. Conflicts that rerere remembers, too.
    """
    for folder in dict.fromkeys(one.git_dir for one in every):
        for path in sorted(folder.glob("*MSG")):
            if _readable_and_holds(path, forms):
                yield Left(str(path), f"rm {shlex.quote(str(path))}")
        for name, command in _UNDER_WAY.items():
            for path in sorted((folder / name, *_regular(folder / name))):
                if _readable_and_holds(path, forms):
                    yield Left(str(path), f"end what is under way: {command}")
    for common in dict.fromkeys(one.common for one in every):
        # What rerere remembers of conflicts is pieces of files.
        for path in sorted(_regular(common / "rr-cache")):
            if _readable_and_holds(path, forms):
                yield Left(str(path), f"rm {shlex.quote(str(path))}")


def _readable_and_holds(path: Path, forms: tuple[bytes, ...]) -> bool:
    with contextlib.suppress(OSError):
        return file_holds(path, forms)
    return False


def transcripts(paths: Iterable[Path], forms: tuple[bytes, ...]) -> Iterator[Left]:
    """Those of an agent's own files that hold it."""
    for path in paths:
        with contextlib.suppress(OSError):
            if forms and file_holds(path, forms):
                yield Left(str(path), "it is the agent's own: delete it, or it is read again")


def _files(folder: Path) -> Iterator[Path]:
    for path in _regular(folder, left_alone=_LEFT_ALONE):
        if not path.name.startswith(NAME):
            yield path


def _regular(folder: Path, left_alone: str = "") -> Iterator[Path]:
    """The files below a folder, links left out; none where there is no such folder."""
    for where, folders, names in os.walk(folder):
        if Path(where) == folder:
            folders[:] = [name for name in folders if name != left_alone]
        for path in (Path(where, name) for name in names):
            if not path.is_symlink() and path.is_file():
                yield path


def remove(paths: Iterable[Path]) -> None:
    """Take the files away; one that is gone already is no matter."""
    for path in paths:
        path.unlink(missing_ok=True)
