"""The instructions of the client itself, with which a session of some clients begins.

They are messages of the role `system` before the first other message. They are stored, but nobody said them in the
conversation, so they are shown and found only if somebody asks for them.
"""

from __future__ import annotations

from typing import Final

from devs_git.storage.catalog.database import Catalog

# After every message, if there is no other one.
_NONE: Final = 1 << 60


def numbers() -> str:
    """The query of the numbers of all such messages."""
    return f"SELECT p.number {_of_sessions()}"


def count(catalog: Catalog, session_id: str) -> int:
    """The number of such messages at the beginning of a session."""
    return int(catalog.rows(f"SELECT count(*) {_of_sessions()} AND s.session_id = ?", session_id)[0][0])


def _of_sessions() -> str:
    # Late: this imports all clients.
    from devs_git.domain.clients.known_clients import CLIENTS

    clients = ", ".join(f"'{client.name}'" for client in CLIENTS.values() if client.instructs)
    return f"""
FROM sessions s JOIN paths p ON p.session_id = s.session_id
WHERE s.client IN ({clients}) AND p.position < coalesce((
  SELECT o.position FROM paths o JOIN messages m ON m.number = o.number
  WHERE o.session_id = s.session_id AND m.role <> 'system' ORDER BY o.position LIMIT 1
), {_NONE})"""
