"""Read what comes from outside, and never more than a limit allows: files, streams, git's objects.

A file, a stream or a blob is read one byte further than its limit; of many blobs git tells the sizes first. So nobody
holds more than the limit, whatever somebody hands over.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

from devs_git.domain.text import limits
from devs_git.domain.text.limits import Limit
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git, GitFailed

INVALID: Final = "INVALID_INPUT"
_PIECE: Final = 1 << 20
_SIZES: Final = "cat-file", "--batch-check=%(objecttype) %(objectsize)"


class Stream(Protocol):
    """Anything that gives bytes; fewer than asked before its end, where it is a pipe."""

    def read(self, size: int, /) -> bytes: ...


def refusal(limit: Limit, field: str, code: str = INVALID) -> DevsError:
    """INVALID_INPUT (or `code`) {field, limit_bytes}, with the way out."""
    text = f"{limit.what} has at most {limit.size_text}; this one has more."
    return DevsError(code, text, hint=limit.way_out, field=field, limit_bytes=limit.most)


def pieces(stream: Stream, limit: Limit, field: str, code: str = INVALID) -> Iterator[bytes]:
    """All that comes, in pieces. INVALID_INPUT (or `code`) where that is more than `limit`; the rest is left unread."""
    size = 0
    while part := stream.read(min(_PIECE, limit.most + 1 - size)):
        size += len(part)
        if size > limit.most:
            raise refusal(limit, field, code)
        yield part


def read(stream: Stream, limit: Limit, field: str, code: str = INVALID) -> bytes:
    """The same as one value."""
    found = io.BytesIO()  # what is joined from a list stands in memory twice
    for part in pieces(stream, limit, field, code):
        found.write(part)
    return found.getvalue()


def read_file(path: str | Path, limit: Limit, field: str, code: str = INVALID) -> bytes:
    """The bytes of a file. INVALID_INPUT where it has more; OSError where it cannot be read."""
    with Path(path).open("rb") as stream:
        return read(stream, limit, field, code)


def sizes(git: Git, names: Iterable[str]) -> list[tuple[str, int]]:
    """Type and size of each object, in the order of `names`, by one child; ('', -1) for one that is not here or damaged."""
    script = b"".join(os.fsencode(name) + b"\n" for name in names)
    if not script:
        return []
    rows = (line.rsplit(b" ", 1) for line in git.run(*_SIZES, stdin=script).splitlines())
    return [
        (row[0].decode(), int(row[1])) if len(row) == 2 and row[1].isdigit() else ("", -1) for row in rows
    ]


def blob(git: Git, name: str, limit: Limit, field: str, code: str = INVALID) -> bytes:
    """The bytes of the blob that `name` names. INVALID_INPUT (or `code`) where it is larger; GitFailed where there is none."""
    found = io.BytesIO()
    with closing(git.stream("cat-file", "blob", name)) as said:
        for piece in said:
            if found.write(piece) and found.tell() > limit.most:
                raise refusal(limit, field, code)
    return found.getvalue()


def blob_if_there(git: Git, name: str, limit: Limit, field: str, code: str = INVALID) -> bytes | None:
    """The same; None where git has no such blob."""
    try:
        return blob(git, name, limit, field, code)
    except GitFailed as error:
        if error.status not in (1, 128):
            raise
        return None


def document(git: Git, name: str, code: str = INVALID) -> bytes | None:
    """A policy or another document of ours in git; None where git has no such blob."""
    return blob_if_there(git, name, limits.DOCUMENT, name.rpartition(":")[2], code)


def require_blob(git: Git, name: str) -> None:
    """GitFailed where git cannot read this blob. No more than its first bytes are taken."""
    with closing(git.stream("cat-file", "blob", name)) as said:
        next(said, b"")


def records(said: Iterable[bytes], limit: Limit) -> Iterator[bytes]:
    """What ends in NUL bytes, one after the other; of one that is longer than `limit` only the beginning."""
    rest, dropped = b"", False
    for data in said:
        first, *more = data.split(b"\0")
        if not dropped:
            rest += first
        dropped = dropped or len(rest) > limit.most
        for part in more:
            yield rest[: limit.most]
            rest, dropped = part, len(part) > limit.most
