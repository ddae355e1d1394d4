"""The file of a transcript. A payload names it, and an agent may have written the payload, so it may be any file."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from devs_git.errors import invalid

# Without O_NONBLOCK, opening a pipe and reading a device wait.
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_BUFFER: Final = 1 << 16


class _File(io.FileIO):
    """A file up to the size that it had when it was opened, so that one that never ends keeps nobody waiting."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self.found = os.fstat(descriptor)

    def readinto(self, buffer: Any, /) -> int | None:
        view = memoryview(buffer)
        return super().readinto(view[: max(self.found.st_size - self.tell(), 0)])


@contextmanager
def open_to_read(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file to read it up to its present size. INVALID_ARGUMENTS {file} if it cannot be read."""
    try:
        if not path.is_file():
            raise invalid("file", "There is no such file.")
        raw = _File(os.open(path, _FLAGS))
        with io.BufferedReader(raw, _BUFFER) as stream:
            if not stat.S_ISREG(raw.found.st_mode):
                raise invalid("file", "There is no such file.")
            yield stream
    except OSError as error:
        raise invalid("file", f"The file cannot be read: {error.strerror}.") from error


def last_lines(path: Path, most: int) -> list[bytes]:
    """The last lines of a file, from its last `most` bytes; the first one may lack its beginning. Errors: as `open_to_read`."""
    with open_to_read(path) as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - most))
        return stream.read(most).splitlines()
