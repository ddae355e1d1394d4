"""A subagent of Claude Code: its calls have its kind, and its transcript is a session within the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_show
from devs_git.operations.recall import open_catalog, worktree_note
from devs_git.storage.catalog import messages, traces
from devs_git.workspace import Workspace
from tests.operations.recall.test_spool import leave
from tests.support.agent_calls import after
from tests.support.cut_outputs import Session

pytestmark = pytest.mark.quick

TASK = "Devs-Task: task-10"
LONG = "\n".join(f"line {number}" for number in range(200))


def said(text: str, at: int, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": f"u{at}{more.get('agentId', '')}",
        "timestamp": f"2026-11-23T10:00:0{at}.000Z",
        "message": {"role": "user", "content": text},
        **more,
    }


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "claude")


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def transcript_of_subagent(session: Session) -> Path:
    known = {"sessionId": session.id, "agentId": "a1", "isSidechain": True}
    call = {"type": "tool_use", "id": "u7", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "u7", "content": LONG}
    return write(
        session.folder.parent / "subagents/agent-a1.jsonl",
        said("Count for me.", 1, **known),
        {**said("", 2, **known), "type": "assistant", "message": {"content": [call]}},
        {**said("", 3, **known), "message": {"content": [result]}},
    )


def stopped(session: Session, path: Path | str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": session.id,
        "transcript_path": str(session.transcript),
        "hook_event_name": "SubagentStop",
        "agent_id": "a1",
        "agent_type": "Explore",
        "agent_transcript_path": str(path),
        **more,
    }


def _taken(workspace: Workspace, *payloads: dict[str, Any]) -> None:
    for payload in payloads:
        leave(workspace, payload, TASK)
    with open_catalog.open_catalog(workspace):
        pass


def test_the_agent_of_a_trace_is_the_kind_of_the_subagent(ledgered: Workspace, session: Session) -> None:
    del session
    _taken(ledgered, after(1, "printed", agent_type="Explore", agent_id="a1"), after(2, "printed"))
    with open_catalog.open_catalog(ledgered) as catalog:
        assert catalog.rows("SELECT tool_use_id, agent FROM traces ORDER BY 1") == [
            ("u1", "Explore"),
            ("u2", ""),
        ]


def test_the_messages_of_a_subagent_are_a_session_within_the_session(
    ledgered: Workspace, session: Session
) -> None:
    write(session.transcript, said("Go on.", 0, sessionId=session.id))
    _taken(ledgered, stopped(session, transcript_of_subagent(session)))
    with open_catalog.open_catalog(ledgered) as catalog:
        rows = catalog.rows("SELECT session_id, agent, role FROM messages ORDER BY session_id, created_at")
        assert rows == [
            (session.id, "", "user"),
            (f"{session.id}/a1", "Explore", "system"),
            (f"{session.id}/a1", "Explore", "assistant"),
            (f"{session.id}/a1", "Explore", "tool"),
        ]


def test_a_long_result_of_a_subagent_is_stored_once_whoever_tells_it(
    ledgered: Workspace, session: Session
) -> None:
    _taken(
        ledgered,
        after(7, LONG, session_id=session.id, agent_type="Explore"),
        stopped(session, transcript_of_subagent(session)),
    )
    with open_catalog.open_catalog(ledgered) as catalog:
        ((trace_id,),) = catalog.rows("SELECT trace_id FROM traces")
        found = messages.places(catalog, f"{session.id}/a1", 100, 100)
        assert found[-1].message.trace_id == trace_id
        assert traces.output(catalog, trace_id) == LONG.encode()


def test_a_worktree_goes_on_with_the_session_and_never_with_its_subagent(
    ledgered: Workspace, session: Session
) -> None:
    write(session.transcript, said("Go on.", 0, sessionId=session.id))
    _taken(ledgered, stopped(session, transcript_of_subagent(session)))
    shown = conversation_show.run(ledgered, conversation_show.Request())
    assert shown.session_id == session.id
    note = worktree_note.read(ledgered.places, "task-10")
    assert note is not None
    assert note.prefix.startswith(f"{session.id} 1 ")


def test_a_transcript_outside_of_the_session_is_not_taken_for_a_subagents(
    ledgered: Workspace, session: Session, tmp_path: Path
) -> None:
    inside = transcript_of_subagent(session)
    other = write(tmp_path / "other.jsonl", said("A secret.", 1, sessionId=session.id, agentId="a1"))
    by_dots = f"{inside.parent}/../../../other.jsonl"
    for path in (other, by_dots, "relative.jsonl", "", f"{inside.parent}/\0.jsonl"):
        _taken(ledgered, stopped(session, path))
    _taken(ledgered, stopped(session, inside, transcript_path="/"))
    with open_catalog.open_catalog(ledgered) as catalog:
        assert catalog.rows("SELECT count(*) FROM messages") == [(0,)]
    assert not (ledgered.places.spool / "rejected").exists()
