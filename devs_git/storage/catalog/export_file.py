"""The file of an export: it appears when it is complete, and it never replaces another file."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from devs_git.errors import DevsError, invalid
from devs_git.storage.catalog import exchange
from devs_git.storage.git.files import PUBLIC, replacement


@contextmanager
def open_export(path: Path, git_folders: Collection[Path]) -> Iterator[Callable[[bytes], int]]:
    """Yield the function that writes bytes. INVALID_ARGUMENTS {output} if the file cannot be written, or has other content.

    `git_folders`: the git directories of the worktree. No export is written there: git could read it as one of its files.
    """
    place = Path(os.path.realpath(path))
    if any(_is_below(place, folder) for folder in git_folders):
        raise invalid("output", "This file would be in the git directory.", hint="Name a file outside of it.")
    # We write to a pipe or a device directly.
    if path.exists() and not path.is_file():
        with _open(path) as stream:
            yield stream.write
        return
    if place.exists() and not _is_export(place):
        raise invalid("output", "This file exists and is not an export.", hint="Name a new file.")
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(replacement(place, mode=PUBLIC, prefix=".devs-export-"))
        except OSError as error:
            raise _refusal(error) from error
        yield stream.write


def _is_export(path: Path) -> bool:
    """Whether a file is an export. An empty file is none: it may be a file of the work, such as `__init__.py`."""
    try:
        with gzip.open(path, "rb") as stream:
            start = stream.read(len(exchange.START))
    except (OSError, EOFError, zlib.error):
        return False
    return start == exchange.START


def _is_below(place: Path, folder: Path) -> bool:
    """Whether a path is in a folder, whatever name of the folder it has (a file system may ignore case)."""
    for parent in (place, *place.parents):
        with suppress(OSError):
            if parent.samefile(folder):
                return True
    return False


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise _refusal(error) from error


def _refusal(error: OSError) -> DevsError:
    return invalid("output", f"The file cannot be written: {error.strerror}.")
