"""What the catalog tells of sessions that are at work."""

from __future__ import annotations

import json

import pytest

from devs_git.domain.recall.traces import Trace
from devs_git.storage.catalog import fulltext, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import session_signs
from devs_git.storage.catalog.sessions.session_signs import ToolCall
from tests.support.conversation_scene import EXAMPLES, SESSION, stored_places, take

pytestmark = pytest.mark.quick


def put(catalog: Catalog, number: int, at: str, **known: object) -> None:
    made = Trace(f"t{number}", at, b"out", **{"session_id": "s", "client": "claude", **known})  # type: ignore[arg-type]
    with fulltext.write_transaction(catalog):
        traces.put(catalog, made)


def test_calls_since_a_time_are_those_of_clients_and_a_subagents_counts_for_the_session(
    catalog: Catalog,
) -> None:
    put(catalog, 1, "2026-01-01T00:00:01.000Z")
    put(catalog, 2, "2026-01-01T00:00:02.000Z", session_id="s/sub", tool_name="Bash", duration_ms=5)
    put(catalog, 3, "2026-01-01T00:00:03.000Z", client="")
    put(catalog, 4, "2026-01-01T00:00:04.000Z", is_error=None, tool_use_id="u")
    assert session_signs.calls_since(catalog, "2026-01-01T00:00:02.000Z") == (
        ToolCall("t2", "s", "claude", "Bash", "", False, 5, "2026-01-01T00:00:02.000Z"),
        ToolCall("t4", "s", "claude", "", "u", None, None, "2026-01-01T00:00:04.000Z"),
    )


def test_sessions_at_work_are_those_with_a_call_since_then(catalog: Catalog) -> None:
    put(catalog, 1, "2026-01-01T00:00:01.000Z", session_id="old")
    put(catalog, 2, "2026-01-01T00:00:02.000Z", session_id="s/sub")
    put(catalog, 3, "2026-01-01T00:00:03.000Z")
    put(catalog, 4, "2026-01-01T00:00:04.000Z", client="")
    assert session_signs.at_work_since(catalog, "2026-01-01T00:00:02.000Z") == ("s",)


def test_input_and_folder_of_a_call_are_as_the_client_sent_them(catalog: Catalog) -> None:
    raw = json.dumps({"cwd": "/work/repo", "tool_response": "out"}).encode()
    put(catalog, 1, "2026-01-01T00:00:01.000Z", input='{"file_path":"a"}', raw=raw)
    put(catalog, 2, "2026-01-01T00:00:02.000Z", input="*** Begin Patch", raw=b"")
    first, second = session_signs.calls_since(catalog, "")
    assert session_signs.input_of(catalog, first) == {"file_path": "a"}
    assert session_signs.folder_of(catalog, first, "cwd") == "/work/repo"
    assert session_signs.input_of(catalog, second) == "*** Begin Patch"
    assert session_signs.folder_of(catalog, second, "cwd") == ""


def test_the_newest_end_of_a_session_counts(catalog: Catalog) -> None:
    for session, at in (("s", "2"), ("s", "1"), ("r", "3")):
        with fulltext.write_transaction(catalog):
            session_signs.note_end(catalog, session, at)
    assert session_signs.ends(catalog) == {"s": "2", "r": "3"}


def test_the_last_prompt_of_a_worktree_is_what_a_user_said(catalog: Catalog) -> None:
    assert session_signs.last_prompt(catalog, ".") == ("", "")
    take(catalog, EXAMPLES / "claude.jsonl", worktree=".")
    said = [one.message for one in stored_places(catalog, SESSION) if one.message.role == "user"]
    assert session_signs.last_prompt(catalog, ".") == (said[-1].timestamp, SESSION)
    assert session_signs.last_prompt(catalog, "linked") == ("", "")
    assert session_signs.last_message(catalog, SESSION) >= (said[-1].timestamp or "")
