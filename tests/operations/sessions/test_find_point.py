"""Which point of a session belongs to a checkpoint, a moment, a time or a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import snapshot_create, task_complete, task_start
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.errors import DevsError
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import find_point
from devs_git.storage.catalog.sessions import points
from tests.support.codex_rollout import SESSION, Rollout
from tests.support.conversation_scene import take
from tests.support.turn_scene import ONE, TWO, Turns

pytestmark = pytest.mark.quick


def entry(turns: Turns, name: str) -> str:
    """The entry of the point with this name; '' for none."""
    now = turns.now(1000)
    with open_catalog(now, caught_up=True) as catalog:
        found = find_point.point_of(now, catalog, name)
    return found.entry if found else ""


def of_moment(turns: Turns, moment_id: str) -> str:
    return entry(turns, f"moment:{moment_id}")


def test_a_moment_before_a_prompt_has_the_message_that_the_prompt_follows(turns: Turns) -> None:
    first = turns.moment(0, "prompt", ONE)
    turns.says(0.1, ONE, "user", "first")
    turns.says(1, ONE, "assistant", "done")
    turns.edit("a.txt", "first\n")
    second = turns.moment(10, "prompt", ONE)
    turns.says(10.1, ONE, "user", "second")
    turns.says(11, ONE, "assistant", "done again")
    turns.read()
    assert of_moment(turns, first) == ""
    assert of_moment(turns, second) == f"{ONE}-1"
    assert [entry(turns, f"moment:{ONE}/{number}") for number in (1, 2)] == ["", f"{ONE}-1"]


def test_where_a_person_went_back_the_prompt_follows_an_earlier_message(turns: Turns) -> None:
    for at, role, follows in (
        (1, "user", None),
        (2, "assistant", "0"),
        (3, "user", "1"),
        (4, "assistant", "2"),
    ):
        turns.follows(at, ONE, role, f"message {at}", f"{ONE}-{follows}" if follows else None)
    branch = turns.moment(10, "prompt", ONE)
    turns.follows(10.1, ONE, "user", "not so: otherwise", f"{ONE}-1")
    turns.follows(11, ONE, "assistant", "yes", f"{ONE}-4")
    turns.edit("a.txt", "over\n")
    again = turns.moment(20, "prompt", ONE)
    turns.follows(20.1, ONE, "user", "all from the beginning", None)
    turns.read()
    assert of_moment(turns, branch) == f"{ONE}-1"
    assert of_moment(turns, again) == ""


def test_a_moment_before_a_call_has_what_the_call_follows_and_one_after_it_has_the_result(
    turns: Turns,
) -> None:
    turns.says(1, ONE, "user", "do")
    turns.says(2, ONE, "assistant", "I call two tools")
    turns.calls(3, ONE, "call-a")
    turns.calls(3.5, ONE, "call-b")
    before = {}
    for at, call in ((4, "call-a"), (5, "call-b")):
        turns.edit("a.txt", f"before {call}\n")
        before[call] = turns.moment(at, "call", ONE, call=call)
    turns.edit("a.txt", "after a\n")
    after = turns.moment(6, "after", ONE, call="call-a")
    # The client writes results late.
    turns.answers(7, ONE, "call-a")
    turns.answers(8, ONE, "call-b")
    turns.says(9, ONE, "assistant", "done")
    turns.read()
    assert of_moment(turns, before["call-a"]) == f"{ONE}-1"
    assert of_moment(turns, before["call-b"]) == f"{ONE}-2"
    assert of_moment(turns, after) == f"{ONE}-4"


def test_a_moment_that_the_transcript_does_not_tell_has_the_last_message_before_it(turns: Turns) -> None:
    turns.says(1, ONE, "user", "do")
    turns.says(2, ONE, "assistant", "done")
    stop = turns.moment(3, "stop", ONE)
    turns.says(4, ONE, "assistant", "one more thing")
    turns.edit("a.txt", "after\n")
    unknown = turns.moment(5, "call", ONE, call="call-of-a-subagent")
    turns.edit("a.txt", "late\n")
    unwritten = turns.moment(6, "prompt", ONE)
    turns.read()
    assert of_moment(turns, stop) == f"{ONE}-1"
    assert of_moment(turns, unknown) == f"{ONE}-2"
    assert of_moment(turns, unwritten) == f"{ONE}-2"


def test_a_moment_of_no_session_has_the_last_message_of_its_worktree(turns: Turns) -> None:
    turns.says(1, ONE, "user", "do")
    turns.says(2, TWO, "user", "do")
    turns.says(3, ONE, "assistant", "done")
    turns.says(9, TWO, "assistant", "done")
    turns.read()
    turns.edit("a.txt", "by hand\n")
    made = snapshot_create.run(turns.now(5), snapshot_create.Request())
    assert entry(turns, made.branch) == f"{ONE}-1"
    assert entry(turns, "moment:-1") == f"{ONE}-1"


def test_a_time_has_the_last_message_until_then_of_a_session_or_of_the_worktree(turns: Turns) -> None:
    turns.says(1, ONE, "user", "do")
    turns.says(2, TWO, "user", "do")
    turns.says(3, TWO, "assistant", "done")
    turns.read()
    now = turns.now(100)
    with open_catalog(now) as catalog:
        here = now.places.worktree_id
        found = [
            points.at_time(catalog, ONE, turns.at(2.5)),
            points.in_worktree(catalog, here, turns.at(2.5)),
            points.in_worktree(catalog, here, turns.at(0.5)),
        ]
    assert [one and one.entry for one in found] == [f"{ONE}-0", f"{TWO}-0", None]


def test_a_message_is_its_own_point_and_an_unknown_one_is_refused(turns: Turns) -> None:
    turns.says(1, ONE, "user", "do")
    turns.says(2, ONE, "assistant", "done")
    turns.read()
    with open_catalog(turns.now(100)) as catalog:
        expected = SessionPoint("claude", ONE, f"{ONE}-1", f"{ONE}-1", 2)
        assert find_point.of_message(catalog, f"{ONE}-1") == expected
        with pytest.raises(DevsError) as refused:
            find_point.of_message(catalog, "nobody said that")
    assert refused.value.code == "MESSAGE_NOT_FOUND"


def test_a_checkpoint_has_the_last_message_that_it_names(turns: Turns) -> None:
    task_start.run(turns.now(0), task_start.Request("10", "Ten"))
    turns.says(1, ONE, "user", "do")
    turns.says(2, ONE, "assistant", "done")
    turns.read_here(2.5)
    turns.edit("a.txt", "done\n")
    task_complete.run(turns.now(3), task_complete.Request("10", "done", everything=True))
    turns.says(4, ONE, "user", "and now?")
    turns.read()
    assert entry(turns, "task-10") == f"{ONE}-1"


def test_a_checkpoint_without_a_conversation_has_none(turns: Turns) -> None:
    task_start.run(turns.now(0), task_start.Request("10", "Ten"))
    turns.edit("a.txt", "done\n")
    task_complete.run(turns.now(3), task_complete.Request("10", "done", everything=True))
    assert entry(turns, "task-10") == ""


def test_of_codex_the_point_is_the_turn_and_the_line(turns: Turns, tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.turn("turn-1")
    rollout.message("user", "do")
    rollout.message("assistant", "done")
    rollout.turn("turn-2")
    rollout.message("user", "and now?")
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(rollout.data)
    with open_catalog(turns.now(100)) as catalog:
        take(catalog, path)
        found = points.at_time(catalog, SESSION, "2026-11-23T09:00:03.500Z")
        assert found is not None
        assert (found.client, found.entry, found.ordinal, found.message_count) == ("codex", "turn-1", 3, 2)
