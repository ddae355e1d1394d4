"""Read input from outside (files, streams, git objects) up to a limit.

A file, a stream or a blob is read one byte past its limit. For many blobs, git first gives the sizes. So memory never
holds more than the limit, whatever the input is.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from devs_git.domain.text import limits
from devs_git.domain.text.limits import Limit
from devs_git.errors import DevsError
from devs_git.values import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from devs_git.storage.git.program import Git

INVALID: Final = "INVALID_INPUT"
_PIECE: Final = 1 << 20
_SIZES: Final = "cat-file", "--batch-check=%(objecttype) %(objectsize)"


class Stream(Protocol):
    """A source of bytes. A pipe may return fewer bytes than requested before its end."""

    def read(self, size: int, /) -> bytes: ...


def refusal(limit: Limit, field: str, code: str = INVALID) -> DevsError:
    """The error `code` with the details `field` and `limit_bytes`, and a hint."""
    text = f"{limit.what} has at most {limit.size_text}; this one has more."
    return DevsError(code, text, hint=limit.way_out, field=field, limit_bytes=limit.most)


def pieces(stream: Stream, limit: Limit, field: str, code: str = INVALID) -> Iterator[bytes]:
    """The bytes of the stream, in pieces. Raises `code` if there are more than `limit` allows; the rest is not read."""
    size = 0
    while part := stream.read(min(_PIECE, limit.most + 1 - size)):
        size += len(part)
        if size > limit.most:
            raise refusal(limit, field, code)
        yield part


def read(stream: Stream, limit: Limit, field: str, code: str = INVALID) -> bytes:
    """All bytes of the stream. Raises `code` if there are more than `limit` allows."""
    # Joining a list would need the memory twice.
    found = io.BytesIO()
    for part in pieces(stream, limit, field, code):
        found.write(part)
    return found.getvalue()


def read_file(path: str | Path, limit: Limit, field: str, code: str = INVALID) -> bytes:
    """The bytes of a file. Raises `code` if it has more than `limit` allows, and OSError if it cannot be read."""
    with Path(path).open("rb") as stream:
        return read(stream, limit, field, code)


def read_regular(path: Path, limit: Limit, field: str) -> bytes:
    """Like `read_file`, and OSError for what is no regular file: a pipe would keep us waiting."""
    # Without O_NONBLOCK, opening a pipe waits for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        with open(descriptor, "rb", closefd=False) as stream:
            return read(stream, limit, field)
    finally:
        os.close(descriptor)


def sizes(git: Git, names: Iterable[str]) -> list[tuple[str, int]]:
    """Type and size in bytes of each object, in the order of `names`, with one git child. A missing or damaged object is ('', -1)."""
    script = b"".join(os.fsencode(name) + b"\n" for name in names)
    if not script:
        return []
    rows = (line.rsplit(b" ", 1) for line in git.run(*_SIZES, stdin=script).splitlines())
    return [
        (row[0].decode(), int(row[1])) if len(row) == 2 and row[1].isdigit() else ("", -1) for row in rows
    ]


def blob(git: Git, name: str, limit: Limit, field: str, code: str = INVALID) -> bytes:
    """The bytes of a blob. Raises `code` if it is larger than `limit`, and GitFailed if there is no such blob."""
    found = io.BytesIO()
    with closing(git.stream("cat-file", "blob", name)) as output:
        for piece in output:
            if found.write(piece) and found.tell() > limit.most:
                raise refusal(limit, field, code)
    return found.getvalue()


def blob_if_there(git: Git, name: str, limit: Limit, field: str, code: str = INVALID) -> bytes | None:
    """The bytes of a blob; None if git has no such blob. Raises `code` if it is larger than `limit`."""
    from devs_git.storage.git.program import GitFailed

    try:
        return blob(git, name, limit, field, code)
    except GitFailed as error:
        if error.status not in (1, 128):
            raise
        return None


def document(git: Git, name: str, code: str = INVALID) -> bytes | None:
    """A policy or another document of ours in git; None if git has no such blob."""
    return blob_if_there(git, name, limits.DOCUMENT, name.rpartition(":")[2], code)


def require_blob(git: Git, name: str) -> None:
    """Raise GitFailed if git cannot read this blob. Only its first bytes are read."""
    with closing(git.stream("cat-file", "blob", name)) as output:
        next(output, b"")


def records(output: Iterable[bytes], limit: Limit) -> Iterator[bytes]:
    """The records that end with a NUL byte. A record longer than `limit` is cut."""
    rest, cut = b"", False
    for data in output:
        first, *more = data.split(b"\0")
        if not cut:
            rest += first
        cut = cut or len(rest) > limit.most
        for part in more:
            yield rest[: limit.most]
            rest, cut = part, len(part) > limit.most
