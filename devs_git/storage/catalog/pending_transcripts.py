"""Transcripts that an agent's hooks told of and that nobody has read on in since."""

from __future__ import annotations

import os
from pathlib import Path

from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable


@immutable
class PendingTranscript:
    """`at` is when, `cwd` where the agent was then; `snapshot`: it stopped, or is about to forget what was said."""

    path: Path
    client: str
    session_id: str
    cwd: str
    task_id: str
    agent: str
    at: str
    snapshot: bool


def put(catalog: Catalog, pending: PendingTranscript) -> None:
    """Note it, inside `fulltext.write_transaction`; what was told of the same file before is the same news."""
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
    """Oldest first."""
    found = catalog.rows(
        "SELECT path, client, session_id, cwd, task_id, agent, at, snapshot FROM heard ORDER BY at"
    )
    return tuple(
        PendingTranscript(Path(os.fsdecode(path)), client, session, cwd, task, agent, at, bool(snapshot))
        for path, client, session, cwd, task, agent, at, snapshot in found
    )


def forget(catalog: Catalog, pending: PendingTranscript) -> None:
    """It was read; what was told since stays."""
    from devs_git.storage.catalog import fulltext

    with fulltext.write_transaction(catalog) as base:
        base.execute("DELETE FROM heard WHERE path = ? AND at = ?", (os.fsencode(pending.path), pending.at))
