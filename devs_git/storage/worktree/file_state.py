"""Files and links as they were looked at, so that a later look tells whether somebody has written since.

The bytes are hashed here and not asked of git: git's index says that a file is unchanged where its times are, and what
is on disk may have been written under other attributes and filters than those of now.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from typing import Final

from devs_git.values import immutable

_PIECE: Final = 1 << 20
_TICK_NS: Final = 20_000_000  # a file system's clock goes on in steps of 4 to 10 ms


@immutable
class FileState:
    """A file or link: its mode with the type, `mark` (inode, size, times of write and change in ns), and its bytes' oid.

    `fresh`: it was written so shortly before that another write could leave the same mark.
    """

    mode: int
    mark: tuple[int, int, int, int]
    oid: str
    fresh: bool

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


FileStates = dict[str, FileState]


@immutable
class FilesAndModes:
    """Files and links, and the permissions of the files and of the folders above them, whose names end in a slash."""

    files: FileStates
    modes: dict[str, int]


def look(top: str, paths: Iterable[str]) -> FilesAndModes:
    """What there is of `paths`; what is behind a link, or neither file nor link, is not. OSError for an unreadable file."""
    found: FileStates = {}
    modes: dict[str, int] = {}
    folders: dict[str, bool] = {"": True}  # whether it is a folder, and no link to one

    def real(folder: str) -> bool:
        if folder not in folders:
            facts = _facts(f"{top}/{folder}") if real(folder.rpartition("/")[0]) else None
            folders[folder] = facts is not None and stat.S_ISDIR(facts.st_mode)
            if facts is not None and folders[folder]:
                modes[f"{folder}/"] = stat.S_IMODE(facts.st_mode)
        return folders[folder]

    for path in paths:
        if path not in found and real(path.rpartition("/")[0]) and (sight := look_at(f"{top}/{path}")):
            found[path] = sight
            if not sight.is_link:
                modes[path] = stat.S_IMODE(sight.mode)
    return FilesAndModes(found, modes)


def look_at(place: str) -> FileState | None:
    """One file or link, or None."""
    facts = _facts(place)
    if facts is None or not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
        return None
    fresh = time.time_ns() - facts.st_ctime_ns < _TICK_NS
    return FileState(facts.st_mode, _mark(facts), _oid(place, facts), fresh)


def is_same(place: str, sight: FileState | None, *, renamed: bool = False) -> bool:
    """Whether at `place` is what was seen, or nothing where nothing was; `renamed` by us since, which counts as a change."""
    facts = _facts(place)
    if facts is None or sight is None:
        return facts is None and sight is None
    if stat.S_IFMT(facts.st_mode) != stat.S_IFMT(sight.mode):
        return False
    marks = 3 if renamed else 4
    if _mark(facts)[:marks] == sight.mark[:marks] and not sight.fresh:
        return True
    return _oid(place, facts) == sight.oid


def blob_oid(pieces: Iterable[bytes], size: int) -> str:
    """The oid of a blob; of something else where the size is not that of the bytes."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


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
