"""The file of an export: it appears when it is complete, and it never replaces another file."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from devs_git.errors import DevsError, invalid
from devs_git.storage.catalog import exchange
from devs_git.storage.git.files import PUBLIC, replacement


@contextmanager
def open_export(path: Path) -> Iterator[Callable[[bytes], int]]:
    """Yield the function that writes bytes. INVALID_ARGUMENTS {output} if the file cannot be written, or has other content.

    An export is allowed while a gate is open, so it must not overwrite other files: an agent could empty a source file.
    """
    # We write to a pipe or a device directly.
    if path.exists() and not path.is_file():
        with _open(path) as stream:
            yield stream.write
        return
    place = Path(os.path.realpath(path))
    if place.exists() and not _is_export(place):
        raise invalid("output", "This file exists and is not an export.", hint="Name a new file.")
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(replacement(place, mode=PUBLIC, prefix=".devs-export-"))
        except OSError as error:
            raise _refusal(error) from error
        yield stream.write


def _is_export(path: Path) -> bool:
    """Whether a file is an export or empty. An empty file is accepted, because a shell may have made it."""
    try:
        with gzip.open(path, "rb") as stream:
            start = stream.read(len(exchange.START))
    except (OSError, EOFError, zlib.error):
        return False
    return start in (b"", exchange.START)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise _refusal(error) from error


def _refusal(error: OSError) -> DevsError:
    return invalid("output", f"The file cannot be written: {error.strerror}.")
