"""Delete old sessions from the catalog. A message goes when no session has it any more."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from devs_git.storage.catalog.database import Catalog

# The messages of a session that another session has, too: a fork.
_SHARED: Final = (
    "number IN (SELECT number FROM paths WHERE session_id = ?1) "
    "AND {} (SELECT 1 FROM paths p WHERE p.number = messages.number AND p.session_id <> ?1)"
)
_OTHER: Final = (
    "SELECT min(p.session_id) FROM paths p WHERE p.number = messages.number AND p.session_id <> ?1"
)
_DELETIONS: Final = (
    f"DELETE FROM messages WHERE {_SHARED.format('NOT EXISTS')}",
    f"UPDATE messages SET session_id = ({_OTHER}) WHERE session_id = ?1 AND {_SHARED.format('EXISTS')}",
    "DELETE FROM paths WHERE session_id = ?1",
    "DELETE FROM snapshots WHERE session_id = ?1",
    "DELETE FROM ended WHERE session_id = ?1",
    "DELETE FROM sessions WHERE session_id = ?1",
    # The row stays without its text. So nobody reads an unchanged transcript again; if the session goes on, it is read whole.
    "UPDATE transcripts SET memory = '' WHERE session_id = ?1",
)


def last_seen(catalog: Catalog) -> dict[str, str]:
    """All sessions, each with the time when devs-git last read something of it: from a transcript, or from an export."""
    query = (
        "SELECT s.session_id, max(s.seen_at, coalesce(m.recorded_at, '')) AS seen FROM sessions s "
        "LEFT JOIN paths p ON p.session_id = s.session_id AND p.position = s.message_count "
        "LEFT JOIN messages m ON m.number = p.number ORDER BY seen, s.session_id"
    )
    return dict(catalog.rows(query))


def old_snapshots(catalog: Catalog, before: str) -> list[tuple[str, str, str]]:
    """Id, session and checkpoint's tag ('' for none) of the snapshots of conversations that were made before a time."""
    query = "SELECT snapshot_id, session_id, tag FROM snapshots WHERE created_at < ? ORDER BY created_at, snapshot_id"
    return catalog.rows(query, before)


def transcripts(catalog: Catalog, session_id: str) -> tuple[Path, ...]:
    """The files that a session was read from."""
    found = catalog.rows("SELECT path FROM transcripts WHERE session_id = ?", session_id)
    return tuple(Path(os.fsdecode(path)) for (path,) in found)


def delete(catalog: Catalog, sessions: Iterable[str]) -> None:
    """Delete sessions with their snapshots, inside `fulltext.write_transaction`."""
    for session_id in sessions:
        for statement in _DELETIONS:
            catalog.base.execute(statement, (session_id,))


def delete_snapshots(catalog: Catalog, snapshots: Iterable[str]) -> None:
    """Delete snapshots of conversations by their ids, inside `fulltext.write_transaction`."""
    catalog.base.executemany(
        "DELETE FROM snapshots WHERE snapshot_id = ?", [(snapshot,) for snapshot in snapshots]
    )
