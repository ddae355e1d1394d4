"""A client's own transcript, found by our hooks and taken in as a conversation."""

from __future__ import annotations

import pytest

from tests.clients.everyday_run import PROMPT, Everyday
from tests.clients.script import END, Text
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


def test_the_transcript_is_imported_from_what_the_person_said_to_the_last_word(everyday: Everyday) -> None:
    (last,) = END
    assert isinstance(last, Text)
    assert [one["content"] for one in everyday.messages("user")] == [PROMPT]
    assert everyday.messages("assistant")[-1]["content"] == last.text
    assert len(everyday.calls()) == len(everyday.messages("tool")) == 4
    assert everyday.bench.answer("doctor")["findings"] == []


def test_the_conversation_begins_with_what_the_person_said(everyday: Everyday) -> None:
    """Codex writes its own instructions before that, 30,000 characters with the model's, and Gemini CLI a few."""
    first = everyday.conversation["messages"][0]
    assert (first["role"], first["content"]) == ("user", PROMPT)
    whole = everyday.bench.answer("conversation", "show", "--session", everyday.session, "--system")
    count = whole["message_count"] - len(everyday.conversation["messages"])
    assert everyday.conversation.get("system_left_out", 0) == count
    assert {one["role"] for one in whole["messages"][:count]} <= {"system"}
    assert count > 0 or everyday.program.client in ("claude", "opencode")
    searched = everyday.bench.answer("trace", "search", "--in", "messages", "cwd")["hits"]
    assert [one for one in searched if one["role"] == "system"] == []


def test_a_result_in_the_transcript_is_what_the_model_was_told(everyday: Everyday) -> None:
    told = [one["tool_result"].replace("\n", "") for one in everyday.messages("tool")]
    assert told == [result.replace("\n", "") for result in everyday.run.results]


def test_the_session_has_one_id_in_hooks_traces_transcript_and_conversation(everyday: Everyday) -> None:
    (transcript,) = everyday.program.transcripts(everyday.bench.home)
    # Gemini CLI names the file by the first characters.
    shown = 8 if everyday.program.client == "gemini" else None
    assert transcript.stem.endswith(everyday.session[:shown])
    assert {one["session_id"] for one in everyday.run.payloads} == {everyday.session}
    if everyday.program.tells_payloads:
        assert {one["transcript_path"] for one in everyday.run.payloads} == {str(transcript)}
    assert {one["session_id"] for one in everyday.traces} == {everyday.session}
    assert everyday.conversation["session_id"] == everyday.session
    # The client prints the same to whoever started it.
    names = ("session_id", "thread_id", "sessionID")
    printed = {line.get(name) for line in everyday.run.lines for name in names}
    assert printed - {None} == {everyday.session}


def test_a_session_that_is_resumed_keeps_its_id_and_grows(workbench: Workbench) -> None:
    program = workbench.program
    session = workbench.run((program.shell("echo one"),)).payloads[0]["session_id"]
    before = workbench.answer("conversation", "show", "--session", session)
    again = workbench.run((program.shell("echo two"),), prompt="Go on.", resume=session)
    assert {one["session_id"] for one in again.payloads} == {session}
    after = workbench.answer("conversation", "show", "--session", session)
    assert after["messages"][: len(before["messages"])] == before["messages"]
    assert [one["content"] for one in after["messages"] if one["role"] == "user"] == [
        "Do as planned.",
        "Go on.",
    ]
    assert {one["session_id"] for one in workbench.answer("trace", "list")["traces"]} == {session}


def test_a_session_that_the_client_deleted_before_any_command_of_ours_ran_is_whole(
    workbench: Workbench,
) -> None:
    program = workbench.program
    session = workbench.run((program.shell("echo one"),)).payloads[0]["session_id"]
    # OpenCode keeps no transcript: that one is ours.
    if program.client != "opencode":
        (transcript,) = program.transcripts(workbench.home)
        transcript.unlink()
    shown = workbench.answer("conversation", "show", "--session", session)["messages"]
    assert [one["role"] for one in shown] == ["user", "assistant", "tool", "assistant"]
    (last,) = END
    assert isinstance(last, Text)
    assert shown[-1]["content"] == last.text
