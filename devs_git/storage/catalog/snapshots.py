"""Snapshots of conversations in the catalog. Those of checkpoints are what the ledger's events say, and follow them."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.recall.conversation_prefix import prefix_of
from devs_git.domain.recall.conversation_snapshots import Metadata, Snapshot, snapshot_of_checkpoint
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session

_COLUMNS: Final = (
    "s.snapshot_id, s.task_id, s.checkpoint, s.snapshot_type, s.message_count, s.digest, "
    "coalesce(m.token_count, 0), coalesce(m.cost_usd, 0.0), s.created_at, s.session_id"
)
# What a prefix cost is asked of the message that ends it: one row, however long the conversation is.
_FROM: Final = (
    "FROM snapshots s LEFT JOIN messages m ON m.session_id = s.session_id AND m.position = s.message_count"
)


def apply_event(catalog: Catalog, event: Event) -> bool:
    """Keep what one event says of checkpoints, inside `fulltext.write_transaction`. False where it revives one that has been pruned here."""
    base, tag = catalog.base, event.tag
    prefix = prefix_of(event.conversation)
    if event.effects.records and tag and prefix:
        task = event.task
        known = Snapshot(
            snapshot_of_checkpoint(tag),
            task,
            f"{task}@{event.number}",
            "checkpoint",
            prefix[1],
            prefix[2],
            Metadata(0, 0.0),
            event.finished,
            prefix[0],
        )
        put(catalog, known, tag=tag)
    for words in event.moves:
        if len(words) > 2:  # the ledger may be of anybody: that it is wrong, others say
            _move(catalog, *words[:3])
    for tag, number in event.renumbered:
        base.execute("UPDATE snapshots SET checkpoint = task_id || '@' || ? WHERE tag = ?", (number, tag))
    for tag in event.undone:
        base.execute("UPDATE snapshots SET live = 0 WHERE tag = ?", (tag,))
    revived = [
        base.execute("UPDATE snapshots SET live = 1 WHERE tag = ?", (tag,)).rowcount for tag in event.revived
    ]
    return all(revived)


def _move(catalog: Catalog, old: str, new: str, number: str) -> None:
    """A checkpoint that followed a rewritten commit has the same conversation."""
    catalog.base.execute(
        "INSERT OR IGNORE INTO snapshots SELECT ?, session_id, task_id, task_id || '@' || ?, ?, 1, snapshot_type, "
        "message_count, digest, created_at FROM snapshots WHERE tag = ?",
        (snapshot_of_checkpoint(new), number, new, old),
    )
    catalog.base.execute("UPDATE snapshots SET live = 0 WHERE tag = ?", (old,))


def snapshot_of_session(session: Session, kind: str, snapshot_id: str, now: str, task_id: str) -> Snapshot:
    """A snapshot of a session as it is now: its row says all of it."""
    cost = Metadata(session.token_count, session.cost_usd)
    return Snapshot(
        snapshot_id, task_id, "", kind, session.message_count, session.digest, cost, now, session.session_id
    )


def put(catalog: Catalog, known: Snapshot, *, tag: str = "") -> bool:
    """Store one, inside `fulltext.write_transaction`; False where it is there: a session has one automatic one of each length."""
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
    """The conversation of a checkpoint, named by its tag's oid."""
    return _one(catalog, "WHERE s.tag = ?", tag)


def of_id(catalog: Catalog, snapshot_id: str) -> Snapshot | None:
    return _one(catalog, "WHERE s.snapshot_id = ?", snapshot_id)


def _one(catalog: Catalog, condition: str, *values: Any) -> Snapshot | None:
    return next(iter(_snapshots(catalog, condition, *values)), None)


def list_newest(catalog: Catalog, task_id: str, limit: int) -> tuple[Snapshot, ...]:
    """The newest snapshots first; of one task where one is named."""
    condition = (
        "WHERE ? IN ('', s.task_id) ORDER BY s.created_at DESC, s.message_count DESC, s.snapshot_id LIMIT ?"
    )
    if task_id:
        condition = condition.replace("? IN ('', s.task_id)", "s.task_id = ?")
    return _snapshots(catalog, condition, task_id, limit)


def _snapshots(catalog: Catalog, condition: str, *values: Any) -> tuple[Snapshot, ...]:
    found = catalog.rows(f"SELECT {_COLUMNS} {_FROM} {condition}", *values)
    return tuple(_snapshot(*row) for row in found)


def _snapshot(
    snapshot_id: str, task_id: str, checkpoint: str, snapshot_type: str, message_count: int, *rest: Any
) -> Snapshot:
    """A row of _COLUMNS."""
    digest, tokens, cost, created_at, session_id = rest
    cost_of_it = Metadata(tokens, cost)
    return Snapshot(
        snapshot_id,
        task_id,
        checkpoint,
        snapshot_type,
        message_count,
        digest,
        cost_of_it,
        created_at,
        session_id,
    )


def prune(catalog: Catalog, before: str) -> int:
    """Delete those from before a stamp that belong to no live checkpoint, inside `fulltext.write_transaction`."""
    condition = "created_at < ? AND NOT (snapshot_type = 'checkpoint' AND live)"
    return catalog.base.execute(f"DELETE FROM snapshots WHERE {condition}", (before,)).rowcount
