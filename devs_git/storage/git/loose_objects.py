"""Read and write loose objects without the object library, which takes 50 ms to import.

A command that only appends an event reads the newest objects of the ledger and writes a few small ones. They are loose.
The library (objects.py) handles packed, large and damaged objects.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from devs_git.values import Final

try:
    # Without OpenSSL, which takes some milliseconds to load.
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:
    from hashlib import sha1

__all__ = ("SMALL", "exists", "read", "read_file", "sha1", "write")

# Bytes of the largest object that is read or written here.
SMALL: Final = 1 << 20
# git's own zlib level for loose objects.
_SPEED: Final = 1
_TRIES: Final = 20
# gc deletes what a crash leaves under such a name.
_TEMPORARY: Final = "tmp_obj_"
_READ_ONLY: Final = 0o444


def _path(folder: Path, oid: str) -> str:
    # A moment reads some dozens of trees, and `pathlib` takes longer than the disk.
    return f"{os.fspath(folder)}/{oid[:2]}/{oid[2:]}"


def read(folder: Path, oid: str) -> tuple[str, bytes] | None:
    """Kind and bytes of a loose object; None if it is missing, damaged or large."""
    return read_file(_path(folder, oid))


def read_file(file: Path | str) -> tuple[str, bytes] | None:
    """Kind and bytes of the loose object in a file; None if it is missing, damaged or large."""
    unpacking = zlib.decompressobj()
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            packed = os.read(descriptor, min(os.fstat(descriptor).st_size, 2 * SMALL))
        finally:
            os.close(descriptor)
        head, nul, data = unpacking.decompress(packed, 2 * SMALL).partition(b"\0")
    except (OSError, zlib.error):
        return None
    if not unpacking.eof:
        return None
    kind, _, size = head.partition(b" ")
    return (kind.decode(), data) if nul and size == b"%d" % len(data) else None


def exists(folder: Path, oid: str) -> bool:
    return os.path.isfile(_path(folder, oid))  # noqa: PTH113 - as above


def write(folder: Path, kind: str, data: bytes, *, durable: bool = True) -> str:
    """Store a small object and return its oid. A `durable` one is on disk then. An object that exists already gets a new time, as git does it."""
    whole = b"%s %d\0%s" % (kind.encode(), len(data), data)
    oid: str = sha1(whole, usedforsecurity=False).hexdigest()
    path = Path(_path(folder, oid))
    try:
        os.utime(path)
    except FileNotFoundError:
        _write_file(path, zlib.compress(whole, _SPEED), durable=durable)
    return oid


def _write_file(path: Path, data: bytes, *, durable: bool) -> None:
    """Write the file of an object. Tries again if a gc deletes the empty folder or the temporary file."""
    from devs_git.storage.git.files import replacement

    for tries_left in reversed(range(_TRIES)):
        path.parent.mkdir(exist_ok=True)
        try:
            with replacement(path, mode=_READ_ONLY, durable=durable, prefix=_TEMPORARY) as stream:
                stream.write(data)
        except FileNotFoundError:
            if not tries_left:
                raise
        else:
            return
