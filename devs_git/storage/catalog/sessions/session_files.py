"""Outputs that a client keeps in files of its own, because they are too long for its payload and its transcript.

A payload or a transcript says where such a file is, and an agent may have planted it. So only two folders of a session
are taken: beside the transcript `<folder>/<session>.jsonl` the folder `<session>/tool-results/`, and for commands in the
background `claude-<user>/<name of folder>/<session>/tasks/` in a folder for temporary files. A file must be a regular one
with one name, and no link is followed below `<folder>`, or at and below `claude-<user>`.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from devs_git.domain.recall.traces import Cut, Trace
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.bodies import Packed
from devs_git.storage.git import bounded
from devs_git.values import replace

# Bytes of a file: what is taken, and what a git hook takes.
MOST: Final = limits.OUTPUT.most
LITTLE: Final = 1 << 19
_FOLDER: Final = "tool-results"
_SUBAGENTS: Final = "subagents"
_TASKS: Final = "tasks"
_TEMPORARY: Final = re.compile(r"claude-[0-9]+")
_TRANSCRIPT: Final = ".jsonl"
# A root, and five names below it.
_DEEP: Final = 6
# Without O_NONBLOCK, opening a pipe waits for a writer.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_DIRECTORY: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


def with_whole(
    trace: Trace, cut: Cut | None, transcript: Path | None, longest: int = MOST
) -> tuple[Trace, Packed | None]:
    """The trace, and the whole output, packed, if the client's file has it; None if the trace's own output is all we get.

    A file of more than `longest` bytes is not taken.
    The client bounds its files, too. A file with fewer bytes than the client told is a longer part, and still cut; so it
    is if the client told no size. If it told the number of characters, only a file with so many is taken.
    """
    packed = read(cut.path, transcript, longest) if cut and cut.path and transcript else None
    if cut is None or packed is None or packed.size < len(trace.output):
        return trace, None
    if cut.characters is not None and bodies.characters(packed) != cut.characters:
        return trace, None
    if cut.characters is None and (cut.full_bytes is None or packed.size < cut.full_bytes):
        return trace, packed
    return replace(trace, cut_by_client=False, full_bytes=None), packed


def read(path: str, transcript: Path, longest: int = MOST) -> Packed | None:
    """The bytes of a session's file; None if there is none, or if it may not be taken or is too long."""
    where = Path(path)
    if transcript.suffix != _TRANSCRIPT or ".." in where.parts:
        return None
    session = _session(transcript)
    if where.parent != session / _FOLDER:
        return None
    with suppress(OSError, ValueError, DevsError):
        return _pack(session.parent, (session.name, _FOLDER), where.name, longest)
    return None


def read_background(path: str, transcript: Path) -> Packed | None:
    """The bytes that a command in the background of a session printed; None as for `read`."""
    where = Path(path)
    if transcript.suffix != _TRANSCRIPT or ".." in where.parts or len(where.parts) < _DEEP:
        return None
    *above, user, project, session, folder, name = where.parts
    ours = _session(transcript)
    if not _TEMPORARY.fullmatch(user) or (project, session, folder) != (ours.parent.name, ours.name, _TASKS):
        return None
    with suppress(OSError, ValueError, DevsError):
        return _pack(Path(*above), (user, project, session, folder), name, MOST)
    return None


def is_subagents(path: Path, transcript: Path) -> bool:
    """Whether a transcript lies where the client keeps those of the subagents of a session."""
    if transcript.suffix != _TRANSCRIPT or ".." in path.parts:
        return False
    return path.parent == transcript.with_suffix("") / _SUBAGENTS


def _session(transcript: Path) -> Path:
    """The folder of a session, of which this is the transcript, or that of a subagent."""
    return transcript.parent.parent if transcript.parent.name == _SUBAGENTS else transcript.with_suffix("")


def _pack(top: Path, folders: tuple[str, ...], name: str, longest: int) -> Packed | None:
    """The bytes of a regular file. OSError if one of the folders or the file is a link; DevsError if the file is too long."""
    at = os.open(top, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = os.open(folder, _DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
        with open(os.open(name, _FILE, dir_fd=at), "rb") as stream:  # noqa: PTH123 - a descriptor has no path
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > longest:
                return None
            return bodies.pack_pieces(bounded.pieces(stream, limits.OUTPUT, "output"))
    finally:
        os.close(at)
