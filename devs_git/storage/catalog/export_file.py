"""A file that somebody named for an export: there whole or not at all, and no other file ever goes for it."""

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
    """What takes the bytes. INVALID_ARGUMENTS {output} where the file cannot be made, or is no export.

    An export goes on while a gate is open: an agent could empty a source file with it.
    """
    if path.exists() and not path.is_file():  # a pipe or a device takes them as they come
        with _open(path) as stream:
            yield stream.write
        return
    place = Path(os.path.realpath(path))
    if place.exists() and not _is_export(place):
        raise invalid(
            "output", "There is another file, which is not an export.", hint="Name a file that is new."
        )
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(replacement(place, mode=PUBLIC, prefix=".devs-export-"))
        except OSError as error:
            raise _refusal(error) from error
        yield stream.write


def _is_export(path: Path) -> bool:
    """Whether it is one, or empty: a shell makes the file that it is to be."""
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
