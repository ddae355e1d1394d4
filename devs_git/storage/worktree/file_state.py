"""The state of files and links at one moment, so that a later look shows whether somebody has written to them.

We hash the bytes ourselves and do not ask git. git calls a file unchanged if its times are unchanged, and the file may
have been written with other attributes and filters than the current ones.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence

from devs_git.errors import DevsError
from devs_git.storage.git import loose_objects
from devs_git.values import Final, immutable

_PIECE: Final = 1 << 20
# The clock of a file system advances in steps of 4 to 10 ms.
_TICK_NS: Final = 20_000_000


@immutable
class FileState:
    """A file or link: its mode with the type, the oid of its bytes, and its `mark`.

    `mark` is the inode, the size in bytes, and the times of write and change in nanoseconds. A file is `fresh` if it was
    written so recently that another write could leave the same mark.
    """

    mode: int
    mark: tuple[int, int, int, int]
    oid: str
    fresh: bool

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    def has_permissions(self, wanted: int | None) -> bool:
        """Whether it has these permissions. None stands for any, and a link has none of its own."""
        return wanted is None or self.is_link or stat.S_IMODE(self.mode) == wanted


FileStates = dict[str, FileState]


def changed_meanwhile(paths: Sequence[str], what: str = "Files") -> DevsError:
    """PLAN_STALE: somebody wrote to these files between a look and the next step. `what` begins the sentence."""
    return DevsError(
        "PLAN_STALE",
        f"{what} changed during the operation, such as {paths[0]!r} ({len(paths)} in all).",
        hint="Check the files, then run the command again.",
        paths=list(paths[:100]),
    )


@immutable
class FilesAndModes:
    """Files and links by path. `modes` has the permissions of files and of their folders, whose names end with a slash."""

    files: FileStates
    modes: dict[str, int]


def look(top: str, paths: Iterable[str]) -> FilesAndModes:
    """Look at `paths`. The result has only files and links, and nothing behind a linked folder.

    OSError for an unreadable file.
    """
    found: FileStates = {}
    modes: dict[str, int] = {}
    # Whether each path is a real folder, and not a link to one.
    folders: dict[str, bool] = {"": True}

    def real(folder: str) -> bool:
        if folder not in folders:
            facts = _facts(f"{top}/{folder}") if real(folder.rpartition("/")[0]) else None
            folders[folder] = facts is not None and stat.S_ISDIR(facts.st_mode)
            if facts is not None and folders[folder]:
                modes[f"{folder}/"] = stat.S_IMODE(facts.st_mode)
        return folders[folder]

    for path in paths:
        if path not in found and real(path.rpartition("/")[0]) and (state := look_at(f"{top}/{path}")):
            found[path] = state
            if not state.is_link:
                modes[path] = stat.S_IMODE(state.mode)
    return FilesAndModes(found, modes)


def look_at(place: str) -> FileState | None:
    """Look at one file or link; None if there is none."""
    facts = _facts(place)
    if facts is None or not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
        return None
    fresh = time.time_ns() - facts.st_ctime_ns < _TICK_NS
    return FileState(facts.st_mode, _mark(facts), _oid(place, facts), fresh)


def mark_of(place: str) -> tuple[int, ...]:
    """Mode and mark of one file or link, without its bytes; empty if there is none."""
    facts = _facts(place)
    return (facts.st_mode, *_mark(facts)) if facts else ()


def is_same(place: str, before: FileState | None, *, renamed: bool = False) -> bool:
    """Whether `place` still has the file or link `before`, or nothing if `before` is None.

    `renamed`: we have renamed the file since. A rename changes its time of change, which is then not compared.
    """
    facts = _facts(place)
    if facts is None or before is None:
        return facts is None and before is None
    if stat.S_IFMT(facts.st_mode) != stat.S_IFMT(before.mode):
        return False
    marks = 3 if renamed else 4
    if _mark(facts)[:marks] == before.mark[:marks] and not before.fresh:
        return True
    return _oid(place, facts) == before.oid


def blob_oid(pieces: Iterable[bytes], size: int) -> str:
    """The oid of a blob with these bytes. It is right only if `size` is their number."""
    head = b"blob %d\0" % size
    if size <= loose_objects.SMALL:
        digest = loose_objects.sha1(head, usedforsecurity=False)
    else:
        # It is quicker, but takes some milliseconds to load, and a hook of a client has few.
        import hashlib

        digest = hashlib.sha1(head, usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
    oid: str = digest.hexdigest()
    return oid


def _oid(place: str, facts: os.stat_result) -> str:
    if stat.S_ISLNK(facts.st_mode):
        target = os.readlink(os.fsencode(place))  # noqa: PTH115 - there may be thousands
        return blob_oid((target,), len(target))
    return blob_oid(_pieces(place), facts.st_size)


def _pieces(place: str) -> Iterator[bytes]:
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while piece := os.read(descriptor, _PIECE):
            yield piece
    finally:
        os.close(descriptor)


def _mark(facts: os.stat_result) -> tuple[int, int, int, int]:
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _facts(place: str) -> os.stat_result | None:
    try:
        return os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
