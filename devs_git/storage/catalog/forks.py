"""Forks whose transcript has only the new messages (Codex): their beginning is the path of another session.

The transcript names that session, and the place in it where the fork leaves it. The other session may be read later than
the fork, or never, or in pieces. So a fork takes over the beginning as far as the catalog has it, and more of it as soon as
that is read. The fork's own messages then move to later positions. Their digests stay: the chain of a fork's own messages
begins with a digest of the place where it leaves, and not with the beginning itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from devs_git.domain.clients.transcript_lines import Fork
from devs_git.domain.clients.transcript_reader import Reader
from devs_git.storage.catalog import messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session
from devs_git.values import replace

# How many messages of a session the fork takes over. Messages that an older devs-git read have no ordinal: there the times
# decide.
_INHERITED: Final = (
    "SELECT coalesce(max(p.position), 0) FROM paths p JOIN messages m ON m.number = p.number WHERE p.session_id = ? "
    "AND (m.ordinal < ? OR (m.ordinal IS NULL AND m.created_at <= ?))"
)


def is_session_of(known: Session, reader: Reader) -> bool:
    """Whether `known` is the session of a transcript, and has its beginning if it is a fork."""
    return known.session_id == reader.session and bool(known.message_count or not reader.fork)


def begin(catalog: Catalog, known: Session, fork: Fork) -> Session:
    """The session as a fork, with the beginning that the catalog has of it. It has no message of its own yet."""
    if known.session_id in _ancestry(catalog, fork.source):
        return known
    place = f"fork {fork.source} {fork.ordinal}".encode()
    made = replace(
        known,
        digest=hashlib.sha256(place).hexdigest(),
        forked_from=fork.source,
        fork_ordinal=fork.ordinal,
        forked_at=fork.at,
    )
    return _take_over(catalog, made)


def _ancestry(catalog: Catalog, session_id: str) -> Iterator[str]:
    """The session, the one that it is a fork of, and so on."""
    seen: set[str] = set()
    while session_id and session_id not in seen:
        seen.add(session_id)
        yield session_id
        known = messages.session(catalog, session_id)
        session_id = known.forked_from if known else ""


def extend_forks_of(catalog: Catalog, session_id: str) -> None:
    """Give the forks of a session more of their beginning, inside `fulltext.write_transaction`, and their forks in turn."""
    from devs_git.storage.catalog.sessions import rewound_messages

    query = "SELECT session_id FROM sessions WHERE forked_from = ?"
    for (fork_id,) in catalog.base.execute(query, (session_id,)).fetchall():
        known = messages.session(catalog, fork_id)
        assert known is not None
        grown = _take_over(catalog, known)
        if grown.inherited != known.inherited:
            messages.save_session(catalog, grown)
            rewound_messages.mark_again(catalog, fork_id)
            extend_forks_of(catalog, fork_id)


def _take_over(catalog: Catalog, known: Session) -> Session:
    """Make the fork's path begin with the path of its source, as far as that goes."""
    base, named = catalog.base, (known.forked_from, known.fork_ordinal, known.forked_at)
    inherited = int(base.execute(_INHERITED, named).fetchone()[0])
    more = inherited - known.inherited
    if more <= 0:
        return known
    base.execute(
        "DELETE FROM paths WHERE session_id = ? AND position <= ?", (known.session_id, known.inherited)
    )
    _move("paths", "position", catalog, known.session_id, more)
    base.execute(
        "INSERT INTO paths (session_id, position, number, digest, token_count, cost_usd) "
        "SELECT ?, position, number, digest, token_count, cost_usd FROM paths "
        "WHERE session_id = ? AND position <= ?",
        (known.session_id, known.forked_from, inherited),
    )
    _move("snapshots", "message_count", catalog, known.session_id, more)
    return replace(known, inherited=inherited, message_count=known.message_count + more)


def _move(table: str, column: str, catalog: Catalog, session_id: str, more: int) -> None:
    """Add to the positions of a session. They pass through negative numbers, because each must stay unique."""
    where = f"WHERE session_id = ? AND {column}"
    catalog.base.execute(f"UPDATE {table} SET {column} = -({column} + ?) {where} > 0", (more, session_id))
    catalog.base.execute(f"UPDATE {table} SET {column} = -{column} {where} < 0", (session_id,))
