"""Wait for the ledger to move, by looking at the files that hold its ref: no git child, no lock, nothing read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import LEDGER

POLL_SECONDS: Final = 0.1


def looks(common: Path, seconds: float | None) -> Iterator[bool]:
    """One item for each look, at once and then ten times a second, until `seconds` are over (None: for ever).

    It says whether the ledger's ref may have moved since the look before; the first says yes.
    """
    end = None if seconds is None else time.monotonic() + seconds
    seen: tuple[object, ...] = ()
    while True:
        found = marks(common)
        yield found != seen
        seen = found
        left = POLL_SECONDS if end is None else end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(POLL_SECONDS, left))


def marks(common: Path) -> tuple[object, ...]:
    """What differs from an earlier look if the ledger's ref may have moved."""
    return tuple(_facts(file) for file in (common / LEDGER, common / "packed-refs"))


def _facts(file: Path) -> tuple[int, int, int] | None:
    """What changes when git puts a new file in place of this one."""
    try:
        info = file.stat()
    except FileNotFoundError:
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
