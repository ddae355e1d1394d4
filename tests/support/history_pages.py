"""All pages of `history` by the index and by the whole ledger."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from devs_git.commands import history
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.random_ledger import CONTRACTS, PHASES, TASKS


def same_history(top: Path, dice: random.Random, path: Path) -> None:
    """Each page of `history` by the index is that by the whole ledger, for any filter and any cursor."""
    tip = Workspace.open(top).ledger.tip()
    # Each page would judge this ledger again: nobody signed it.
    tip.ledger.note_checked(tip.oid)
    oids = [event.oid for event in tip.ledger.newest_first(tip.oid)]
    times = [f"2001-01-01T00:00:{dice.randrange(60):02d}Z" for _ in range(2)]
    filters: list[dict[str, Any]] = [
        {"contract": dice.choice(CONTRACTS)},
        {"phase": dice.choice(PHASES)},
        {"phase": dice.choice(PHASES), "contract": dice.choice(CONTRACTS)},
        {"subtypes": (dice.choice(("deleted", "added", "renamed", "created", "changed")),)},
        {"types": ("file",), "task_id": dice.choice(("", *TASKS))},
        {"since": min(times), "until": max(times)},
        {"cursor": dice.choice(oids)},
        {"task_id": dice.choice(TASKS), "cursor": dice.choice(oids)},
    ]
    some = dice.sample(filters, 3)
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    whole = [history_pages(top, **wanted) for wanted in some]
    assert not path.exists()
    path.touch()
    assert [history_pages(top, **wanted) for wanted in some] == whole


def history_pages(top: Path, cursor: str = "", **wanted: Any) -> list[object]:
    """The rows of all pages, or the code of the refusal."""
    found: list[object] = []
    for _ in range(200):
        request = history.Request(limit=9, cursor=cursor, **wanted)
        try:
            answer = history.run(Workspace.open(top), request)
        except DevsError as error:
            return [error.code]
        found += [*answer.events, answer.next_cursor]
        cursor = answer.next_cursor
        if not cursor:
            return found
    raise AssertionError("the pages have no end")
