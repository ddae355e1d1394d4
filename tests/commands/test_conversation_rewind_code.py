"""`conversation rewind --code`: the code goes back to the state of the message, in the same operation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_rewind, conversation_show, task_complete, task_start, undo
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.rewind import go_back
from devs_git.operations.sessions import write_session
from devs_git.workspace import Workspace
from tests.support.turn_scene import ONE, TWO, Turns

pytestmark = pytest.mark.quick


@pytest.fixture
def turns(ledgered: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Turns:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return Turns(ledgered, tmp_path)


@pytest.fixture
def worked(turns: Turns) -> Turns:
    """Two turns, each with an edit; the second also makes a file."""
    turns.moment(0, "prompt", ONE)
    turns.says(0.1, ONE, "user", "first")
    turns.edit("a.txt", "first\n")
    turns.says(1, ONE, "assistant", "done")
    turns.moment(1.1, "stop", ONE)
    turns.moment(10, "prompt", ONE)
    turns.says(10.1, ONE, "user", "second")
    turns.edit("a.txt", "second\n")
    turns.edit("new.txt", "made\n")
    turns.says(11, ONE, "assistant", "done again")
    turns.moment(11.1, "stop", ONE)
    turns.read()
    return turns


def call(turns: Turns, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(turns.workspace.top), request)


def go(turns: Turns, **asked: Any) -> conversation_rewind.Result:
    asked = {"to_message": f"{ONE}-1", "code": True, **asked}
    result: conversation_rewind.Result = call(
        turns, "conversation rewind", conversation_rewind.Request(**asked)
    )
    return result


def files(turns: Turns) -> tuple[str, bool]:
    top = turns.workspace.top
    return (top / "a.txt").read_text(), (top / "new.txt").exists()


def marks(turns: Turns) -> list[bool]:
    found = call(turns, "conversation show", conversation_show.Request(session=ONE))
    return [one.rewound for one in found.messages]


def sessions(turns: Turns) -> list[Path]:
    return list((turns.folder / "claude").rglob("*.jsonl"))


def test_code_and_conversation_go_back_together_and_undo_brings_both_back(worked: Turns) -> None:
    done = go(worked, preserve="discard", untracked="remove")
    assert isinstance(done.rewind, go_back.Result)
    assert done.rewind_id == done.rewind.rewind_id
    assert (files(worked), marks(worked)) == (("first\n", False), [False, False, True, True])
    assert len(sessions(worked)) == 1
    undone = call(worked, "undo", undo.Request())
    assert (undone.undone_verb, undone.sessions_revived) == ("conversation rewind", (ONE,))
    assert (files(worked), marks(worked)) == (("second\n", True), [False] * 4)
    redone = call(worked, "undo", undo.Request())
    assert redone.sessions_rewound == (ONE,)
    assert (files(worked), marks(worked)) == (("first\n", False), [False, False, True, True])


def test_if_the_code_cannot_go_back_the_conversation_stays_too(worked: Turns) -> None:
    worked.edit("a.txt", "an edit that no moment has\n")
    with pytest.raises(DevsError) as caught:
        go(worked)
    assert caught.value.code == "GIT_RESET_FAILED"
    assert (files(worked), marks(worked)) == (("an edit that no moment has\n", True), [False] * 4)
    assert sessions(worked) == []


def test_if_the_session_cannot_be_written_the_code_stays_too(
    worked: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_words: object) -> None:
        raise DevsError("CONFLICT", "No session was tried with this version.")

    monkeypatch.setattr(write_session, "write", refuse)
    with pytest.raises(DevsError):
        go(worked, preserve="discard")
    assert (files(worked), marks(worked)) == (("second\n", True), [False] * 4)


def test_the_state_is_recorded_even_if_the_code_is_there_already(worked: Turns) -> None:
    go(worked, preserve="discard", untracked="remove")
    call(worked, "undo", undo.Request())
    done = go(worked, to_message=f"{ONE}-2", by_messages=None, preserve="discard")
    assert done.rewind_id
    assert marks(worked) == [False, False, False, True]


def test_a_message_before_a_call_has_the_state_before_the_call(turns: Turns) -> None:
    turns.says(1, ONE, "user", "do")
    turns.says(2, ONE, "assistant", "I call a tool")
    turns.calls(3, ONE, "c")
    turns.edit("a.txt", "before the call\n")
    turns.moment(3.5, "call", ONE, call="c")
    turns.edit("a.txt", "after the call\n")
    turns.moment(3.9, "after", ONE, call="c")
    turns.answers(4, ONE, "c")
    turns.says(5, ONE, "assistant", "done")
    turns.read()
    go(turns, preserve="discard")
    assert (turns.workspace.top / "a.txt").read_text() == "before the call\n"


def test_a_moment_of_another_session_counts_by_its_time(worked: Turns) -> None:
    worked.edit("a.txt", "by another agent\n")
    worked.moment(5, "stop", TWO)
    worked.edit("a.txt", "second\n")
    go(worked, preserve="discard", untracked="remove")
    assert (worked.workspace.top / "a.txt").read_text() == "by another agent\n"


def test_a_checkpoint_that_is_newer_than_the_last_moment_is_the_state(turns: Turns) -> None:
    turns.says(1, ONE, "user", "first")
    for number, text in (("1", "one\n"), ("2", "two\n")):
        call(turns, "task start", task_start.Request(number))
        turns.edit("a.txt", text)
        turns.says(10 * int(number), ONE, "assistant", f"done {number}")
        turns.read_here(1000)
        call(turns, "task complete", task_complete.Request(everything=True))
    planned = go(turns, dry_run=True)
    assert isinstance(planned.rewind, go_back.Plan)
    assert planned.rewind.target == "task-1@1"
    done = go(turns)
    assert isinstance(done.rewind, go_back.Result)
    assert (done.rewind.rewound_to, done.rewind.affected_tasks) == ("task-1@1", ("task-2",))
    assert (turns.workspace.top / "a.txt").read_text() == "one\n"
    undone = call(turns, "undo", undo.Request())
    assert (undone.revived, undone.sessions_revived) == (("task-2@1",), (ONE,))


def test_without_a_state_nothing_is_changed_and_the_way_out_is_named(turns: Turns) -> None:
    turns.says(1, ONE, "user", "first")
    turns.says(2, ONE, "assistant", "done")
    turns.read()
    with pytest.raises(DevsError) as caught:
        go(turns, to_message=f"{ONE}-0")
    assert (caught.value.code, "--code" in caught.value.hint) == ("MOMENT_NOT_FOUND", True)


def test_a_dry_run_shows_the_plan_of_the_code_and_what_refuses_it(worked: Turns) -> None:
    worked.edit("a.txt", "an edit that no moment has\n")
    planned = go(worked, dry_run=True)
    assert isinstance(planned.rewind, go_back.Plan)
    assert planned.rewind.target.startswith("moment:")
    assert [one["code"] for one in planned.blocked_by] == ["GIT_RESET_FAILED"]
    assert (marks(worked), sessions(worked)) == ([False] * 4, [])


@pytest.mark.parametrize("asked", [{"preserve": "stash"}, {"untracked": "save"}])
def test_how_files_are_saved_is_asked_only_with_code(asked: dict[str, str]) -> None:
    with pytest.raises(DevsError) as caught:
        conversation_rewind.Request(by_messages=1, **asked)  # type: ignore[arg-type]
    assert caught.value.details["field"] == next(iter(asked))
