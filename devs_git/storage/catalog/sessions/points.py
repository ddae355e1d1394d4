"""Points of the sessions in the catalog: after which of its messages a session is cut."""

from __future__ import annotations

import json
from itertools import count
from typing import Any, Final

from devs_git.domain.recall.session_entries import Native, native_of
from devs_git.domain.recall.session_points import SessionPoint, entry_of
from devs_git.storage.catalog import bodies, messages
from devs_git.storage.catalog.database import Catalog

_COLUMNS: Final = "s.client, p.session_id, m.message_id, m.turn_id, p.position, m.ordinal"
_FROM: Final = (
    "FROM paths p JOIN messages m ON m.number = p.number JOIN sessions s ON s.session_id = p.session_id"
)
# A message that a fork shares was said in the session in which it was read first.
_SAID: Final = f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = m.session_id AND instr(p.session_id, '/') = 0"
_NEWEST: Final = "ORDER BY m.created_at DESC, m.number DESC LIMIT 1"
_AT_ONCE: Final = 500


def at(catalog: Catalog, session_id: str, position: int) -> SessionPoint | None:
    """The point after the message at this position; None if the session has no such message, or nobody spoke up to it."""
    found = catalog.rows(
        f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = ? AND p.position = ?", session_id, position
    )
    return _spoken(catalog, found)


def at_time(catalog: Catalog, session_id: str, time: str) -> SessionPoint | None:
    """The point after the last message of a session that is not after a time."""
    query = f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = ? AND m.created_at <= ? ORDER BY p.position DESC LIMIT 1"
    return _spoken(catalog, catalog.rows(query, session_id, time))


def of_task(catalog: Catalog, task_id: str, time: str) -> SessionPoint | None:
    """The point after the last message of a task that is not after a time."""
    return _spoken(
        catalog, catalog.rows(f"{_SAID} AND m.task_id = ? AND m.created_at <= ? {_NEWEST}", task_id, time)
    )


def in_worktree(catalog: Catalog, worktree: str, time: str) -> SessionPoint | None:
    """The point after the last message, not after a time, of the sessions that last worked in a worktree."""
    return _spoken(
        catalog, catalog.rows(f"{_SAID} AND s.worktree = ? AND m.created_at <= ? {_NEWEST}", worktree, time)
    )


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
    known = catalog.rows(
        f"SELECT {_COLUMNS} {_FROM} WHERE p.session_id = ? AND m.message_id = ? AND p.position < ?",
        session_id,
        parent or "",
        position,
    )
    return _spoken(catalog, known) if known else at(catalog, session_id, position - 1)


def positions_of_call(catalog: Catalog, session_id: str, call_id: str) -> tuple[int, int]:
    """Where a session has the call of a tool with this id, and its result; 0 for what it does not have."""
    answered = 0
    query = f"SELECT p.position, m.message_id, m.role, m.body, m.native {_FROM} WHERE p.session_id = ? ORDER BY p.position DESC LIMIT ? OFFSET ?"
    for page in count():
        found = catalog.rows(query, session_id, _AT_ONCE, page * _AT_ONCE)
        for position, message_id, role, body, native in found:
            if role == "tool" and _native(native).call_id == call_id:
                answered = position
            calls = messages.message_in(message_id, role, body).tool_calls if role == "assistant" else None
            if any(call.id == call_id for call in calls or ()):
                return position, answered
        if len(found) < _AT_ONCE:
            return 0, answered
    raise AssertionError("a session has an end")


def _native(packed: bytes | None) -> Native:
    return native_of(json.loads(bodies.unpack(packed))) if packed else Native()


def _spoken(catalog: Catalog, found: list[tuple[Any, ...]]) -> SessionPoint | None:
    """The point in a row of _COLUMNS; None if up to it neither the person nor the model said anything."""
    if not found:
        return None
    client, session_id, message_id, turn_id, position, ordinal = found[0]
    query = f"SELECT 1 {_FROM} WHERE p.session_id = ? AND p.position <= ? AND m.role IN ('user', 'assistant') LIMIT 1"
    if not catalog.rows(query, session_id, position):
        return None
    entry = entry_of(message_id, turn_id)
    return SessionPoint(client, session_id, entry, message_id, position, ordinal)
