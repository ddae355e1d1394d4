"""What the ledger tells the catalog: which traces and messages belong to tasks that were rewound (marked, never deleted),
and which prefix of a conversation a checkpoint names.

The catalog notes the ledger's oid up to which it was told, and catches up when it is opened: a rewind that was made
while nobody could write here, or in another clone, is seen then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devs_git.domain.events import Event
from devs_git.storage.catalog import snapshots
from devs_git.storage.catalog.database import Catalog, read_only

if TYPE_CHECKING:
    from devs_git.storage.ledger import Ledger

MARKED: Final = "ledger"
_HIDDEN: Final = ("rewound", "dropped")
_TABLES: Final = ("traces", "messages")


def catch_up(catalog: Catalog, ledger: Ledger) -> None:
    """Mark what the ledger says now."""
    tip = ledger.tip().oid
    if not tip or catalog.setting(MARKED) == tip:
        return
    with catalog.writing():
        since = catalog.setting(MARKED)
        found = _events(ledger, tip, since)
        if since and not _continues(found, since):  # another history: what is marked says nothing any more
            _unmark(catalog, "<> ?", "")
            catalog.base.execute("DELETE FROM rewinds")
            found = _events(ledger, tip, "")
        for event in found:
            if not event.failed:
                _mark(catalog, event)
                _show_again(catalog, event, ledger)
        if not _followed(catalog, found):  # what was pruned and lives again comes back from its event
            _followed(catalog, _events(ledger, tip, ""))
        catalog.set(MARKED, tip)


def _events(ledger: Ledger, tip: str, since: str) -> list[Event]:
    """Oldest first; all of them for ''."""
    return list(ledger.events(tip, since=since, oldest_first=True))


def _followed(catalog: Catalog, events: Sequence[Event]) -> bool:
    missing = sum(not snapshots.follow(catalog, event) for event in events if not event.failed)
    return not missing


def _continues(events: Sequence[Event], since: str) -> bool:
    """Whether the events lead on from `since`, whose own event is not among them."""
    return any(since in event.parents for event in events)


def _mark(catalog: Catalog, event: Event) -> None:
    undoes, operation = event.get("Devs-Undoes"), event.get("Devs-Op") or event.oid
    if undoes:
        _unmark(catalog, "= ?", undoes)
        catalog.base.execute("DELETE FROM rewinds WHERE operation = ?", (undoes,))
    for line in event.all("Devs-Status"):
        task, _, status = line.partition(" ")
        if status in _HIDDEN:
            known = (operation, task, event.get("Devs-Finished"))
            catalog.base.execute("INSERT OR REPLACE INTO rewinds VALUES (?, ?, ?)", known)
            for table in _TABLES:
                catalog.base.execute(
                    f"UPDATE {table} SET rewound_by = ? WHERE task_id = ? AND created_at <= ? AND rewound_by = ''",
                    known,
                )


def _show_again(catalog: Catalog, event: Event, ledger: Ledger) -> None:
    """Unmark what another operation hid of a task that is back: an undo may return from several, a rewind go to what was undone."""
    back = set(event.all("Devs-Revived"))
    for line in event.all("Devs-Status") if back else ():
        task, _, status = line.partition(" ")
        marked = catalog.base.execute("SELECT 1 FROM rewinds WHERE task_id = ?", (task,)).fetchone()
        if status in _HIDDEN or not marked:
            continue
        operation = _hid(_events(ledger, event.oid, ""), task, back)
        _unmark(catalog, "= ? AND task_id = ?", operation, task)
        catalog.base.execute("DELETE FROM rewinds WHERE operation = ? AND task_id = ?", (operation, task))


def _hid(events: Sequence[Event], task: str, tags: set[str]) -> str:
    """The last operation that undid checkpoints of a task, of those named, and the task with them; '' where none did."""
    own = tags & {event.get("Devs-Tag") for event in events if event.get("Devs-Task") == task}
    undid = [event for event in events if not event.failed and own & set(event.all("Devs-Undone"))]
    hid = [
        event for event in undid if any(f"{task} {status}" in event.all("Devs-Status") for status in _HIDDEN)
    ]
    return hid[-1].get("Devs-Op") or hid[-1].oid if hid else ""


def _unmark(catalog: Catalog, condition: str, *values: str) -> None:
    for table in _TABLES:
        catalog.base.execute(
            f"UPDATE {table} SET rewound_by = '' WHERE rewound_by <> '' AND rewound_by {condition}", values
        )


def tables_with(path: Path, tasks: Sequence[str]) -> tuple[str, ...]:
    """Names of the catalog's tables that hold rows of `tasks` which a rewind would mark. Nothing is written or migrated.

    None of a catalog that is damaged: the rewind itself needs it as little, and `doctor` tells of it.
    """
    if not tasks or not path.exists():
        return ()
    try:
        return _tables_with(path, tasks)
    except sqlite3.DatabaseError:
        return ()


def _tables_with(path: Path, tasks: Sequence[str]) -> tuple[str, ...]:
    marks = ",".join("?" * len(tasks))
    with closing(sqlite3.connect(read_only(path), uri=True)) as base:
        tables = base.execute(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
            "WHERE m.type = 'table' AND c.name = 'rewound_by' ORDER BY m.name"
        ).fetchall()
        found = []
        for (name,) in tables:
            # The name comes from the database's own schema; values are bound.
            query = f"SELECT 1 FROM \"{name}\" WHERE rewound_by = '' AND task_id IN ({marks}) LIMIT 1"
            if base.execute(query, tuple(tasks)).fetchone():
                found.append(name)
        return tuple(found)
