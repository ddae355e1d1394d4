"""A file that a person asked for, such as an export: it appears when it is complete, and it never replaces another file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from devs_git.errors import DevsError, invalid
from devs_git.storage.git.files import PUBLIC, replacement
from devs_git.values import immutable


@immutable
class Kind:
    """What is written: its `noun` with an article for messages, whether a file `is_ours` and may be replaced, and the `prefix`
    of the temporary file's name.
    """

    noun: str
    is_ours: Callable[[Path], bool]
    prefix: str


@contextmanager
def open_new(path: Path, git_folders: Collection[Path], kind: Kind) -> Iterator[Callable[[bytes], int]]:
    """Yield the function that writes bytes. INVALID_ARGUMENTS {output} if the file cannot be written, or has other content.

    `git_folders`: the git directories of the worktree. Nothing is written there: git could read it as one of its files.
    """
    place = Path(os.path.realpath(path))
    if any(_is_below(place, folder) for folder in git_folders):
        raise invalid("output", "This file would be in the git directory.", hint="Name a file outside of it.")
    # We write to a pipe or a device directly.
    if path.exists() and not path.is_file():
        with _open(path) as stream:
            yield stream.write
        return
    if place.exists() and not kind.is_ours(place):
        raise invalid("output", f"This file exists and is not {kind.noun}.", hint="Name a new file.")
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(replacement(place, mode=PUBLIC, prefix=kind.prefix))
        except OSError as error:
            raise _refusal(error) from error
        yield stream.write


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
