"""The file `last` of a worktree: what the newest moment was made of, so that a shell hook finds out that nothing changed.

One fact a line: the first line of the file HEAD, HEAD's commit, the sums of the index and of branches and stash as `cksum`
prints them, the id of the moment, and the id of the start of the machine at which it was made. An empty sum equals no other
sum.
"""

from __future__ import annotations

import contextlib
import os

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import index_path
from devs_git.storage.git.program import Git, GitFailed
from devs_git.values import Final, immutable

_NAME: Final = "last"
_DOUBTED: Final = "last.doubted"
# Linux has a new id in this file after each start.
_STARTED: Final = "/proc/sys/kernel/random/boot_id"
_TURNED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
# What the shell hook asks git for; the order of the refs is git's own.
REFS: Final = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/stash")


@immutable
class LastMoment:
    """The facts of the file."""

    head_file: str = ""
    head: str = ""
    index_sum: str = ""
    refs_sum: str = ""
    id: str = ""
    started: str = ""


def read(places: Places) -> LastMoment:
    """The facts; all are '' if there is no such file."""
    for name in (_NAME, _DOUBTED):
        with contextlib.suppress(OSError, ValueError):
            lines = (places.moments / name).read_text("utf-8").split("\n")
            return LastMoment(*lines[:6])
    return LastMoment()


def start_of_machine() -> str:
    """The id of the machine's start; '' if the system tells none."""
    with contextlib.suppress(OSError), open(_STARTED, encoding="ascii") as stream:  # noqa: PTH123 - on the hook's path
        return stream.readline().strip()
    return ""


def forget(places: Places) -> None:
    """Remove the file and the private index: the next moment reads and writes all files."""
    for name in (_NAME, _DOUBTED, "index"):
        (places.moments / name).unlink(missing_ok=True)


def doubt(places: Places) -> None:
    """Let no shell hook find the file until `write` is called: the private index may not be that of the newest moment."""
    folder = places.moments
    with contextlib.suppress(FileNotFoundError):
        (folder / _NAME).rename(folder / _DOUBTED)


def is_doubted(places: Places) -> bool:
    """Whether a process was killed while it made a moment: the private index may have files that no moment has."""
    return not (places.moments / _NAME).exists()


def write(places: Places, last: LastMoment) -> None:
    lines = (last.head_file, last.head, last.index_sum, last.refs_sum, last.id, last.started)
    replace_file(places.moments / _NAME, "".join(f"{line}\n" for line in lines).encode())


def head_file(places: Places) -> str:
    """The first line of the file HEAD."""
    return (places.git_dir / "HEAD").read_text("utf-8", "replace").partition("\n")[0]


def sum_of_index(git: Git) -> str:
    """The sum of the user's index; '' without an index."""
    try:
        with index_path(git).open("rb") as stream:
            return _cksum(stream.read())
    except OSError:
        return ""


def look_of_index(git: Git) -> tuple[int, ...]:
    """Inode, size and time of the user's index, to notice that git wrote it meanwhile; () without an index."""
    try:
        facts = index_path(git).stat()
    except OSError:
        return ()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def list_refs(git: Git, places: Places) -> bytes:
    """Branches and stash entries, as the shell hook lists them; b"" if git cannot list them."""
    try:
        listed = git.run(*REFS)
    except GitFailed:
        return b""
    with contextlib.suppress(OSError):
        listed += (places.common / "logs/refs/stash").read_bytes()
    return listed


def sum_of_refs(listed: bytes) -> str:
    """The sum of such a list; '' if it is empty, because git could not make it, or there is nothing to keep."""
    return _cksum(listed) if listed else ""


def read_refs(listed: bytes) -> tuple[dict[str, str], tuple[str, ...]]:
    """The branches of such a list with their oids, and the oids of the stash entries, newest first."""
    branches, stashes = {}, []
    for line in listed.split(b"\n"):
        first, _, rest = line.partition(b" ")
        if rest.startswith(b"refs/heads/"):
            branches[os.fsdecode(rest)] = first.decode()
        elif rest[40:41] == b" ":
            # A line of the reflog: the oid before, the oid after.
            stashes.append(rest[:40].decode())
    return branches, tuple(reversed(stashes))


def _cksum(data: bytes) -> str:
    """What `cksum` prints: the CRC of POSIX over the bytes and their number, which is zlib's with the bits of each byte turned."""
    import zlib

    size, length = len(data), b""
    while size:
        length, size = length + bytes((size & 0xFF,)), size >> 8
    turned = zlib.crc32((data + length).translate(_TURNED), 0xFFFFFFFF)
    return f"{int(f'{turned:032b}'[::-1], 2)} {len(data)}"
