"""An id that no task has yet, for the first command that `init` shows: a repository that is set up again may have tasks."""

from __future__ import annotations

from typing import Final

from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip

FIRST: Final = 10


def first(tip: Tip) -> int:
    """10, or the next number that is free. Where very many are taken, only each power of ten is tried."""
    start = FIRST
    while True:
        numbers = range(start, start + FIRST)
        taken = listing.of_tasks(tip, *(f"task-{number}" for number in numbers)).tasks
        if free := [number for number in numbers if f"task-{number}" not in taken]:
            return free[0]
        start *= FIRST
