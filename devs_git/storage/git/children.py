"""End git children that take too long, with all processes that they started. This module enforces `time_limit`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Final

from devs_git.storage.git import time_limit

if TYPE_CHECKING:
    # Loaded late: a command that needs no git does not load it.
    import subprocess

# Bytes in one read of a pipe.
_PIECE: Final = 1 << 16


class GitTimedOut(Exception):
    """git and its children were ended because they exceeded the time limit."""


def timeout_error(args: Sequence[str]) -> GitTimedOut:
    return GitTimedOut(f"the time limit was exceeded in git {args[0] if args else ''}")


def output_of(
    child: subprocess.Popen[bytes],
    args: Sequence[str],
    stdin: bytes | None = None,
    timeout: float | None = None,
) -> tuple[bytes, bytes]:
    """Standard output and standard error of a git. GitTimedOut if it exceeds the time limit or `timeout` (seconds)."""
    import subprocess

    try:
        return child.communicate(stdin, timeout=time_limit.seconds_left(timeout))
    except subprocess.TimeoutExpired:
        end_group(child)
        raise timeout_error(args) from None
    except BaseException:
        end_group(child)
        raise


def next_piece(child: subprocess.Popen[bytes], args: Sequence[str]) -> bytes:
    """The next bytes of standard output, b'' at the end. GitTimedOut if none come within the time limit."""
    assert child.stdout is not None
    left = time_limit.seconds_left()
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
