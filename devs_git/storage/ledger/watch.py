"""Wait until the ledger moves, by the times of the files of its ref. It needs no git child and no lock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import LEDGER

POLL_SECONDS: Final = 0.1


def looks(common: Path, seconds: float | None, beside: tuple[Path, ...] = ()) -> Iterator[bool]:
    """Check at once and then ten times a second, for `seconds` (None: forever). Yields one item for each check.

    An item is True if the ledger's ref may have moved since the check before, or if a file `beside` it changed. The first
    item is True.
    """
    end = None if seconds is None else time.monotonic() + seconds
    seen: tuple[object, ...] = ()
    while True:
        found = (*marks(common), *map(_facts, beside))
        yield found != seen
        seen = found
        left = POLL_SECONDS if end is None else end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(POLL_SECONDS, left))


def marks(common: Path) -> tuple[object, ...]:
    """A value that changes if the ledger's ref may have moved."""
    return tuple(_facts(file) for file in (common / LEDGER, common / "packed-refs"))


def _facts(file: Path) -> tuple[int, int, int] | None:
    """Values that change if git replaces this file; None if it does not exist."""
    try:
        info = file.stat()
    except FileNotFoundError:
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
