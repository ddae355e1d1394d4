"""A session that we write for Codex: it tells its model exactly what was kept, also of a session of Claude Code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from devs_git.operations.sessions.write_session import Target
from devs_git.storage.hooks import client_programs
from devs_git.workspace import Workspace
from tests.clients import two_prompts
from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex, CodexInCode
from tests.clients.model_server import Request
from tests.clients.script import Text, Thought
from tests.clients.two_prompts import FIRST, THIRD, Story
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

_NOTES = ("id", "status", "internal_chat_message_metadata_passthrough")


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


@pytest.fixture(scope="module", params=[Codex(), CodexInCode()], ids=lambda program: program.name)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    program: Codex = request.param
    with Workbench(program, tmp_path_factory.mktemp(program.name)) as bench:
        yield two_prompts.tell(bench, said)


@pytest.fixture(autouse=True)
def home(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CODEX_HOME", "PATH"):
        monkeypatch.setenv(name, story.bench.place.environment[name])


def test_codex_tells_its_model_exactly_the_messages_up_to_the_cut(story: Story) -> None:
    last = story.end_of_first_turn()
    before = {path: path.read_bytes() for path in story.bench.program.transcripts(story.bench.home)}
    written = story.write(last["id"])
    assert (written.client, written.last) == ("codex", last["id"])
    assert not [one for one in written.left_out if "Notes of the client" not in one]
    assert written.file.stat().st_mode & 0o777 == 0o600
    assert story.resume(written)[:-1] == story.between
    assert all(path.read_bytes() == content for path, content in before.items())


def test_codex_goes_on_with_a_session_whose_rollout_is_gone(story: Story) -> None:
    (rollout,) = (
        path for path in story.bench.program.transcripts(story.bench.home) if story.session in path.name
    )
    hidden = rollout.rename(story.bench.home / "hidden")
    try:
        told = story.resume(story.write())
    finally:
        hidden.rename(rollout)
    assert told[:-2] == said(story.second.asked[-1])
    assert [one["content"][0]["text"] for one in told[-2:]] == ["All is done.", THIRD]


def test_codex_is_told_no_call_without_its_answer(story: Story) -> None:
    calls = [one for one in story.messages() if one.get("tool_calls")]
    written = story.write(calls[2]["id"])
    told = story.resume(written)
    assert told[:-1] == list(story.between)[: len(told) - 1]
    assert told[-2]["content"][0]["text"] == "Now two at once."
    assert "echo two" not in json.dumps(told)
    assert written.left_out


def test_codex_reads_back_what_an_untried_version_of_it_is_written(story: Story) -> None:
    target = Target(story.bench.top, installed="9.9.9")
    written = two_prompts.write(story.bench, story.session, target)
    assert written.file.exists()


def test_codex_resumes_a_written_session_as_it_does_at_a_terminal(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it refuses a session whose provider is not configured. `codex exec resume` does not look."""
    written = story.write()
    monkeypatch.setattr(client_programs, "SECONDS", 60.0)
    places, asked = Workspace.open(story.bench.top).places, {"threadId": written.session_id}
    answer = client_programs.ask(("codex", "app-server"), places, "thread/resume", asked)
    assert answer["result"]["thread"]["modelProvider"] == "scripted"


def test_our_reader_knows_the_messages_of_a_written_rollout_again(story: Story) -> None:
    written = story.write()
    story.bench.devs_git("conversation", "import", str(written.file), "--client", "codex")
    again = two_prompts.messages(story.bench, written.session_id)
    assert [one["id"] for one in again] == [one["id"] for one in story.messages()]


def test_codex_goes_on_with_a_session_of_claude_code(
    story: Story, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = ClaudeCode()
    with Workbench(program, tmp_path_factory.mktemp("claude")) as bench:
        run = bench.run(
            (Thought("It can run."), Text("Now one."), program.shell("echo one; exit 3")), prompt=FIRST
        )
        session = str(run.payloads[0]["session_id"])
        target = Target(story.bench.top, "devs task-10@1", "main")
        written = two_prompts.write(bench, session, target, client="codex")
    told = story.resume(written)
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
    last = story.end_of_first_turn()
    words = ("conversation", "rewind", "--session", story.session, "--to-message", last["id"])
    (bench.top / "later.txt").write_text("after the first turn\n")
    done = bench.answer(*words)
    assert (done["rewind"], (bench.top / "later.txt").exists()) == (None, True)
    goes_on(story, done)
    assert bench.answer("undo")["sessions_revived"] == [story.session]
    assert not any(one["rewound"] for one in story.messages())
    done = bench.answer(*words, "--code", "--preserve", "discard", "--untracked", "remove")
    assert done["rewind"]["rewound_to"].startswith("moment:")
    assert ((bench.top / "b.txt").exists(), (bench.top / "later.txt").exists()) == (True, False)
    goes_on(story, done)
    assert bench.answer("undo", "--preserve", "discard")["sessions_revived"] == [story.session]
    assert (bench.top / "later.txt").exists()
    assert not any(one["rewound"] for one in story.messages())
    assert all(path.read_bytes() == content for path, content in before.items())


def goes_on(story: Story, done: Mapping[str, Any]) -> None:
    """Resume the new session of a conversation that was rewound to the end of the first turn."""
    new = done["session"]["session_id"]
    assert done["start_command"] == ["codex", "resume", new]
    (asked,) = story.bench.run(prompt=THIRD, resume=new).asked
    assert said(asked)[:-1] == story.between
    assert said(asked)[-1]["content"][0]["text"] == THIRD
    shown = story.messages()
    kept = [one["id"] for one in shown].index(done["message_id"]) + 1
    assert [one["rewound"] for one in shown] == [at >= kept for at in range(len(shown))]
