"""A session that we write from the catalog: the client resumes it, and tells its model exactly what was kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from devs_git.operations.sessions.write_session import Target
from tests.clients import two_prompts
from tests.clients.claude_code import ClaudeCode
from tests.clients.model_server import Request
from tests.clients.script import Thought
from tests.clients.two_prompts import SECOND, THIRD, Story
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


def said(request: Request) -> Sequence[Any]:
    """What a request tells the model, without the client's reminders and the marks of its cache."""
    found: list[Any] = []
    for message in request.body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            # Some tools of the client say that they did not fail, which is so without it, too.
            kept = {
                name: value for name, value in block.items() if name != "cache_control" and value is not False
            }
            if isinstance(kept.get("content"), str):
                kept["content"], _, _ = kept["content"].partition("\n\n<system-reminder>")
            if not kept.get("text", "").startswith("<system-reminder>"):
                found.append((message["role"], kept))
    return found


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with Workbench(ClaudeCode(), tmp_path_factory.mktemp("claude")) as bench:
        yield two_prompts.tell(bench, said, Thought("Both can run."))


@pytest.fixture(autouse=True)
def home(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(story.bench.home / ".claude"))


def test_a_session_cut_at_a_message_tells_the_model_exactly_the_kept_messages(story: Story) -> None:
    last = story.end_of_first_turn()
    before = [path.read_bytes() for path in story.bench.program.transcripts(story.bench.home)]
    written = story.write(last["id"])
    assert (written.last, written.left_out) == (last["id"], ())
    assert written.file.stat().st_mode & 0o777 == 0o600
    told = story.resume(written)
    assert told == [*story.between, ("user", {"type": "text", "text": THIRD})]
    assert ("assistant", {"type": "thinking", "thinking": "Both can run.", "signature": "c2lnbmVk"}) in told
    after = story.bench.program.transcripts(story.bench.home)
    assert [path.read_bytes() for path in after if path != written.file] == before


def test_a_session_whose_transcript_is_gone_is_written_from_the_catalog(story: Story) -> None:
    (transcript,) = (
        path for path in story.bench.program.transcripts(story.bench.home) if path.stem == story.session
    )
    hidden = transcript.rename(story.bench.home / "hidden")
    try:
        told = story.resume(story.write())
    finally:
        hidden.rename(transcript)
    end = ("assistant", {"type": "text", "text": "All is done."})
    assert told == [*said(story.second.asked[-1]), end, ("user", {"type": "text", "text": THIRD})]


def test_a_point_within_a_turn_goes_back_to_before_the_first_call_without_an_answer(story: Story) -> None:
    (two,) = (one for one in story.messages() if one.get("tool_result") == "two")
    written = story.write(two["id"])
    told = story.resume(written)
    assert told[:-1] == list(story.between)[: len(told) - 1]
    assert "echo three" not in json.dumps(told)
    assert told[-1] == ("user", {"type": "text", "text": THIRD})
    assert written.left_out


def test_our_reader_knows_the_messages_of_a_written_session_again(story: Story) -> None:
    written = story.write()
    story.bench.devs_git("conversation", "import", str(written.file), "--client", "claude")
    shown = story.bench.answer("conversation", "show", "--session", written.session_id)
    assert [one["id"] for one in shown["messages"]] == [one["id"] for one in story.messages()]


def test_a_rewound_conversation_goes_on_without_what_was_taken_back_and_undo_brings_it_back(
    story: Story,
) -> None:
    bench = story.bench
    last = story.end_of_first_turn()
    (bench.top / "later.txt").write_text("after the first turn\n")
    words = ("--session", story.session, "--to-message", last["id"], "--code", "--preserve", "discard")
    done = bench.answer("conversation", "rewind", *words, "--untracked", "remove")
    assert done["rewind"]["rewound_to"].startswith("moment:")
    assert ((bench.top / "b.txt").exists(), (bench.top / "later.txt").exists()) == (True, False)
    assert done["start_command"] == ["claude", "--resume", done["session"]["session_id"]]
    (asked,) = bench.run(prompt=THIRD, resume=done["session"]["session_id"]).asked
    assert said(asked) == [*story.between, ("user", {"type": "text", "text": THIRD})]
    shown = story.messages()
    kept = [one["id"] for one in shown].index(last["id"]) + 1
    assert [one["rewound"] for one in shown] == [at >= kept for at in range(len(shown))]
    undone = bench.answer("undo", "--preserve", "discard")
    assert undone["sessions_revived"] == [story.session]
    assert (bench.top / "later.txt").exists()
    assert not any(one["rewound"] for one in story.messages())


def test_after_a_compaction_a_written_session_has_the_messages_that_the_client_kept_word_for_word(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workbench(ClaudeCode(), tmp_path_factory.mktemp("compacted")) as bench:
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(bench.home / ".claude"))
        session = str(bench.run((bench.program.shell("echo one"),)).payloads[0]["session_id"])
        bench.run(prompt="/compact", resume=session)
        (before,) = bench.run(prompt=SECOND, resume=session).asked
        written = two_prompts.write(bench, session, Target(bench.top, "compacted", "main"))
        (asked,) = bench.run(prompt=THIRD, resume=written.session_id).asked
        end = ("assistant", {"type": "text", "text": "All is done."})
        assert end in said(before)
        assert said(asked) == [*said(before), end, ("user", {"type": "text", "text": THIRD})]
