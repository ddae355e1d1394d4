"""Advisory locks on files (flock): who holds one, and how long to wait.

Children inherit the lock, so it outlives its owner as long as one of its git children runs. No other command works at
the same time as such an orphan. A second lock, `<name>.owner`, ends with the owner: it tells an owner from an orphan.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.git import children

POLL_SECONDS = 0.02


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def owner_alive(path: Path) -> bool:
    """Whether the process that took the lock still runs.

    The second lock tells, because no child inherits it. A process id could belong to a zombie or to another container,
    or the system could have given it to another process.
    """
    descriptor = _open(_owner(path))
    try:
        return not _try(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove the files of a lock that nobody takes again."""
    for one in (path, _owner(path)):
        one.unlink(missing_ok=True)


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
    """Hold the lock at `path`; yields its descriptor. BUSY if a live owner holds it for more than `wait` seconds.

    If the owner died and its git child still runs, wait up to `orphan_wait` seconds and call `on_wait` with a message.
    `alone`: BUSY also if a live owner held the lock meanwhile, because it may have changed what the caller has read.
    """
    wait, orphan_wait = children.seconds_left(wait) or 0.0, children.seconds_left(orphan_wait) or 0.0
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, owner = _open(path), _open(_owner(path))
    try:
        begun, said_so, met = time.monotonic(), False, False
        while not _try(descriptor):
            waited = time.monotonic() - begun
            alive = owner_alive(path)
            met = met or alive
            orphaned = waited > min(wait, POLL_SECONDS) and not alive
            if waited > (max(wait, orphan_wait) if orphaned else wait):
                raise _busy(
                    "Another devs-git command is running here.",
                    "Wait until it ends, then run the command again.",
                )
            if orphaned and on_wait and not said_so:
                on_wait("A git process of an interrupted command is still running; waiting for it.")
                said_so = True
            time.sleep(POLL_SECONDS)
        if met and alone:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            raise _busy(
                "Another devs-git command ran here at the same time.",
                "Check its result, then run the command again.",
            )
        try:
            # Another process may test this lock at the moment.
            while not _try(owner):
                time.sleep(POLL_SECONDS / 10)
            yield descriptor
        finally:
            # Unlock for all children, too: a process that a hook left in the background must not hold the lock.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(owner)
        os.close(descriptor)
