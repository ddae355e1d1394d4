"""Children that take too long: they are ended with all that they started. What a `time_limit` is worth is decided here."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Final

from devs_git.storage.git import time_limit

if TYPE_CHECKING:
    import subprocess  # a command that needs no git does without

_PIECE: Final = 1 << 16  # bytes of a pipe


class GitTimedOut(Exception):
    """git and its children were ended because the time was up."""


def timeout_error(args: Sequence[str]) -> GitTimedOut:
    return GitTimedOut(f"the time was up in git {args[0] if args else ''}")


def output_of(
    child: subprocess.Popen[bytes],
    args: Sequence[str],
    stdin: bytes | None = None,
    timeout: float | None = None,
) -> tuple[bytes, bytes]:
    """All that a git writes to standard output and error; GitTimedOut where that takes longer than it may."""
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
    """What a git has written next, b'' at its end; GitTimedOut where it writes nothing for longer than it may."""
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
    """A file that goes with its descriptor; it holds `data` and is read from the beginning."""
    made = _nameless()
    if data:
        made.write(data)
        made.seek(0)
    return made


def _nameless() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("git"), "w+b")
    import tempfile  # slow to load, and needed where the system has no files in memory alone

    return tempfile.TemporaryFile()


def end_group(child: subprocess.Popen[bytes], grace: float = 2.0) -> None:
    """SIGTERM to the child and its children, SIGKILL to what is left after `grace` seconds."""
    import signal
    import subprocess

    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        try:
            child.communicate(timeout=grace)
        except subprocess.TimeoutExpired:
            continue
        except ValueError:  # its pipes were closed already
            child.wait(timeout=grace)
        if number == signal.SIGTERM:
            continue
        return
