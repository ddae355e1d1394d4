"""Which files an archive would write over. It is only listed, and nothing is unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

# Entries of one archive, and bytes of a compressed one that are read to find them.
_ENTRIES: Final = 10_000
_BYTES: Final = 256 << 20
_BROKEN: Final = (
    OSError, EOFError, ValueError, NotImplementedError, tarfile.TarError, lzma.LZMAError, zlib.error, zipfile.BadZipFile
)  # fmt: skip


def in_the_way(named: Sequence[str], folder: str) -> tuple[str, ...]:
    """The files that exist where the archives among the absolute paths `named` would write theirs.

    That may be in `folder`, or in a folder that is named, too. An option can take leading folders from the names of the
    entries, so each end of such a name counts.
    """
    folders = [Path(folder), *(Path(path) for path in named if os.path.isdir(path))]  # noqa: PTH112
    found: dict[str, None] = {}
    for archive in named:
        for name in _entries(Path(archive)):
            parts = [part for part in name.split("/") if part not in ("", ".", "..")]
            for start in range(len(parts)):
                places = (os.fspath(top.joinpath(*parts[start:])) for top in folders)
                found |= dict.fromkeys(place for place in places if os.path.lexists(place))
    return tuple(place for place in found if os.path.islink(place) or not os.path.isdir(place))  # noqa: PTH112, PTH114


def _entries(archive: Path) -> Iterator[str]:
    """The names of at most `_ENTRIES` entries; nothing for a file that is no archive."""
    if not archive.is_file():
        return
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                yield from opened.namelist()[:_ENTRIES]
            return
    except _BROKEN:
        return
    for unpack in (gzip.open, bz2.open, lzma.open, open):
        try:
            with unpack(archive, "rb") as stream:
                yield from _of_tape(_Limited(stream.read))
        except _BROKEN:
            continue


def _of_tape(stream: _Limited) -> Iterator[str]:
    with tarfile.open(fileobj=stream, mode="r|") as tape:  # type: ignore[call-overload]
        for number, entry in enumerate(tape):
            if number == _ENTRIES:
                return
            yield entry.name


class _Limited:
    """Reads of a stream until there were too many bytes: a small archive may be a very large one inside."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._left = _BYTES

    def read(self, size: int) -> bytes:
        self._left -= size
        return self._read(size) if self._left > 0 else b""
