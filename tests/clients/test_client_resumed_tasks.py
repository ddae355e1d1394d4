"""`resume` of a task with a checkpoint within a session: what the client then tells its model, in each mode."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.claude_code import ClaudeCode
from tests.clients.model_server import Request
from tests.clients.script import END
from tests.clients.test_client_written_sessions import said
from tests.clients.workbench import SECONDS, Run, Workbench

pytestmark = pytest.mark.thorough

FIRST, SECOND, THIRD, FOURTH = "Write file b.", "Write file c.", "Go on from there.", "What is left?"
PLAN, OTHER_PLAN = "Write two files.", "Write only one file."
DONE = ("assistant", {"type": "text", "text": "All is done."})


@dataclass(frozen=True)
class Story:
    """A session with two prompts, each with a call of a tool. Between them stands task-10@1."""

    bench: Workbench
    session: str
    second: Run

    @property
    def kept(self) -> Sequence[Any]:
        """What was said until the checkpoint."""
        return without_environment(self.second.asked[0])[:-1]

    @property
    def whole(self) -> Sequence[Any]:
        return [*without_environment(self.second.asked[-1]), DONE]

    @property
    def files(self) -> Sequence[str]:
        return files_of(self.bench.top)

    def original(self) -> bytes:
        (file,) = (one for one in self.bench.program.transcripts(self.bench.home) if one.stem == self.session)
        return file.read_bytes()

    def must_go_on(self, before: bytes) -> None:
        """The original session is as it was, and goes on with all that was said in it."""
        assert self.original() == before
        assert told(self.bench.run(prompt=FOURTH, resume=self.session)) == [*self.whole, a_person(FOURTH)]


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    program = ClaudeCode()
    folder = tmp_path / "claude"
    folder.mkdir()
    with Workbench(program, folder) as bench:
        bench.devs_git("task", "start", "10", "--plan", PLAN)
        first = bench.run((program.write(bench.top / "b.txt", "b\n"),), prompt=FIRST)
        session = str(first.payloads[0]["session_id"])
        bench.devs_git("contract", "start", "main", "--supervisor", session)
        bench.devs_git("checkpoint", "--all", "-m", "half")
        second = bench.run((program.write(bench.top / "c.txt", "c\n"),), prompt=SECOND, resume=session)
        yield Story(bench, session, second)


def a_person(text: str) -> Any:
    return ("user", {"type": "text", "text": text})


def told(run: Run) -> Sequence[Any]:
    (asked,) = run.asked
    return without_environment(asked)


def without_environment(asked: Request) -> Sequence[Any]:
    """What was said in the conversation. The client tells each new session about the machine, too."""
    return [(role, block) for role, block in said(asked) if role != "system"]


def files_of(folder: Path) -> Sequence[str]:
    return [name for name in ("b.txt", "c.txt") if (folder / name).exists()]


def test_a_new_session_is_told_the_bundle_up_to_the_checkpoint_and_nothing_else(story: Story) -> None:
    before = story.original()
    found = story.bench.answer("resume", "task-10@1")
    assert (found["mode"], found["session"], story.files) == ("with_context", None, ["b.txt", "c.txt"])
    program, text = found["start_command"]
    assert (program, text) == ("claude", found["markdown"])
    assert [word in text for word in (PLAN, FIRST, SECOND)] == [True, True, False]
    run = story.bench.run(prompt=text)
    assert told(run) == [a_person(text)]
    assert story.session not in {one["session_id"] for one in run.payloads}
    story.must_go_on(before)


def test_the_session_itself_goes_on_with_all_that_was_said(story: Story) -> None:
    found = story.bench.answer("resume", "task-10", "--mode", "continue", "--context", THIRD)
    assert found["start_command"] == ["claude", "--resume", story.session, THIRD]
    assert (found["session"]["written"], found["rewind"], found["fork"]) == (False, None, None)
    run = story.bench.run(prompt=THIRD, resume=story.session)
    assert told(run) == [*story.whole, a_person(THIRD)]
    assert {one["session_id"] for one in run.payloads} == {story.session}
    assert story.files == ["b.txt", "c.txt"]


def test_from_a_checkpoint_the_session_of_a_new_task_has_what_was_said_until_then(story: Story) -> None:
    before = story.original()
    options = ("--mode", "from_checkpoint", "--checkpoint", "1", "--name", "10b", "--plan", OTHER_PLAN)
    found = story.bench.answer("resume", "task-10", *options)
    written, place = found["session"]["session_id"], Path(found["fork"]["worktree"])
    assert found["start_command"] == ["claude", "--resume", written, OTHER_PLAN]
    assert (files_of(place), story.files) == (["b.txt"], ["b.txt", "c.txt"])
    run = story.bench.run(prompt=OTHER_PLAN, resume=written, where=place)
    assert told(run) == [*story.kept, a_person(OTHER_PLAN)]
    assert {one["session_id"] for one in run.payloads} == {written}
    story.must_go_on(before)


def test_from_a_checkpoint_the_code_and_the_session_of_the_supervisor_are_both_back(story: Story) -> None:
    before = story.original()
    options = (
        "--contract",
        "--mode",
        "from_checkpoint",
        "--checkpoint",
        "task-10@1",
        "--untracked",
        "remove",
    )
    found = story.bench.answer("resume", "main", *options)
    written = found["session"]["session_id"]
    assert (found["contract"], found["rewind"]["rewound_to"], found["fork"]) == ("main", "task-10@1", None)
    assert found["start_command"] == ["claude", "--resume", written]
    assert story.files == ["b.txt"]
    run = story.bench.run(prompt=THIRD, resume=written)
    assert told(run) == [*story.kept, a_person(THIRD)]
    story.must_go_on(before)


def test_a_clean_restart_has_the_code_of_the_beginning_and_a_bundle_without_the_conversation(
    story: Story,
) -> None:
    before = story.original()
    options = ("--mode", "clean_restart", "--untracked", "remove")
    found = story.bench.answer("resume", "task-10", *options)
    assert (found["session"], found["rewind"]["rewound_to"], story.files) == (None, "task-10@0", [])
    (_, text) = found["start_command"]
    assert [word in text for word in (PLAN, FIRST, SECOND)] == [True, False, False]
    assert told(story.bench.run(prompt=text)) == [a_person(text)]
    story.must_go_on(before)


def test_exec_starts_the_client_with_the_bundle_exits_as_it_does_and_records_it(story: Story) -> None:
    model = story.bench.model
    model.play((END,))
    environment = dict(story.bench.place.environment)
    done = started(story, environment)
    assert (done.returncode, "All is done." in done.stdout) == (0, True), (done.stdout, done.stderr)
    (asked,) = model.asked
    ((role, block),) = without_environment(asked)
    assert role == "user"
    assert [word in block["text"] for word in (PLAN, FIRST, SECOND)] == [True, True, False]
    # Without a key, the client asks the person to log in, and fails.
    del environment["ANTHROPIC_API_KEY"]
    model.play(())
    failed = started(story, environment)
    assert (failed.returncode, model.asked) == (1, []), (failed.stdout, failed.stderr)
    traces = story.bench.answer("trace", "list", "--tool", "devs-git resume")["traces"]
    assert [(one["task_id"], one["is_error"]) for one in traces] == [("task-10", True), ("task-10", False)]


def started(story: Story, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """`resume --exec` in the shell of a person who uses the client."""
    return subprocess.run(
        ("devs-git", "resume", "task-10@1", "--exec"),
        cwd=story.bench.top,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
