"""Advisory locks on files (flock): who holds one, and how long to wait.

A lock outlives its owner in the children that inherited it, so that nobody works beside an orphaned git; a second
lock, `<name>.owner`, dies with the owner and tells the two apart.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.git import time_limit

POLL_SECONDS = 0.02


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def owner_alive(path: Path) -> bool:
    """Whether the process that took the lock still runs; the children that inherited it may outlive it.

    Asked of a second lock, which no child inherits: a process id may be a zombie's, another container's, or used again.
    """
    descriptor = _open(_owner(path))
    try:
        return not _try(descriptor)
    finally:
        os.close(descriptor)


def _owner(path: Path) -> Path:
    return path.with_name(path.name + ".owner")


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _busy(message: str, hint: str) -> DevsError:
    return DevsError("BUSY", message, hint=hint)


@contextlib.contextmanager
def hold(
    path: Path,
    *,
    wait: float,
    orphan_wait: float = 0.0,
    on_wait: Callable[[str], None] | None = None,
    alone: bool = False,
) -> Iterator[int]:
    """Hold the lock at `path`; yields its descriptor. BUSY after `wait` seconds behind a live owner.

    Behind an orphan (the owner died, its git child still runs) it waits up to `orphan_wait` and says so.
    Who must find things as they were when it was called asks to be `alone`: BUSY behind any live owner, once that ends.
    """
    wait, orphan_wait = time_limit.seconds_left(wait) or 0.0, time_limit.seconds_left(orphan_wait) or 0.0
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, owner = _open(path), _open(_owner(path))
    try:
        begun, told, met = time.monotonic(), False, False
        while not _try(descriptor):
            waited = time.monotonic() - begun
            alive = owner_alive(path)
            met = met or alive
            orphaned = waited > min(wait, POLL_SECONDS) and not alive
            if waited > (max(wait, orphan_wait) if orphaned else wait):
                raise _busy(
                    "Another devs-git is working here.", "Wait for it to end and run the command again."
                )
            if orphaned and on_wait and not told:
                on_wait("A git that an interrupted command left behind still runs; waiting for it.")
                told = True
            time.sleep(POLL_SECONDS)
        if met and alone:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            raise _busy(
                "Another devs-git worked here at the same moment.", "Look again and run the command again."
            )
        try:
            while not _try(owner):  # somebody is asking at this moment
                time.sleep(POLL_SECONDS / 10)
            yield descriptor
        finally:
            # Let go of for every child too: what a hook left running in the background is none of ours.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(owner)
        os.close(descriptor)
