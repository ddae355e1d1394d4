"""A result that a transcript has only in part: the whole is taken from the client's file, or the trace says that it is cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.operations.recall import ingest
from devs_git.storage.catalog import messages, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.transcripts import Source
from devs_git.workspace import Workspace
from tests.operations.recall.test_spool import ingest as take_spool
from tests.operations.recall.test_spool import leave
from tests.support.cut_notices import gemini_lines, line_by_opencode, too_large, truncated
from tests.support.cut_outputs import KEPT, SIZE, WHOLE, Session, failure_of, saved_notice

pytestmark = pytest.mark.quick


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "home/.claude/projects/-work-repo")


def preview(path: Path) -> str:
    return (
        f"<persisted-output>\nOutput too large (164.9KB). Full output saved to: {path}\n\nPreview (first 2KB):\n"
        f"{WHOLE[:2000]}\n...\n</persisted-output>"
    )


def write(session: Session, result: str, told: Any = None, *, path: Path | None = None, **more: Any) -> Path:
    """A transcript with a call and its result."""
    call = {"type": "tool_use", "id": "u1", "name": "Bash", "input": {"command": "make"}}
    part = {"type": "tool_result", "tool_use_id": "u1", "content": result, **more}
    known = {"sessionId": session.id, "timestamp": "2026-11-23T10:00:00.000Z"}
    if path:
        known |= {"agentId": "a1"}
    lines = [
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}, **known},
        {"type": "user", "uuid": "b", "message": {"role": "user", "content": [part]}, **known},
    ]
    if told is not None:
        lines[1]["toolUseResult"] = told
    file = path or session.transcript
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def taken(workspace: Workspace, path: Path, client: str = "claude") -> tuple[bytes, bool, int | None, str]:
    """Output, cut, size of the whole of the only trace, and the result in the message."""
    with Catalog.open(workspace.places.shared) as catalog:
        how = ingest.current_attribution(workspace)
        done = ingest.ingest_transcript(workspace, catalog, Source(path, client), how)
        ((trace_id,),) = catalog.rows("SELECT trace_id FROM traces")
        row = traces.row(catalog, trace_id)
        (place,) = messages.places(catalog, done.session.session_id, 100, 1)
        assert row is not None
        assert place.message.trace_id == trace_id
        output = traces.output(catalog, trace_id)
        return output, row.cut_by_client, row.full_bytes, place.message.tool_result or ""


def test_the_whole_is_taken_from_the_file_that_the_line_names(ledgered: Workspace, session: Session) -> None:
    path = session.keep(WHOLE.encode())
    told = session.told(path)["tool_response"]
    output, *cut, shown = taken(ledgered, write(session, preview(path), told))
    assert (output, cut) == (WHOLE.encode(), [False, None])
    assert "the whole output: git devs trace get" in shown


def test_without_the_file_the_trace_has_what_the_line_has_and_is_cut(
    ledgered: Workspace, session: Session
) -> None:
    path = session.folder / "gone.txt"
    told = session.told(path)["tool_response"]
    output, *cut, shown = taken(ledgered, write(session, preview(path), told))
    assert (output, cut) == (KEPT.encode(), [True, SIZE])
    assert "the whole output" not in shown
    assert "the output, as the client cut it: git devs trace get" in shown


def test_a_subagents_result_is_taken_from_the_file_of_its_session(
    ledgered: Workspace, session: Session
) -> None:
    path = session.keep(WHOLE.encode())
    file = write(session, preview(path), path=session.folder.parent / "subagents/agent-a1.jsonl")
    # The preview tells no size in bytes, so nobody knows that the file has all.
    assert taken(ledgered, file)[:3] == (WHOLE.encode(), True, None)


def test_a_preview_without_a_file_is_no_output(ledgered: Workspace, session: Session) -> None:
    text = preview(session.folder / "gone.txt")
    assert taken(ledgered, write(session, text))[:3] == (text.encode(), True, None)


def test_the_same_words_that_a_command_printed_are_its_output(ledgered: Workspace, session: Session) -> None:
    text = preview(session.keep(WHOLE.encode()))
    told = {"stdout": text, "stderr": "", "interrupted": False}
    assert taken(ledgered, write(session, text, told))[:3] == (text.encode(), False, None)


def test_a_long_failure_in_a_transcript_is_cut(ledgered: Workspace, session: Session) -> None:
    text = failure_of(WHOLE)
    file = write(session, text, f"Error: {text}", is_error=True)
    assert taken(ledgered, file)[:3] == (text.encode(), True, None)


def test_a_long_answer_of_an_mcp_tool_is_taken_from_its_file(ledgered: Workspace, session: Session) -> None:
    text = saved_notice(session.keep(WHOLE.encode()))
    assert taken(ledgered, write(session, text, text))[:3] == (WHOLE.encode(), False, None)


def test_a_message_names_the_whole_that_the_hook_stored_and_stores_nothing(
    ledgered: Workspace, session: Session
) -> None:
    path = session.keep(WHOLE.encode())
    payload = session.told(path)
    leave(ledgered, payload)
    take_spool(ledgered)
    path.unlink()
    output, *cut, shown = taken(ledgered, write(session, preview(path), payload["tool_response"]))
    assert (output, cut) == (WHOLE.encode(), [False, None])
    assert "the whole output: git devs trace get" in shown


def test_a_planted_line_names_no_file_outside_of_the_session(
    ledgered: Workspace, session: Session, tmp_path: Path
) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("a secret\n" * 10_000)
    text = preview(secret)
    assert taken(ledgered, write(session, text))[:3] == (text.encode(), True, None)


@pytest.mark.parametrize(
    ("client", "lines", "told"),
    [
        ("gemini", gemini_lines("run_shell_command", too_large(), {"command": "make"}), too_large()),
        ("opencode", (line_by_opencode("bash", truncated(), {"command": "make"}),), truncated()),
    ],
)
def test_what_another_client_calls_cut_in_a_transcript_that_no_hook_saw_is_not_whole(
    client: str, lines: Any, told: str, ledgered: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    output, *cut, shown = taken(ledgered, file, client)
    assert (output, cut) == (told.encode(), [True, None])
    assert "the output, as the client cut it:" in shown
