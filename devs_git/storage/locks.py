"""Advisory locks on files (flock): who holds one, and how long to wait.

The file names its owner, so that a lock that an orphaned child still holds can be told from a live owner's.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from devs_git.errors import DevsError

POLL_SECONDS = 0.02


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def owner_alive(descriptor: int) -> bool:
    """Whether the process that took the lock still runs; its children may outlive it."""
    try:
        pid = int(os.pread(descriptor, 32, 0) or b"0")
        os.kill(pid, 0)
    except ValueError:
        return False
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0


@contextlib.contextmanager
def held(
    path: Path, *, wait: float, orphan_wait: float = 0.0, waiting: Callable[[str], None] | None = None
) -> Iterator[int]:
    """Hold the lock at `path`; yields its descriptor. BUSY after `wait` seconds behind a live owner.

    Behind an orphan (the owner died, its git child still runs) it waits up to `orphan_wait` and says so.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        begun, told = time.monotonic(), False
        while not _try(descriptor):
            waited = time.monotonic() - begun
            orphaned = not owner_alive(descriptor)
            if waited > (max(wait, orphan_wait) if orphaned else wait):
                raise DevsError(
                    "BUSY",
                    "Another devs-git is working here.",
                    hint="Wait for it to end and run the command again.",
                )
            if orphaned and waiting and not told:
                waiting("A git that an interrupted command left behind still runs; waiting for it.")
                told = True
            time.sleep(POLL_SECONDS)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)
