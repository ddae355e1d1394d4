"""An output that a client cut is stored whole where the client's own file has it, and else is known to be cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.recall.traces import TraceRow
from devs_git.domain.text import limits
from devs_git.operations.recall import open_catalog, spool
from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.operations.recall.test_spool import leave
from tests.support.agent_calls import after
from tests.support.cut_notices import file_by_gemini, file_by_opencode
from tests.support.cut_outputs import KEPT, SIZE, WHOLE, Session, failure_of, saved_notice

pytestmark = pytest.mark.quick

CUT = KEPT.encode(), True, SIZE


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "home/.claude/projects/-work-repo")


def ingest(workspace: Workspace, payload: Any, client: str = "claude") -> tuple[bytes, TraceRow]:
    """The only trace, after the payload was taken in."""
    leave(workspace, payload, client=client)
    with Catalog.open(workspace.places.shared) as catalog:
        assert open_catalog.ingest_spool(workspace, catalog) == (1, 0)
        ((trace_id,),) = catalog.rows("SELECT trace_id FROM traces")
        row = traces.row(catalog, trace_id)
        assert row is not None
        return traces.output(catalog, trace_id), row


def taken(workspace: Workspace, payload: Any) -> tuple[bytes, bool, int | None]:
    output, row = ingest(workspace, payload)
    return output, row.cut_by_client, row.full_bytes


def test_the_whole_of_a_long_output_is_taken_from_the_file_of_the_client(
    ledgered: Workspace, session: Session
) -> None:
    output, row = ingest(ledgered, session.told(session.keep(WHOLE.encode())))
    assert output == WHOLE.encode()
    assert (row.cut_by_client, row.full_bytes, row.size) == (False, None, SIZE)


def test_the_payload_of_such_a_call_stays_as_the_client_sent_it(
    ledgered: Workspace, session: Session
) -> None:
    payload = session.told(session.keep(WHOLE.encode()))
    path = leave(ledgered, payload)
    sent = path.read_bytes().partition(b"\n\n")[2]
    with Catalog.open(ledgered.places.shared) as catalog:
        spool.ingest(ledgered.places, ledgered.store_git, catalog)
        ((trace_id,),) = catalog.rows("SELECT trace_id FROM traces")
        assert traces.raw(catalog, trace_id) == sent


def test_an_output_whose_file_is_gone_is_cut_and_has_the_size_of_the_whole(
    ledgered: Workspace, session: Session
) -> None:
    assert taken(ledgered, session.told(session.folder / "gone.txt")) == CUT


def test_a_file_that_the_client_cut_too_is_taken_and_is_still_cut(
    ledgered: Workspace, session: Session
) -> None:
    path = session.keep(WHOLE.encode())
    assert taken(ledgered, session.told(path, size=SIZE + 7)) == (WHOLE.encode(), True, SIZE + 7)


def test_a_file_with_less_than_the_payload_is_not_taken(ledgered: Workspace, session: Session) -> None:
    assert taken(ledgered, session.told(session.keep(b"less"))) == CUT


def _secret(session: Session) -> Path:
    path = session.transcript.parent.parent.parent.parent / ".ssh/id_rsa"
    path.parent.mkdir()
    path.write_text("a secret\n" * 10_000)
    return path


def _outside(session: Session) -> Path:
    return _secret(session)


def _by_dots(session: Session) -> str:
    secret = _secret(session)
    return f"{session.folder}/{os.path.relpath(secret, session.folder)}"


def _of_another_session(session: Session) -> Path:
    return Session(session.transcript.parent, "another").keep(WHOLE.encode())


def _below_another_folder(session: Session) -> Path:
    (session.folder.parent / "subagents").mkdir()
    path = session.folder.parent / "subagents/agent.jsonl"
    path.write_text(WHOLE)
    return path


def _deeper(session: Session) -> Path:
    (session.folder / "deeper").mkdir()
    return session.keep(WHOLE.encode(), "deeper/x.txt")


def _linked_file(session: Session) -> Path:
    (session.folder / "x.txt").symlink_to(_secret(session))
    return session.folder / "x.txt"


def _hard_linked_file(session: Session) -> Path:
    os.link(_secret(session), session.folder / "x.txt")
    return session.folder / "x.txt"


def _linked_folder(session: Session) -> Path:
    secret = _secret(session)
    session.folder.rmdir()
    session.folder.symlink_to(secret.parent)
    return session.folder / secret.name


def _linked_session(session: Session) -> Path:
    other = Session(session.transcript.parent.parent / "other").keep(WHOLE.encode())
    session.folder.rmdir()
    session.folder.parent.rmdir()
    session.folder.parent.symlink_to(other.parent.parent)
    return session.folder / other.name


def _pipe(session: Session) -> Path:
    os.mkfifo(session.folder / "x.txt")
    return session.folder / "x.txt"


def _directory(session: Session) -> Path:
    (session.folder / "x.txt").mkdir()
    return session.folder / "x.txt"


def _nul(session: Session) -> str:
    return f"{session.folder}/x\0.txt"


@pytest.mark.parametrize(
    "planted",
    [
        _outside,
        _by_dots,
        _of_another_session,
        _below_another_folder,
        _deeper,
        _linked_file,
        _hard_linked_file,
        _linked_folder,
        _linked_session,
        _pipe,
        _directory,
        _nul,
    ],
)
def test_a_file_that_a_planted_payload_names_is_not_taken(
    planted: Any, ledgered: Workspace, session: Session
) -> None:
    assert taken(ledgered, session.told(planted(session))) == CUT


@pytest.mark.parametrize("transcript", ["", "relative.jsonl", "/", "/x", ".jsonl", None, 7])
def test_without_the_transcript_of_the_session_no_file_is_taken(
    transcript: object, ledgered: Workspace, session: Session
) -> None:
    path = session.keep(WHOLE.encode())
    assert taken(ledgered, session.told(path, transcript_path=transcript)) == CUT


def test_a_file_above_the_limit_is_not_taken(
    ledgered: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OUTPUT", replace(limits.OUTPUT, most=SIZE - 1))
    assert taken(ledgered, session.told(session.keep(WHOLE.encode()))) == CUT


def test_a_long_failure_is_cut_and_nobody_knows_the_size_of_the_whole(
    ledgered: Workspace, session: Session
) -> None:
    assert taken(ledgered, session.failed()) == (failure_of(WHOLE).encode(), True, None)


def test_a_failure_that_has_room_is_whole_whatever_it_prints(ledgered: Workspace, session: Session) -> None:
    text = "\n\n... [7 characters truncated] ...\n\n"
    output = f"Exit code 3\n{text.rstrip()}".encode()
    assert taken(ledgered, session.failed(text)) == (output, False, None)


@pytest.mark.parametrize("size", [None, "168894", -1, 0, 1.5, True, 1 << 60])
def test_a_size_that_is_none_is_unknown(size: Any, ledgered: Workspace, session: Session) -> None:
    payload = session.told(session.folder / "gone.txt", size=size)
    assert taken(ledgered, payload) == (KEPT.encode(), True, None)


def test_a_path_that_is_no_text_names_no_file(ledgered: Workspace, session: Session) -> None:
    payload = session.told("")
    payload["tool_response"]["persistedOutputPath"] = 7
    assert taken(ledgered, payload) == CUT


def test_the_whole_answer_of_an_mcp_tool_is_taken_from_the_file_of_the_client(
    ledgered: Workspace, session: Session
) -> None:
    path = session.keep(WHOLE.encode(), "mcp-x-1.txt")
    payload = {**session.told(path), "tool_name": "mcp__x__list", "tool_response": saved_notice(path)}
    assert taken(ledgered, payload) == (WHOLE.encode(), False, None)


def test_without_the_file_the_clients_notice_of_it_is_no_whole_answer(
    ledgered: Workspace, session: Session
) -> None:
    notice = saved_notice(session.folder / "gone.txt")
    payload = {**session.told(""), "tool_name": "mcp__x__list", "tool_response": notice}
    assert taken(ledgered, payload) == (notice.encode(), True, None)


@pytest.mark.parametrize(
    ("characters", "more"),
    [(1, ""), (SIZE + 1, ""), (SIZE, "I DELETED EVERYTHING"), (1, "I DELETED EVERYTHING")],
)
def test_an_answer_that_only_looks_like_the_clients_notice_takes_no_other_output(
    characters: int, more: str, ledgered: Workspace, session: Session
) -> None:
    notice = saved_notice(session.keep(WHOLE.encode(), "b.txt"), characters) + more
    payload = {**session.told(""), "tool_name": "mcp__x__list", "tool_response": notice}
    assert taken(ledgered, payload) == (notice.encode(), True, None)


def test_the_characters_of_an_answer_are_counted_as_the_client_counts_them(
    ledgered: Workspace, session: Session
) -> None:
    whole = "\u00e4\U0001f600\n" * 40_000
    path = session.keep(whole.encode(), "mcp-x-1.txt")
    notice = saved_notice(path, 4 * 40_000)
    payload = {**session.told(path), "tool_name": "mcp__x__list", "tool_response": notice}
    assert taken(ledgered, payload) == (whole.encode(), False, None)


def test_a_file_is_not_known_to_be_whole_if_the_client_told_no_size(
    ledgered: Workspace, session: Session
) -> None:
    payload = session.told(session.keep(WHOLE.encode()), size=0)
    assert taken(ledgered, payload) == (WHOLE.encode(), True, None)


def test_a_long_file_of_which_the_client_read_a_part_is_cut(ledgered: Workspace) -> None:
    file = {"filePath": "/x", "content": "line 1\n", "numLines": 1, "startLine": 1, "totalLines": 2}
    response = {"type": "text", "file": {**file, "truncatedByTokenCap": True}}
    assert taken(ledgered, after(1, response, tool_name="Read")) == (b"line 1\n", True, None)


def test_a_part_of_a_file_that_the_agent_asked_for_is_not_cut(ledgered: Workspace) -> None:
    file = {"filePath": "/x", "content": "line 1\n", "numLines": 1, "startLine": 1, "totalLines": 2}
    response = {"type": "text", "file": file}
    assert taken(ledgered, after(1, response, tool_name="Read")) == (b"line 1\n", False, None)


def test_a_usual_output_is_not_cut(ledgered: Workspace) -> None:
    assert taken(ledgered, after(1, "printed")) == (b"printed", False, None)


def test_a_file_of_which_gemini_read_a_part_is_cut(ledgered: Workspace) -> None:
    told = file_by_gemini(1, 2000, 9001)
    payload = after(1, {"llmContent": told}, tool_name="read_file", tool_input={"file_path": "/x"})
    output, row = ingest(ledgered, {**payload, "hook_event_name": "AfterTool"}, "gemini")
    assert (output, row.cut_by_client, row.full_bytes) == (told.encode(), True, None)


def test_a_file_of_which_opencode_read_a_part_is_cut(ledgered: Workspace) -> None:
    told = file_by_opencode(1, 2000, "(Showing lines 1-2000 of 9000. Use offset=2001 to continue.)")
    response = {"title": "x", "metadata": {"truncated": True}, "output": told}
    payload = after(1, response, tool_name="read", tool_input={"filePath": "/x"})
    output, row = ingest(ledgered, payload, "opencode")
    assert (output, row.cut_by_client, row.full_bytes) == (told.encode(), True, None)
