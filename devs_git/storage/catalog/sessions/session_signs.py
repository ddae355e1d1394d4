"""What the catalog knows of who is at work: calls of tools since a time, ends of sessions, and the last prompt."""

from __future__ import annotations

import json
from typing import Any, Final

from devs_git.domain.recall.conversation import main_session
from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable

# How many sessions of a worktree are looked at for the newest prompt.
_RECENT: Final = 50


@immutable
class ToolCall:
    """A call of a tool that ended at `ended`. `failed` is None if nobody knows, `duration_ms` None if nobody measured it."""

    trace_id: str
    session: str
    client: str
    tool: str
    call_id: str
    failed: bool | None
    duration_ms: int | None
    ended: str


def calls_since(catalog: Catalog, since: str) -> tuple[ToolCall, ...]:
    """The calls of all sessions that ended at `since` or later, oldest first."""
    found = catalog.rows(
        "SELECT trace_id, session_id, client, tool_name, tool_use_id, is_error, duration_ms, created_at FROM traces "
        "WHERE created_at >= ? AND session_id <> '' AND client <> '' ORDER BY created_at",
        since,
    )
    return tuple(
        ToolCall(trace_id, main_session(session), client, tool, use, traces.failure_of(failed), ms, at)
        for trace_id, session, client, tool, use, failed, ms, at in found
    )


def at_work_since(catalog: Catalog, since: str) -> tuple[str, ...]:
    """The sessions with a call of a tool that ended at `since` or later."""
    found = catalog.rows(
        "SELECT DISTINCT session_id FROM traces WHERE created_at >= ? AND session_id <> '' AND client <> ''",
        since,
    )
    return tuple({main_session(session) for (session,) in found})


def input_of(catalog: Catalog, call: ToolCall) -> Any:
    """The input of a call as the client gave it."""
    given = traces.input_of(catalog, call.trace_id)
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def folder_of(catalog: Catalog, call: ToolCall, field: str) -> str:
    """The folder in which the client worked, from this field of its payload; '' if there is no payload."""
    try:
        payload = json.loads(traces.raw(catalog, call.trace_id) or b"{}")
    except (ValueError, RecursionError):
        return ""
    found = payload.get(field) if isinstance(payload, dict) else ""
    return found if isinstance(found, str) else ""


def note_end(catalog: Catalog, session: str, at: str) -> None:
    """Note that a session ended, inside `fulltext.write_transaction`. If it goes on later, it has a newer sign than this."""
    catalog.base.execute(
        "INSERT INTO ended (session_id, at) VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET at = max(at, excluded.at)",
        (session, at),
    )


def ends(catalog: Catalog) -> dict[str, str]:
    """When each session ended that has told it."""
    return dict(catalog.rows("SELECT session_id, at FROM ended"))


def last_message(catalog: Catalog, session: str, role: str = "") -> str:
    """The time of the last message of a session, or of the last one with this role; '' if there is none."""
    found = catalog.rows(
        "SELECT m.created_at FROM paths p JOIN messages m ON m.number = p.number "
        "WHERE p.session_id = ? AND ? IN ('', m.role) ORDER BY p.position DESC LIMIT 1",
        session,
        role,
    )
    return str(found[0][0]) if found else ""


def message_times(catalog: Catalog, session: str, since: str) -> tuple[str, ...]:
    """The times of the messages of a session from `since` on."""
    found = catalog.rows(
        "SELECT m.created_at FROM messages m JOIN paths p ON p.number = m.number "
        "WHERE m.created_at >= ? AND p.session_id = ?",
        since,
        session,
    )
    return tuple(at for (at,) in found)


def last_prompt(catalog: Catalog, worktree: str) -> tuple[str, str]:
    """When the newest prompt in a worktree was, and its session; '' twice if there is none. No session of a subagent."""
    query = (
        "SELECT session_id FROM sessions WHERE worktree = ? AND instr(session_id, '/') = 0 "
        "ORDER BY seen_at DESC LIMIT ?"
    )
    found = catalog.rows(query, worktree, _RECENT)
    return max(((last_message(catalog, session, "user"), session) for (session,) in found), default=("", ""))
