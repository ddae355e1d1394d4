"""The time limit that all gits of one command share, wherever the command starts them, and the end of those that exceed it.

The limit is a context variable and not a member of `Git`, because a command starts dozens of gits in many places and any
of them may hang. Undoing a half-done move has no limit; otherwise nothing could be undone after the time is over. With a
git, all processes that it started are ended.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from contextvars import ContextVar

from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    # Loaded late: a command that needs no git does not load it.
    import subprocess
    from typing import IO

# The environment variable that names our operation, for the gits that it starts and for all that they start.
OPERATION: Final = "DEVS_GIT_OP"
# Bytes in one read of a pipe.
_PIECE: Final = 1 << 16
_UNTIL: Final[ContextVar[float | None]] = ContextVar("until", default=None)


class GitTimedOut(Exception):
    """git and its children were ended because they exceeded the time limit."""


def timeout_error(args: Sequence[str]) -> GitTimedOut:
    return GitTimedOut(f"the time limit was exceeded in git {args[0] if args else ''}")


@contextlib.contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Limit all gits in the body together to `seconds`, and never to more than an outer limit. None: no limit."""
    before = _UNTIL.set(None if seconds is None else time.monotonic() + (seconds_left(seconds) or 0.0))
    try:
        yield
    finally:
        _UNTIL.reset(before)


def seconds_left(most: float | None = None) -> float | None:
    """The seconds that remain, at most `most` and at least 0.0. None if there is no limit."""
    until = _UNTIL.get()
    if until is None:
        return most
    rest = max(0.0, until - time.monotonic())
    return rest if most is None else min(rest, most)


def output_of(
    child: subprocess.Popen[bytes],
    args: Sequence[str],
    stdin: bytes | None = None,
    timeout: float | None = None,
) -> tuple[bytes, bytes]:
    """Standard output and standard error of a git. GitTimedOut if it exceeds the time limit or `timeout` (seconds)."""
    import subprocess

    try:
        return child.communicate(stdin, timeout=seconds_left(timeout))
    except subprocess.TimeoutExpired:
        end_group(child)
        raise timeout_error(args) from None
    except BaseException:
        end_group(child)
        raise


def next_piece(child: subprocess.Popen[bytes], args: Sequence[str]) -> bytes:
    """The next bytes of standard output, b'' at the end. GitTimedOut if none come within the time limit."""
    assert child.stdout is not None
    left = seconds_left()
    if left is not None:
        import select

        ready = select.poll()
        ready.register(child.stdout, select.POLLIN)
        if not ready.poll(left * 1000):
            end_group(child)
            raise timeout_error(args)
    return os.read(child.stdout.fileno(), _PIECE)


def nameless_file(data: bytes = b"") -> IO[bytes]:
    """A file without a name that contains `data`. It is deleted when its descriptor is closed."""
    made = _nameless()
    if data:
        made.write(data)
        made.seek(0)
    return made


def _nameless() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("git"), "w+b")
    # Slow to load, and only needed if the system has no files in memory.
    import tempfile

    return tempfile.TemporaryFile()


def end_group(child: subprocess.Popen[bytes], grace: float = 2.0) -> None:
    """Send SIGTERM to the child and its children, and SIGKILL to those that remain after `grace` seconds."""
    import signal
    import subprocess

    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        try:
            child.communicate(timeout=grace)
        except subprocess.TimeoutExpired:
            continue
        except ValueError:
            # Its pipes were closed already.
            child.wait(timeout=grace)
        if number == signal.SIGTERM:
            continue
        return
