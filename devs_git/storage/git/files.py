"""The one way to write a file so that no reader and no crash ever meets half of it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import BinaryIO

# Bytes of one read.
_PIECE: Final = 1 << 16
PRIVATE: Final = 0o600
# Of any new file, before the umask.
PUBLIC: Final = 0o666


@contextlib.contextmanager
def replacement(
    path: Path, *, mode: int = PRIVATE, exact: bool = False, durable: bool = False, prefix: str = ""
) -> Iterator[BinaryIO]:
    """A stream for a temporary file that becomes `path` after the body, by a rename. If anything fails, `path` stays as it was.

    The umask narrows `mode`, unless it is `exact`. A `durable` file is on disk when this returns, and so is its name.
    `prefix` begins the name of the temporary file, which is in the same folder. OSError.
    """
    # Two threads of one server may write the same file, so a process id is not enough.
    temporary = path.with_name(f"{prefix or f'.{path.name}.'}{os.getpid()}_{os.urandom(4).hex()}")
    # O_EXCL follows no link that somebody put there.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if exact:
                os.fchmod(descriptor, mode)
            yield stream
            if durable:
                stream.flush()
                os.fsync(descriptor)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def replace_file(
    path: Path, data: bytes, *, mode: int = PRIVATE, exact: bool = False, durable: bool = False
) -> None:
    """Write `data` to `path` as `replacement` does. Folders that are missing are made, for this user alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacement(path, mode=mode, exact=exact, durable=durable) as stream:
        stream.write(data)


def copy(source: Path, target: Path) -> None:
    """Copy the bytes of a file, its mode and its times. `target` may be a second name of `source`, or a link: the name then
    becomes a file of its own. OSError.

    `shutil.copy2` takes the times by the name, after it has read. If git writes a new index meanwhile, old bytes would get
    new times, and git would take a changed file for an unchanged one.
    """
    with source.open("rb", buffering=0) as here:
        target.unlink(missing_ok=True)
        with target.open("xb") as there:
            while piece := here.read(_PIECE):
                there.write(piece)
        facts = os.fstat(here.fileno())
    target.chmod(stat.S_IMODE(facts.st_mode))
    os.utime(target, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def are_same(one: Path, other: Path) -> bool:
    """Whether two files have the same bytes. They are read in pieces, because a large index would fill new memory. OSError."""
    mine, theirs = bytearray(_PIECE), bytearray(_PIECE)
    with one.open("rb", buffering=0) as here, other.open("rb", buffering=0) as there:
        while (count := here.readinto(mine)) == there.readinto(theirs) and mine == theirs:
            if not count:
                return True
    return False


def read_only(path: Path) -> str:
    """The URI to open a database without writing.

    With `immutable`, SQLite makes no other files, and does not read the log `-wal`. So `immutable` is used only if the log
    is empty: while the database is open elsewhere, the log has the newest rows.
    """
    from urllib.parse import quote

    try:
        held = path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        held = False
    return f"file:{quote(os.fspath(path))}?mode=ro" + ("" if held else "&immutable=1")
