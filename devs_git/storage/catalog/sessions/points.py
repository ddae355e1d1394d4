"""Points of the sessions in the catalog: after which of its messages a session is cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from devs_git.domain.ledger import paging
from devs_git.domain.recall.conversation import canonical
from devs_git.domain.recall.session_entries import Native, native_of
from devs_git.domain.recall.session_points import SessionPoint, entry_of
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.database import Catalog

_COLUMNS: Final = "s.client, p.session_id, m.message_id, m.turn_id, p.position, m.ordinal, m.created_at"
_POSITION, _CREATED_AT = 4, 6
_FROM: Final = (
    "FROM paths p JOIN messages m ON m.number = p.number JOIN sessions s ON s.session_id = p.session_id"
)
# From the id of a message to its places: the index of a session's positions would be read from its beginning.
_BY_ID: Final = (
    "FROM messages m CROSS JOIN paths p ON p.number = m.number JOIN sessions s ON s.session_id = p.session_id"
)
# A message that a fork shares was said in the session in which it was read first.
_SAID: Final = f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = m.session_id AND instr(p.session_id, '/') = 0"
_NEWEST: Final = "ORDER BY m.created_at DESC, m.number DESC LIMIT 1"
_AT_ONCE: Final = 500
# Of a result the catalog has the id of its call in `native`.
_CALLS: Final = (
    "SELECT p.position, m.role, CASE m.role WHEN 'tool' THEN m.native ELSE m.body END FROM paths p "
    "JOIN messages m ON m.number = p.number WHERE p.session_id = ? AND p.position BETWEEN ? AND ? "
    "AND m.role IN ('tool', 'assistant') ORDER BY p.position DESC LIMIT ?"
)


def at(catalog: Catalog, session_id: str, position: int) -> SessionPoint | None:
    """The point after the message at this position; None if the session has no such message, or nobody spoke up to it."""
    found = catalog.rows(
        f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = ? AND p.position = ?", session_id, position
    )
    return _spoken(catalog, found)


def at_time(catalog: Catalog, session_id: str, time: str) -> SessionPoint | None:
    """The point after the last message of a session that is not after a time."""
    return at_times(catalog, session_id, (time,))[time]


def at_times(catalog: Catalog, session_id: str, times: Iterable[str]) -> dict[str, SessionPoint | None]:
    """The same for each of the times. Together they read the session once."""
    query = (
        f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = ? AND p.position <= ? AND m.created_at <= ? "
        "ORDER BY p.position DESC LIMIT 1"
    )
    found, upto = dict[str, SessionPoint | None](), paging.NO_END
    for time in sorted(set(times), reverse=True):
        rows = catalog.rows(query, session_id, upto, time)
        found[time] = _spoken(catalog, rows)
        upto = rows[0][_POSITION] if rows else 0
    return found


def in_worktree(catalog: Catalog, worktree: str, time: str) -> SessionPoint | None:
    """The point after the last message, not after a time, of the sessions that last worked in a worktree."""
    return in_worktree_at(catalog, worktree, (time,))[time]


def in_worktree_at(catalog: Catalog, worktree: str, times: Iterable[str]) -> dict[str, SessionPoint | None]:
    """The same for each of the times. Together they read each message once, and none where no session worked."""
    query = f"{_SAID} AND s.worktree = ? AND m.created_at <= ? {_NEWEST}"
    found, point = dict[str, SessionPoint | None](), None
    # When the message was said that was found for a later time: an earlier time that is not before it has the same one.
    said_at = "~" if catalog.rows("SELECT 1 FROM sessions WHERE worktree = ? LIMIT 1", worktree) else ""
    for time in sorted(set(times), reverse=True):
        if time < said_at:
            rows = catalog.rows(query, worktree, time)
            point = _spoken(catalog, rows)
            said_at = rows[0][_CREATED_AT] if rows else ""
        found[time] = point
    return found


def before(catalog: Catalog, session_id: str, position: int) -> SessionPoint | None:
    """The point after the message that the one at this position follows.

    It is another one than the message before it where a person went back in the conversation and began a branch.
    """
    found = catalog.rows(
        f"SELECT m.native {_FROM} WHERE p.session_id = ? AND p.position = ?", session_id, position
    )
    parent = _native(found[0][0]).parent if found else None
    if parent == "":
        return None
    query = f"SELECT {_COLUMNS} {_BY_ID} WHERE m.message_id = ? AND p.session_id = ? AND p.position < ?"
    known = catalog.rows(query, parent, session_id, position) if parent else None
    return _spoken(catalog, known) if known else at(catalog, session_id, position - 1)


def positions_of_calls(
    catalog: Catalog, session_id: str, call_ids: Iterable[str], first: int = 1, last: int = paging.NO_END
) -> dict[str, tuple[int, int]]:
    """Where a session has the calls of tools with these ids, and their results; 0 for what it does not have.

    Only its messages from the position `first` to `last` are read, the newest first, until all calls are found.
    """
    found = dict.fromkeys(call_ids, (0, 0))
    # The messages are stored in ASCII. To look for the ids is much faster than to parse each message.
    named = re.compile("|".join(re.escape(canonical(one)) for one in found).encode())
    missing = set(found)
    while missing:
        rows = catalog.rows(_CALLS, session_id, first, last, _AT_ONCE)
        for position, role, packed in rows:
            data = bodies.unpack(packed) if packed else b""
            if not named.search(data):
                continue
            if role == "tool":
                call = native_of(json.loads(data)).call_id
                if call in missing:
                    found[call] = (0, position)
                continue
            for call in _calls_in(data) & missing:
                found[call] = (position, found[call][1])
                missing.remove(call)
        if len(rows) < _AT_ONCE:
            break
        last = rows[-1][0] - 1
    return found


def _calls_in(body: bytes) -> set[str]:
    """The ids of the calls of tools in an answer of the model."""
    return {call["id"] for call in json.loads(body).get("tool_calls") or ()}


def _native(packed: bytes | None) -> Native:
    return native_of(json.loads(bodies.unpack(packed))) if packed else Native()


def _spoken(catalog: Catalog, found: list[tuple[Any, ...]]) -> SessionPoint | None:
    """The point in a row of _COLUMNS; None if up to it neither the person nor the model said anything."""
    if not found:
        return None
    client, session_id, message_id, turn_id, position, ordinal, _created_at = found[0]
    query = f"SELECT 1 {_FROM} WHERE p.session_id = ? AND p.position <= ? AND m.role IN ('user', 'assistant') LIMIT 1"
    if not catalog.rows(query, session_id, position):
        return None
    entry = entry_of(message_id, turn_id)
    return SessionPoint(client, session_id, entry, message_id, position, ordinal)
