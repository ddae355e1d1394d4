"""A session that we write for Codex: it tells its model exactly what was kept, also of a session of Claude Code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target, WrittenSession
from devs_git.storage.hooks import client_programs
from devs_git.workspace import Workspace
from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex, CodexInCode
from tests.clients.model_server import Request
from tests.clients.script import Text, Thought
from tests.clients.workbench import Run, Workbench

pytestmark = pytest.mark.thorough

LONG = "i=0; while [ $i -lt 200 ]; do echo number $i; i=$((i+1)); done"
FIRST, SECOND, THIRD = "Do as planned.", "Go another way.", "Go on from there."
_NOTES = ("id", "status", "internal_chat_message_metadata_passthrough")


@dataclass(frozen=True)
class Story:
    """A session of Codex with two prompts. Between them, its model was told what `between` has."""

    bench: Workbench
    first: Run
    second: Run

    @property
    def session(self) -> str:
        return str(self.first.payloads[0]["session_id"])

    @property
    def between(self) -> Sequence[Any]:
        return said(self.second.asked[0])[:-1]

    def resume(self, written: WrittenSession) -> Sequence[Any]:
        return resumed(self.bench, written)


def resumed(bench: Workbench, written: WrittenSession) -> Sequence[Any]:
    """What Codex tells its model when the person resumes the session and says one more thing."""
    run = bench.run(prompt=THIRD, resume=written.session_id)
    (asked,) = run.asked
    assert {one["session_id"] for one in run.payloads} == {written.session_id}
    return said(asked)


def said(request: Request) -> Sequence[Any]:
    """What a request tells the model, without what the client adds itself: instructions, tools and the folder."""
    found: list[Any] = []
    for item in request.body["input"]:
        text = json.dumps(item.get("content", ""))
        if item.get("role") == "developer" or "<environment_context>" in text:
            continue
        kept = {name: value for name, value in item.items() if name not in _NOTES}
        if kept["type"] == "function_call":
            kept["arguments"] = json.loads(kept["arguments"])
        for part in kept.get("content", ()):
            part.pop("annotations", None)
        found.append(kept)
    return found


def write(bench: Workbench, session: str, last: str, **more: Any) -> WrittenSession:
    workspace = Workspace.open(bench.top)
    with open_catalog(workspace) as catalog:
        return write_session.write(
            workspace,
            catalog,
            Point(session, last),
            Target(more.pop("cwd", bench.top), "devs task-10@1", "main"),
            **more,
        )


def messages(bench: Workbench, session: str) -> Sequence[Mapping[str, Any]]:
    shown = bench.answer("conversation", "show", "--session", session)
    return [one for one in shown["messages"] if one["role"] != "system"]


@pytest.fixture(scope="module", params=[Codex(), CodexInCode()], ids=lambda program: program.name)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    program: Codex = request.param
    with Workbench(program, tmp_path_factory.mktemp(program.name)) as bench:
        first = bench.run(
            (program.shell(LONG),),
            (Text("Now two at once."), program.shell("echo two"), program.shell("echo three; exit 3")),
            (program.write(bench.top / "b.txt", "b\n"),),
            prompt=FIRST,
        )
        session = str(first.payloads[0]["session_id"])
        yield Story(bench, first, bench.run((program.shell("echo four"),), prompt=SECOND, resume=session))


@pytest.fixture(autouse=True)
def home(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CODEX_HOME", "PATH"):
        monkeypatch.setenv(name, story.bench.place.environment[name])


def test_codex_tells_its_model_exactly_the_messages_up_to_the_cut(story: Story) -> None:
    last = next(one for one in messages(story.bench, story.session) if one.get("content") == "All is done.")
    before = {path: path.read_bytes() for path in story.bench.program.transcripts(story.bench.home)}
    written = write(story.bench, story.session, last["id"])
    assert (written.client, written.last) == ("codex", last["id"])
    assert not [one for one in written.left_out if "notes of the client" not in one]
    assert written.file.stat().st_mode & 0o777 == 0o600
    assert story.resume(written)[:-1] == story.between
    assert all(path.read_bytes() == content for path, content in before.items())


def test_codex_goes_on_with_a_session_whose_rollout_is_gone(story: Story) -> None:
    (rollout,) = (
        path for path in story.bench.program.transcripts(story.bench.home) if story.session in path.name
    )
    hidden = rollout.rename(story.bench.home / "hidden")
    try:
        told = story.resume(write(story.bench, story.session, ""))
    finally:
        hidden.rename(rollout)
    assert told[:-2] == said(story.second.asked[-1])
    assert [one["content"][0]["text"] for one in told[-2:]] == ["All is done.", THIRD]


def test_codex_is_told_no_call_without_its_answer(story: Story) -> None:
    calls = [one for one in messages(story.bench, story.session) if one.get("tool_calls")]
    written = write(story.bench, story.session, calls[2]["id"])
    told = story.resume(written)
    assert told[:-1] == list(story.between)[: len(told) - 1]
    assert told[-2]["content"][0]["text"] == "Now two at once."
    assert "echo two" not in json.dumps(told)
    assert written.left_out


def test_codex_reads_back_what_an_untried_version_of_it_is_written(story: Story) -> None:
    workspace = Workspace.open(story.bench.top)
    with open_catalog(workspace) as catalog:
        target = Target(story.bench.top, installed="9.9.9")
        written = write_session.write(workspace, catalog, Point(story.session), target)
    assert written.file.exists()


def test_codex_resumes_a_written_session_as_it_does_at_a_terminal(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it refuses a session whose provider is not configured. `codex exec resume` does not look."""
    written = write(story.bench, story.session, "")
    monkeypatch.setattr(client_programs, "SECONDS", 60.0)
    places, asked = Workspace.open(story.bench.top).places, {"threadId": written.session_id}
    answer = client_programs.ask(("codex", "app-server"), places, "thread/resume", asked)
    assert answer["result"]["thread"]["modelProvider"] == "scripted"


def test_our_reader_knows_the_messages_of_a_written_rollout_again(story: Story) -> None:
    written = write(story.bench, story.session, "")
    story.bench.devs_git("conversation", "import", str(written.file), "--client", "codex")
    again = messages(story.bench, written.session_id)
    assert [one["id"] for one in again] == [one["id"] for one in messages(story.bench, story.session)]


def test_codex_goes_on_with_a_session_of_claude_code(
    story: Story, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = ClaudeCode()
    with Workbench(program, tmp_path_factory.mktemp("claude")) as bench:
        run = bench.run(
            (Thought("It can run."), Text("Now one."), program.shell("echo one; exit 3")), prompt=FIRST
        )
        session = str(run.payloads[0]["session_id"])
        written = write(bench, session, "", client="codex", cwd=story.bench.top)
    told = resumed(story.bench, written)
    kinds = [(one["type"], one.get("role")) for one in told]
    assert kinds == [
        ("message", "user"),
        ("message", "assistant"),
        ("function_call", None),
        ("function_call_output", None),
        ("message", "assistant"),
        ("message", "user"),
    ]
    assert [told[at]["content"][0]["text"] for at in (0, 1, 4, 5)] == [
        FIRST,
        "Now one.",
        "All is done.",
        THIRD,
    ]
    assert (told[2]["name"], told[2]["arguments"]["command"]) == ("Bash", "echo one; exit 3")
    assert told[2]["call_id"] == told[3]["call_id"]
    assert "one" in told[3]["output"]
    assert "It can run." not in json.dumps(told)
    assert any("thoughts of their model" in one for one in written.left_out)


def test_a_rewound_conversation_of_codex_goes_on_without_what_was_taken_back(story: Story) -> None:
    bench = story.bench
    before = {path: path.read_bytes() for path in bench.program.transcripts(bench.home)}
    last = next(one for one in messages(bench, story.session) if one.get("content") == "All is done.")
    words = ("conversation", "rewind", "--session", story.session, "--to-message", last["id"])
    (bench.top / "later.txt").write_text("after the first turn\n")
    done = bench.answer(*words)
    assert (done["rewind"], (bench.top / "later.txt").exists()) == (None, True)
    goes_on(story, done)
    assert bench.answer("undo")["sessions_revived"] == [story.session]
    assert not any(one["rewound"] for one in messages(bench, story.session))
    done = bench.answer(*words, "--code", "--preserve", "discard", "--untracked", "remove")
    assert done["rewind"]["rewound_to"].startswith("moment:")
    assert ((bench.top / "b.txt").exists(), (bench.top / "later.txt").exists()) == (True, False)
    goes_on(story, done)
    assert bench.answer("undo", "--preserve", "discard")["sessions_revived"] == [story.session]
    assert (bench.top / "later.txt").exists()
    assert not any(one["rewound"] for one in messages(bench, story.session))
    assert all(path.read_bytes() == content for path, content in before.items())


def goes_on(story: Story, done: Mapping[str, Any]) -> None:
    """Resume the new session of a conversation that was rewound to the end of the first turn."""
    new = done["session"]["session_id"]
    assert done["start_command"] == ["codex", "resume", new]
    (asked,) = story.bench.run(prompt=THIRD, resume=new).asked
    assert said(asked)[:-1] == story.between
    assert said(asked)[-1]["content"][0]["text"] == THIRD
    shown = messages(story.bench, story.session)
    kept = [one["id"] for one in shown].index(done["message_id"]) + 1
    assert [one["rewound"] for one in shown] == [at >= kept for at in range(len(shown))]
