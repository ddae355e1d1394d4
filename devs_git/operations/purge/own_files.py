"""Files of devs-git in the git directories that contain a secret: captured payloads, and what an interrupted operation left.

The catalog is not among them, nor are the worktrees that `snapshot open` made: a person removes those.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from devs_git.domain.recall.purge_terms import Remainder, contains, stream_contains
from devs_git.storage.catalog import purge_rows
from devs_git.storage.catalog.database import NAME, Catalog
from devs_git.storage.catalog.sessions import written_files
from devs_git.storage.git import loose_objects
from devs_git.storage.git.places import Places

_OBJECTS: Final = ("saved", "newest")  # second names of loose objects
# Folders whose files `purge` deletes.
_GOES: Final = ("spool", "transcripts", "op", "raw", "moments", *_OBJECTS)
_AT_ONCE: Final = 1 << 20  # bytes
_LEFT_ALONE: Final = "open"
# Where git keeps the messages and patches of an unfinished operation, and the commands that end it.
_UNDER_WAY: Final = {
    "rebase-merge": "git rebase --continue, or git rebase --abort",
    "rebase-apply": "git am --abort, or git rebase --abort",
    "sequencer": "git cherry-pick --abort, or git revert --abort",
    "BISECT_LOG": "git bisect reset",
}


def find_files(every: Iterable[Places], forms: tuple[bytes, ...]) -> tuple[list[Path], list[Remainder]]:
    """The files that `purge` deletes, and those that a person has to look at. A file that vanishes meanwhile is skipped."""
    going: list[Path] = []
    left: list[Remainder] = []
    for folder in dict.fromkeys(folder for one in every for folder in (one.shared, one.own)):
        for path in _files(folder):
            with contextlib.suppress(FileNotFoundError):
                if not file_holds(path, forms):
                    continue
            if path.relative_to(folder).parts[0] in _GOES:
                going.append(path)
            elif path.exists():
                left.append(
                    Remainder(str(path), "delete it: devs-git made it, and the next command makes it again")
                )
    return sorted(set(going)), left


def file_holds(path: Path, forms: tuple[bytes, ...]) -> bool:
    """Whether the file, of any size, contains one of the forms; OSError where it cannot be read."""
    known = loose_objects.read_file(path) if path.parent.name in _OBJECTS else None
    if known:
        return contains(known[1], forms)
    with path.open("rb") as stream:
        return stream_contains(iter(partial(stream.read, _AT_ONCE), b""), forms)


def find_on_disk(every: Iterable[Places], path: str) -> Iterator[Remainder]:
    """The file or folder itself, in each worktree that has it."""
    for top in dict.fromkeys(one.top for one in every if path and one.top):
        if os.path.lexists(top / path):
            yield Remainder(str(top / path), "it is your own file: delete it, or write it without the secret")


def find_in_git_messages(every: Iterable[Places], forms: tuple[bytes, ...]) -> Iterator[Remainder]:
    """Files of git that contain it: the message of the last commit or of an unfinished merge, the messages and patches of
    an unfinished rebase, cherry-pick, am or bisect, which git needs to continue, and the conflicts that rerere stores.
    """
    for folder in dict.fromkeys(one.git_dir for one in every):
        for path in sorted(folder.glob("*MSG")):
            if _readable_and_holds(path, forms):
                yield Remainder(str(path), f"rm {shlex.quote(str(path))}")
        for name, command in _UNDER_WAY.items():
            for path in sorted((folder / name, *_regular(folder / name))):
                if _readable_and_holds(path, forms):
                    yield Remainder(str(path), f"end the operation that uses it: {command}")
    for common in dict.fromkeys(one.common for one in every):
        # rerere stores pieces of files.
        for path in sorted(_regular(common / "rr-cache")):
            if _readable_and_holds(path, forms):
                yield Remainder(str(path), f"rm {shlex.quote(str(path))}")


def _readable_and_holds(path: Path, forms: tuple[bytes, ...]) -> bool:
    with contextlib.suppress(OSError):
        return file_holds(path, forms)
    return False


def find_sessions(catalog: Catalog, forms: tuple[bytes, ...]) -> tuple[list[Path], list[Remainder]]:
    """The sessions that devs-git wrote for clients and that contain it, and the transcripts of agents that do."""
    ours = [file.path for file in written_files.list_files(catalog) if file.is_ours]
    others = [file.path for file in written_files.list_files(catalog) if not file.is_ours]
    theirs = sorted({*purge_rows.transcripts(catalog), *others}.difference(ours))
    going = [path for path in ours if forms and _readable_and_holds(path, forms)]
    return going, [
        Remainder(str(path), "it belongs to the agent: delete it, or devs-git reads it again")
        for path in theirs
        if forms and _readable_and_holds(path, forms)
    ]


def _files(folder: Path) -> Iterator[Path]:
    for path in _regular(folder, left_alone=_LEFT_ALONE):
        if not path.name.startswith(NAME):
            yield path


def _regular(folder: Path, left_alone: str = "") -> Iterator[Path]:
    """The regular files below a folder, without links; none where there is no such folder."""
    for where, folders, names in os.walk(folder):
        if Path(where) == folder:
            folders[:] = [name for name in folders if name != left_alone]
        for path in (Path(where, name) for name in names):
            if not path.is_symlink() and path.is_file():
                yield path


def remove(paths: Iterable[Path]) -> None:
    """Delete the files; one that is gone already is skipped."""
    for path in paths:
        path.unlink(missing_ok=True)
