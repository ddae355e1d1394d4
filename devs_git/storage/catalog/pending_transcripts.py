"""Transcripts that a client's hooks reported, and that have not been read since."""

from __future__ import annotations

import os
from pathlib import Path

from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable


@immutable
class PendingTranscript:
    """A reported transcript: `at` is the time of the report, and `cwd` the agent's folder at that time.

    `snapshot`: a snapshot is needed, because the agent stopped or is about to compact its conversation.
    """

    path: Path
    client: str
    session_id: str
    cwd: str
    task_id: str
    agent: str
    at: str
    snapshot: bool


def put(catalog: Catalog, pending: PendingTranscript) -> None:
    """Record a transcript, inside `fulltext.write_transaction`. It replaces an earlier record of the same file."""
    catalog.base.execute(
        "INSERT INTO heard VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET client = excluded.client, "
        "session_id = excluded.session_id, cwd = excluded.cwd, task_id = excluded.task_id, agent = excluded.agent, "
        "at = excluded.at, snapshot = max(snapshot, excluded.snapshot)",
        (
            os.fsencode(pending.path),
            pending.client,
            pending.session_id,
            pending.cwd,
            pending.task_id,
            pending.agent,
            pending.at,
            pending.snapshot,
        ),
    )


def list_pending(catalog: Catalog) -> tuple[PendingTranscript, ...]:
    """The pending transcripts, oldest first."""
    found = catalog.rows(
        "SELECT path, client, session_id, cwd, task_id, agent, at, snapshot FROM heard ORDER BY at"
    )
    return tuple(
        PendingTranscript(Path(os.fsdecode(path)), client, session, cwd, task, agent, at, bool(snapshot))
        for path, client, session, cwd, task, agent, at, snapshot in found
    )


def forget(catalog: Catalog, pending: PendingTranscript) -> None:
    """Remove the record of a transcript that was read. A newer record of the same file stays."""
    from devs_git.storage.catalog import fulltext

    with fulltext.write_transaction(catalog) as base:
        base.execute("DELETE FROM heard WHERE path = ? AND at = ?", (os.fsencode(pending.path), pending.at))
