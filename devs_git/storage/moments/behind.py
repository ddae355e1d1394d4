"""Work in a process of its own, which goes on when its caller has no more time: a client waits for its hook.

The process has a session of its own and no descriptor of the caller, so that no client waits for it at a pipe. While it
works, the file `behind` has its process id. This module imports nothing that takes time: what the work needs is loaded by
the process.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

_NAME = "behind"
_PIECE = 1 << 16
# Seconds after which the system ends the process.
_LONGEST = 180
# Seconds in which the process starts.
_STARTS = 1.0
# What the process says first. Without it nobody would know that a process still works.
_READY = b"+"


class Caller:
    """The process that waits, as the work sees it."""

    def __init__(self, folder: str, writing: int) -> None:
        self.mark = f"{folder}/{_NAME}"
        self._writing = writing
        self._is_told = False

    def let_go(self) -> None:
        """Tell the caller that this process writes: from now on the file `behind` is there, and the caller may go on."""
        from pathlib import Path

        from devs_git.storage.git.files import replace_file

        with contextlib.suppress(OSError):
            replace_file(Path(self.mark), b"%d" % os.getpid())
        self._tell(_READY)

    def answer(self, said: str) -> None:
        """Give the caller its answer. The work may go on."""
        if self._writing >= 0:
            self._tell((b"" if self._is_told else _READY) + said.encode("utf-8", "replace"))
            os.close(self._writing)
            self._writing = -1

    def _tell(self, said: bytes) -> None:
        self._is_told = True
        # The caller may be gone.
        with contextlib.suppress(OSError):
            os.write(self._writing, said)


Work = Callable[[Caller], str]


def run(work: Work, folder: str, seconds: float, held: tuple[int, ...] = ()) -> str | None:
    """What `work` answers, or returns; None if it takes more than `seconds`. Then it goes on. '' if its process died.

    Until the work lets the caller go, it waits up to a second in any case. The descriptors `held` are of the work alone.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work(work, folder, writing, held)
    for descriptor in (writing, *held):
        os.close(descriptor)
    try:
        return _answer(reading, seconds)
    finally:
        os.close(reading)


def _answer(reading: int, seconds: float) -> str | None:
    import select
    import time

    until, said = time.monotonic() + seconds, b""
    ready = select.poll()
    ready.register(reading, select.POLLIN)
    while ready.poll(max(0.0 if said else _STARTS, until - time.monotonic()) * 1000):
        piece = os.read(reading, _PIECE)
        if not piece:
            return said[1:].decode("utf-8", "replace")
        said += piece
    return None


def _work(work: Work, folder: str, writing: int, held: tuple[int, ...]) -> None:
    """In the child: never returns, and never fails."""
    try:
        import signal

        os.setsid()
        # Whatever it waits for: it must not hold its locks for ever.
        signal.alarm(_LONGEST)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        below = 2
        for descriptor in sorted((writing, *held)):
            os.closerange(below + 1, descriptor)
            below = descriptor
        os.closerange(below + 1, os.sysconf("SC_OPEN_MAX"))
        _run(work, Caller(folder, writing))
    finally:
        os._exit(0)


def _run(work: Work, caller: Caller) -> None:
    try:
        caller.answer(work(caller))
    finally:
        with contextlib.suppress(OSError, ValueError):
            if _owner(caller.mark) == os.getpid():
                os.unlink(caller.mark)  # noqa: PTH108 - this module loads no pathlib


def is_at_work(folder: str | os.PathLike[str]) -> bool:
    """Whether such a process works. A mark whose process died is removed."""
    mark = f"{os.fspath(folder)}/{_NAME}"
    try:
        os.kill(_owner(mark), 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(mark)  # noqa: PTH108 - as above
        return False
    return True


def _owner(mark: str) -> int:
    """The process id in the mark. OSError, ValueError."""
    descriptor = os.open(mark, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return int(os.read(descriptor, _PIECE))
    finally:
        os.close(descriptor)
