"""Work in a process of its own, which goes on when its caller has no more time: a client waits for its hook.

The process has a session of its own and no descriptor of the caller, so that no client waits for it at a pipe. While it
works, the file `behind` has its process id.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

from devs_git.domain.text import limits
from devs_git.storage.git import bounded
from devs_git.storage.git.files import replace_file

_NAME: Final = "behind"
_PIECE: Final = 1 << 16
# Seconds after which the system ends the process.
_LONGEST: Final = 180
# Seconds in which the process starts.
_STARTS: Final = 1.0


def run(work: Callable[[], str], folder: Path, seconds: float) -> str | None:
    """What `work` returns; None if it takes more than `seconds`. Then it goes on. '' if its process died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work(work, folder, writing)
    os.close(writing)
    try:
        return _answer(reading, seconds)
    finally:
        os.close(reading)


def _answer(reading: int, seconds: float) -> str | None:
    import time

    until, said = time.monotonic() + seconds, b""
    ready = select.poll()
    ready.register(reading, select.POLLIN)
    # The first byte says that the mark is there. Without it nobody would know that a process still works.
    while ready.poll(max(0.0 if said else _STARTS, until - time.monotonic()) * 1000):
        piece = os.read(reading, _PIECE)
        if not piece:
            return said[1:].decode("utf-8", "replace")
        said += piece
    return None


def _work(work: Callable[[], str], folder: Path, writing: int) -> None:
    """In the child: never returns, and never fails."""
    try:
        os.setsid()
        # Whatever it waits for: it must not hold its locks for ever.
        signal.alarm(_LONGEST)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        last = max(writing, 3)
        os.dup2(writing, last)
        os.closerange(3, last)
        os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))
        said = _marked(work, folder, last)
        # The caller may be gone.
        with contextlib.suppress(OSError):
            os.write(last, said.encode("utf-8", "replace"))
    finally:
        os._exit(0)


def _marked(work: Callable[[], str], folder: Path, writing: int) -> str:
    mark, own = folder / _NAME, str(os.getpid())
    with contextlib.suppress(OSError):
        replace_file(mark, own.encode())
    with contextlib.suppress(OSError):
        os.write(writing, b"+")
    try:
        return work()
    finally:
        with contextlib.suppress(OSError, ValueError):
            if _owner(mark) == int(own):
                mark.unlink()


def is_at_work(folder: Path) -> bool:
    """Whether such a process works. A mark whose process died is removed."""
    mark = folder / _NAME
    try:
        os.kill(_owner(mark), 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        mark.unlink(missing_ok=True)
        return False
    return True


def _owner(mark: Path) -> int:
    """The process id in the mark. OSError, ValueError."""
    with mark.open("rb") as stream:
        return int(bounded.read(stream, limits.DOCUMENT, _NAME))
