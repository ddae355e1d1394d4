"""Marks that the catalog takes from the ledger: which traces and messages belong to rewound tasks, and which prefix of a
conversation belongs to a checkpoint. Rewound traces and messages are marked, never deleted.

The catalog records the ledger's oid that it has read up to, and catches up when it is opened: so it also learns of a
rewind that was made while the catalog could not be written. A rewind in another clone hides nothing while this clone sees
the task as live. That depends on the branches, so if something was rewound, the catalog records them, too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.clone_view import points_in_doubt
from devs_git.domain.ledger.events import FORMAT, LEDGER, Event
from devs_git.domain.ledger.history import History
from devs_git.storage.catalog import conversation_snapshots, steering
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.git.files import read_only
from devs_git.storage.ledger.clone_history import Standpoint, clone_of

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger

MARKED: Final = "ledger"
# The newest format of events that the program knew which read the ledger.
_FORMAT: Final = "format"
# This setting says whether any checkpoint was rewound, in any clone.
_UNSURE: Final = "unsure"
_SEEN: Final = "branches"
# The beginning of the types of events about directives.
_DIRECTIVE: Final = "directive."
_TABLES: Final = ("traces", "messages", "directives")


def catch_up(catalog: Catalog, ledger: Ledger) -> None:
    """Bring the marks up to date with the ledger, as this clone sees it."""
    from devs_git.storage.catalog import fulltext

    tip = ledger.tip().oid
    if not tip or _marked(catalog) == (str(FORMAT), tip, _branches(catalog, ledger)):
        return
    with fulltext.write_transaction(catalog):
        # Another process may have caught up meanwhile, with a newer tip.
        _catch_up(catalog, ledger, ledger.tip().oid or tip)


def _marked(catalog: Catalog) -> tuple[str, str, str]:
    return catalog.setting(_FORMAT), catalog.setting(MARKED), catalog.setting(_SEEN)


def _catch_up(catalog: Catalog, ledger: Ledger, tip: str) -> None:
    # Late: a rewind and a list only need to know whether the catalog is up to date.
    from devs_git.domain.recall import rewound_work
    from devs_git.storage.catalog.rewound import noted_events

    number, since, seen = _marked(catalog)
    found = _events(ledger, tip, since)
    # The ledger does not continue the one that the catalog has read, or that was read by a program which did not know all
    # events: everything is read again.
    anew = bool(since) and (number != str(FORMAT) or not (since == tip or _continues(found, since)))
    found = _events(ledger, tip, "") if anew else found
    noted_events.note(catalog, ledger, tip, found, "" if anew else since)
    changed = any(map(rewound_work.changes_checkpoints, found))
    noted = None
    if anew or changed or seen != _branches(catalog, ledger):
        noted = noted_events.NotedEvents(catalog, ledger)
        history = noted.here()
        _mark_all(catalog, history, clone_of(ledger.common))
        catalog.set(_UNSURE, "yes" if points_in_doubt(history) else "")
    if anew:
        steering.forget(catalog)
        _directives().forget(catalog)
    missing = _apply_events(catalog, found)
    # An event revived a checkpoint whose snapshot was pruned: the snapshot comes back from its own event.
    for event in noted.of_snapshots(missing) if noted and missing else ():
        conversation_snapshots.apply_event(catalog, event)
    catalog.set(_FORMAT, str(FORMAT))
    catalog.set(MARKED, tip)
    catalog.set(_SEEN, _branches(catalog, ledger))


def _branches(catalog: Catalog, ledger: Ledger) -> str:
    """A digest of the branches; '' if no checkpoint was rewound, and so nothing depends on them."""
    if not catalog.setting(_UNSURE):
        return ""
    import hashlib

    names = Standpoint.here(ledger.reader, ledger.common).branches
    text = "".join(f"{oid} {name}\n" for name, oid in names.items() if name != LEDGER)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _events(ledger: Ledger, tip: str, since: str) -> list[Event]:
    """The events after `since`, oldest first; all events if it is ''."""
    return list(ledger.events(tip, since=since, oldest_first=True))


def _apply_events(catalog: Catalog, events: Sequence[Event]) -> set[str]:
    """The tags of the checkpoints that these events revive without a snapshot here."""
    missing = set[str]()
    for event in events:
        if event.effects.starts or event.effects.steers:
            steering.apply_event(catalog, event)
        if event.type.startswith(_DIRECTIVE):
            _directives().apply_event(catalog, event)
        if not event.failed:
            missing |= conversation_snapshots.apply_event(catalog, event)
    return missing


def _directives() -> ModuleType:
    """The module that knows directives. It is imported late, because most ledgers have none."""
    from devs_git.storage.catalog import directives

    return directives


def _continues(events: Sequence[Event], since: str) -> bool:
    """Whether the events continue the ledger from `since`, which is the parent of one of them."""
    return any(since in event.parents for event in events)


def _mark_all(catalog: Catalog, history: History, clone: str) -> None:
    """Mark what was rewound: tasks, and messages by a rewind of their conversation, which concerns only the clone that made it."""
    from devs_git.domain.recall import message_cuts, rewound_work
    from devs_git.storage.catalog.sessions import rewound_messages

    # A message may be rewound by both. So what one of them no longer marks, the other one can.
    rewound_messages.clear(catalog)
    _mark(catalog, rewound_work.find_hidden(history))
    rewound_messages.mark(catalog, message_cuts.in_force(history.operations, clone))


def _mark(catalog: Catalog, wanted: dict[tuple[str, str], str]) -> None:
    base = catalog.base
    for row in base.execute("SELECT operation, task_id FROM rewinds").fetchall():
        if row not in wanted:
            for table in _TABLES:
                base.execute(f"UPDATE {table} SET rewound_by = '' WHERE rewound_by = ? AND task_id = ?", row)
            base.execute("DELETE FROM rewinds WHERE operation = ? AND task_id = ?", row)
    for (operation, task), upto in wanted.items():
        known = (operation, task, upto)
        base.execute("INSERT OR REPLACE INTO rewinds VALUES (?, ?, ?)", known)
        for table in _TABLES:
            base.execute(
                f"UPDATE {table} SET rewound_by = ? WHERE task_id = ? AND created_at <= ? AND rewound_by = ''",
                known,
            )


def tables_with(path: Path, tasks: Sequence[str]) -> tuple[str, ...]:
    """The names of the catalog's tables with rows of `tasks` that a rewind would mark. Nothing is written or migrated.

    For a damaged catalog there are none: a rewind works without the catalog, and `doctor` finds the damage.
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
            # The name comes from the schema of the database. Values are bound.
            query = f"SELECT 1 FROM \"{name}\" WHERE rewound_by = '' AND task_id IN ({marks}) LIMIT 1"
            if base.execute(query, tuple(tasks)).fetchone():
                found.append(name)
        return tuple(found)
