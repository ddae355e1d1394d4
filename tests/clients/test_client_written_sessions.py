"""A session that we write from the catalog: the client resumes it, and tells its model exactly what was kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target, WrittenSession
from devs_git.workspace import Workspace
from tests.clients.claude_code import ClaudeCode
from tests.clients.model_server import Request
from tests.clients.script import Text, Thought
from tests.clients.workbench import Run, Workbench

pytestmark = pytest.mark.thorough

LONG = "i=0; while [ $i -lt 200 ]; do echo number $i; i=$((i+1)); done"
FIRST, SECOND, THIRD = "Do as planned.", "Go another way.", "Go on from there."


@dataclass(frozen=True)
class Story:
    """A session with two prompts. Between them, its model was told what `between` has."""

    bench: Workbench
    first: Run
    second: Run

    @property
    def session(self) -> str:
        return str(self.first.payloads[0]["session_id"])

    @property
    def between(self) -> Sequence[Any]:
        return said(self.second.asked[0])[:-1]

    def messages(self) -> Sequence[Mapping[str, Any]]:
        shown = self.bench.answer("conversation", "show", "--session", self.session)
        return [one for one in shown["messages"] if one["role"] != "system"]

    def write(self, last: str) -> WrittenSession:
        workspace = Workspace.open(self.bench.top)
        with open_catalog(workspace) as catalog:
            return write_session.write(
                workspace,
                catalog,
                Point(self.session, last),
                Target(self.bench.top, "devs task-10@1", "main"),
            )

    def resume(self, written: WrittenSession) -> Sequence[Any]:
        """What the client tells its model when the person resumes the session and says one more thing."""
        run = self.bench.run(prompt=THIRD, resume=written.session_id)
        (asked,) = run.asked
        assert {one["session_id"] for one in run.payloads} == {written.session_id}
        return said(asked)


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
    program = ClaudeCode()
    with Workbench(program, tmp_path_factory.mktemp("claude")) as bench:
        first = bench.run(
            (program.shell(LONG),),
            (
                Thought("Both can run."),
                Text("Now two at once."),
                program.shell("echo two"),
                program.shell("echo three; exit 3"),
            ),
            (program.write(bench.top / "b.txt", "b\n"),),
            prompt=FIRST,
        )
        session = str(first.payloads[0]["session_id"])
        yield Story(bench, first, bench.run((program.shell("echo four"),), prompt=SECOND, resume=session))


@pytest.fixture(autouse=True)
def home(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(story.bench.home / ".claude"))


def test_a_session_cut_at_a_message_tells_the_model_exactly_the_kept_messages(story: Story) -> None:
    last = [one for one in story.messages() if one["role"] == "assistant" and one.get("content")][1]
    assert last["content"] == "All is done."
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
        told = story.resume(story.write(""))
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
    written = story.write("")
    story.bench.devs_git("conversation", "import", str(written.file), "--client", "claude")
    shown = story.bench.answer("conversation", "show", "--session", written.session_id)
    assert [one["id"] for one in shown["messages"]] == [one["id"] for one in story.messages()]


def test_a_rewound_conversation_goes_on_without_what_was_taken_back_and_undo_brings_it_back(
    story: Story,
) -> None:
    bench = story.bench
    last = [one for one in story.messages() if one["role"] == "assistant" and one.get("content")][1]
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
