"""The turns that sessions of clients have begun in a worktree and not ended, as their hooks noted them.

A note is a file with the session's name. It has the process of the client, the system's line about this process, the start of
the machine, its name, and the transcript; the time of the file is that of the last sign. Its first line is 0 after the end of the
turn.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.storage.git.places import Places
from devs_git.values import immutable

# A session of another machine or container counts for so many seconds after its last sign.
ELSEWHERE: Final = 600.0
_MOST: Final = 4_000
_PROCESSES: Final = Path("/proc")


@immutable
class Turn:
    """A turn that was begun: its session, the process of its client, its last sign in seconds since 1970, and its transcript.

    The hook names the transcript; it may be no such file, '' for none.
    """

    session_id: str
    process: int
    seen: float
    transcript: str = ""


def open_turns(places: Places) -> Iterator[Turn]:
    """The turns in this worktree that are not ended, by processes that live; or, elsewhere, that were seen of late."""
    with contextlib.suppress(OSError):
        for file in sorted((places.own / "turns").iterdir()):
            turn = _read(file)
            if turn:
                yield turn


def is_ours(turn: Turn) -> bool:
    """Whether the client of the turn is this process, or one that started it."""
    process = os.getpid()
    for _ in range(100):
        if process == turn.process:
            return True
        fields = _fields(_line(process))
        if len(fields) < 2 or not fields[1].isdecimal() or fields[1] == "0":
            break
        process = int(fields[1])
    return os.getppid() == turn.process


def _read(file: Path) -> Turn | None:
    with contextlib.suppress(OSError):
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            seen = os.fstat(descriptor).st_mtime
            lines = stream.read(_MOST).decode("utf-8", "replace").split("\n")
        process, began, boot, machine, transcript = (*lines, *("",) * 5)[:5]
        if process.isdecimal() and process != "0" and _counts(int(process), began, (boot, machine), seen):
            return Turn(file.name, int(process), seen, transcript)
    return None


def _counts(process: int, began: str, machine: tuple[str, str], seen: float) -> bool:
    if machine != (_first_line("sys/kernel/random/boot_id"), _first_line("sys/kernel/hostname")):
        return time.time() - seen < ELSEWHERE
    if began:
        # The 22nd field of the line says when the process began: its number may be another's now.
        return _fields(began)[19:20] == _fields(_line(process))[19:20] != []
    with contextlib.suppress(ProcessLookupError, PermissionError, OverflowError):
        os.kill(process, 0)
        return True
    return False


def _fields(line: str) -> list[str]:
    """The fields after the name of the program, which may have spaces and brackets."""
    return line.rpartition(")")[2].split()


def _line(process: int) -> str:
    return _first_line(f"{process}/stat")


def _first_line(name: str) -> str:
    try:
        with (_PROCESSES / name).open(encoding="utf-8", errors="replace") as stream:
            return stream.read(_MOST).partition("\n")[0].strip()
    except OSError:
        return ""
