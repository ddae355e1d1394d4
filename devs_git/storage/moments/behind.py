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

Work = Callable[[Callable[[], None]], str]


def run(work: Work, folder: str, seconds: float) -> str | None:
    """What `work` returns; None if it takes more than `seconds`. Then it goes on. '' if its process died.

    `work` gets a function, and calls it when it knows that it writes. From then on the file `behind` is in `folder`, and
    the caller may go on; before that it waits up to a second in any case.
    """
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


def _work(work: Work, folder: str, writing: int) -> None:
    """In the child: never returns, and never fails."""
    try:
        import signal

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


def _marked(work: Work, folder: str, writing: int) -> str:
    """What the work returns, after the byte that says that the process is ready."""
    mark, said = f"{folder}/{_NAME}", []

    def get_ready() -> None:
        from pathlib import Path

        from devs_git.storage.git.files import replace_file

        with contextlib.suppress(OSError):
            replace_file(Path(mark), b"%d" % os.getpid())
        with contextlib.suppress(OSError):
            said.append(os.write(writing, _READY))

    try:
        answer = work(get_ready)
    finally:
        with contextlib.suppress(OSError, ValueError):
            if _owner(mark) == os.getpid():
                os.unlink(mark)  # noqa: PTH108 - this module loads no pathlib
    return answer if said else _READY.decode() + answer


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
