"""Snapshots of conversations in the catalog. The snapshots of checkpoints follow the events of the ledger."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.recall.conversation_prefix import Prefix, prefix_of
from devs_git.domain.recall.conversation_snapshots import Metadata, Snapshot, snapshot_of_checkpoint
from devs_git.domain.recall.session_points import SessionPoint, entry_of
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session

_COLUMNS: Final = (
    "s.snapshot_id, s.task_id, s.checkpoint, s.snapshot_type, s.message_count, s.digest, "
    "coalesce(p.token_count, 0), coalesce(p.cost_usd, 0.0), s.created_at, s.session_id, "
    "o.client, m.message_id, m.turn_id, m.ordinal"
)
# The cost of a prefix and its point come from its last message, so they take one row, however long the conversation is.
_FROM: Final = (
    "FROM snapshots s LEFT JOIN paths p ON p.session_id = s.session_id AND p.position = s.message_count "
    "LEFT JOIN messages m ON m.number = p.number LEFT JOIN sessions o ON o.session_id = s.session_id"
)
# The newest first; the rest keeps the order of rows of the same time.
_KEY: Final = "(s.created_at, s.message_count, s.snapshot_id)"
# Without the second term SQLite does not use the index of tags.
_OF_TAG: Final = "tag = ? AND tag <> ''"
_NEWEST: Final = "ORDER BY s.created_at DESC, s.message_count DESC, s.snapshot_id DESC LIMIT ?"


def apply_event(catalog: Catalog, event: Event) -> set[str]:
    """Apply what one event says about checkpoints, inside `fulltext.write_transaction`.

    Returns the tags that it revives without a snapshot here: it was pruned, or there never was one.
    """
    base, tag = catalog.base, event.tag
    prefix = prefix_of(event.conversation)
    if event.effects.records and tag and prefix:
        task = event.task
        known = Snapshot(
            snapshot_of_checkpoint(tag),
            task,
            f"{task}@{event.number}",
            "checkpoint",
            _count(catalog, prefix),
            prefix.digest,
            Metadata(0, 0.0),
            event.finished,
            prefix.session_id,
        )
        put(catalog, known, tag=tag)
    for words in event.moves:
        # The ledger may come from anybody. `verify` reports what is wrong with it.
        if len(words) > 2:
            _move(catalog, *words[:3])
    for tag, number in event.renumbered:
        base.execute(f"UPDATE snapshots SET checkpoint = task_id || '@' || ? WHERE {_OF_TAG}", (number, tag))
    for tag in event.undone:
        base.execute(f"UPDATE snapshots SET live = 0 WHERE {_OF_TAG}", (tag,))
    revive = f"UPDATE snapshots SET live = 1 WHERE {_OF_TAG}"
    return {tag for tag in event.revived if not base.execute(revive, (tag,)).rowcount}


def _count(catalog: Catalog, prefix: Prefix) -> int:
    """The messages of a prefix as they are counted here. A fork may have got its beginning after the event was written."""
    query = "SELECT position FROM paths WHERE session_id = ? AND {} AND digest = ?"
    for more, values in (("position = ?", (prefix.count,)), ("position > ?", (prefix.count,))):
        found = catalog.rows(query.format(more), prefix.session_id, *values, prefix.digest)
        if found:
            return int(found[0][0])
    return prefix.count


def _move(catalog: Catalog, old: str, new: str, number: str) -> None:
    """Copy the snapshot of a checkpoint that moved to a rewritten commit: its conversation is the same."""
    catalog.base.execute(
        "INSERT OR IGNORE INTO snapshots SELECT ?, session_id, task_id, task_id || '@' || ?, ?, 1, snapshot_type, "
        f"message_count, digest, created_at FROM snapshots WHERE {_OF_TAG}",
        (snapshot_of_checkpoint(new), number, new, old),
    )
    catalog.base.execute(f"UPDATE snapshots SET live = 0 WHERE {_OF_TAG}", (old,))


def snapshot_of_session(session: Session, kind: str, snapshot_id: str, now: str, task_id: str) -> Snapshot:
    """A snapshot of the session as it is now."""
    cost = Metadata(session.token_count, session.cost_usd)
    return Snapshot(
        snapshot_id, task_id, "", kind, session.message_count, session.digest, cost, now, session.session_id
    )


def put(catalog: Catalog, known: Snapshot, *, tag: str = "") -> bool:
    """Store a snapshot, inside `fulltext.write_transaction`.

    Returns False if it exists: a session has at most one automatic snapshot for each number of messages.
    """
    values = (
        known.snapshot_id,
        known.session_id,
        known.task_id,
        known.checkpoint,
        tag,
        1,
        known.snapshot_type,
    )
    rest = (known.message_count, known.digest, known.created_at)
    done: sqlite3.Cursor = catalog.base.execute(
        "INSERT OR IGNORE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*values, *rest)
    )
    return done.rowcount > 0


def of_tag(catalog: Catalog, tag: str) -> Snapshot | None:
    """The snapshot of the checkpoint whose tag has this oid."""
    return _one(catalog, f"WHERE s.{_OF_TAG}", tag)


def of_id(catalog: Catalog, snapshot_id: str) -> Snapshot | None:
    return _one(catalog, "WHERE s.snapshot_id = ?", snapshot_id)


def _one(catalog: Catalog, condition: str, *values: Any) -> Snapshot | None:
    return next(iter(_snapshots(catalog, condition, *values)), None)


def list_newest(
    catalog: Catalog, task_id: str, limit: int, after: tuple[str, int, str] | None = None
) -> tuple[Snapshot, ...]:
    """The newest snapshots first; only those of `task_id` if it is not ''. `after`: only those after this key of a row."""
    conditions, values = [], list[Any]()
    if task_id:
        conditions.append("s.task_id = ?")
        values.append(task_id)
    if after:
        conditions.append(f"{_KEY} < (?, ?, ?)")
        values += after
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    return _snapshots(catalog, where + _NEWEST, *values, limit)


def _snapshots(catalog: Catalog, condition: str, *values: Any) -> tuple[Snapshot, ...]:
    found = catalog.rows(f"SELECT {_COLUMNS} {_FROM} {condition}", *values)
    return tuple(_snapshot(*row) for row in found)


def _snapshot(
    snapshot_id: str, task_id: str, checkpoint: str, snapshot_type: str, message_count: int, *rest: Any
) -> Snapshot:
    """The snapshot in a row of _COLUMNS."""
    digest, tokens, cost, created_at, session_id, client, message_id, *place = rest
    point = None
    if message_id is not None:
        turn_id, ordinal = place
        entry = entry_of(message_id, turn_id)
        point = SessionPoint(client or "", session_id, entry, message_id, message_count, ordinal)
    return Snapshot(
        snapshot_id,
        task_id,
        checkpoint,
        snapshot_type,
        message_count,
        digest,
        Metadata(tokens, cost),
        created_at,
        session_id,
        point,
    )
