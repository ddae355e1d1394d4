"""`log --moments`: moments between the checkpoints, in the order of time, and no more of them is read than is listed."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from devs_git.commands import log, task_complete, task_start
from devs_git.commands.log import Request, Result
from devs_git.domain.moments.moment import Details
from devs_git.entrypoints.cli.texts.log_list_text import checkpoints_text
from devs_git.storage.git.objects import Objects
from devs_git.storage.moments import read_moments
from devs_git.storage.worktree.backups import State
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.turn_scene import ONE, TWO, Turns

pytestmark = pytest.mark.quick


def in_order(result: Result) -> list[str]:
    """All rows, by their positions: checkpoints by name, moments by their words."""
    found = []
    for position in range(len(result.checkpoints) + 1):
        found += [
            one.kind if one.kind == "stop" else one.words
            for one in result.moments
            if one.position == position
        ]
        found += [f"{one.task_id}@{one.number}" for one in result.checkpoints[position : position + 1]]
    return found


def work(turns: Turns) -> None:
    """Two tasks, each with a prompt before, a call within and the end of the session after its checkpoint."""
    for number, (task, session) in enumerate((("10", ONE), ("11", TWO))):
        begin = 100 * number
        turns.edit("a.txt", f"before {task}\n")
        turns.moment(begin, "prompt", session, f"do task {task}")
        turns.says(begin + 0.1, session, "user", f"do task {task}")
        turns.says(begin + 1, session, "assistant", "I do")
        task_start.run(turns.now(begin + 2), task_start.Request(task, title="t"))
        turns.edit("b.txt", f"task {task}\n")
        turns.moment(begin + 3, "call", session, f"make {task}")
        turns.edit("c.txt", f"task {task}\n")
        task_complete.run(turns.now(begin + 4), task_complete.Request(task, message="m", everything=True))
        turns.moment(begin + 5, "stop", session)
    turns.read()


def test_moments_stand_between_the_checkpoints_in_the_order_of_time(turns: Turns) -> None:
    work(turns)
    result = log.run(turns.now(1000), Request(moments=True))
    assert in_order(result) == [
        "stop",
        "task-11@1",
        "make 11",
        "do task 11",
        "stop",
        "task-10@1",
        "make 10",
        "do task 10",
    ]
    assert in_order(log.run(turns.now(1000), Request())) == ["task-11@1", "task-10@1"]


def test_a_moment_has_the_words_the_session_the_turn_the_task_and_its_figures(turns: Turns) -> None:
    work(turns)
    made = {one.words: one for one in log.run(turns.now(1000), Request(moments=True)).moments}
    call = made["make 11"]
    assert (call.kind, call.session_id, call.turn, call.client, call.worktree) == (
        "call",
        TWO,
        1,
        "claude",
        ".",
    )
    assert (call.created_at, call.task_id, call.files_changed) == (turns.at(103), "task-11", 1)
    assert call.name == f"moment:{call.id[:10]}"
    # The first is compared with HEAD, and a commit changes no file.
    assert [made["do task 10"].files_changed, made["make 10"].files_changed] == [1, 1]
    assert made["do task 11"].files_changed == 1


def test_a_prompt_that_found_nothing_changed_stands_at_the_moment_that_it_found(turns: Turns) -> None:
    turns.moment(0, "prompt", ONE, "first")
    turns.says(0.1, ONE, "user", "first")
    turns.edit("a.txt", "by the first\n")
    turns.says(1, ONE, "assistant", "done")
    turns.moment(2, "stop", ONE)
    turns.moment(10, "prompt", ONE, "second")
    turns.says(10.1, ONE, "user", "second")
    turns.edit("a.txt", "by the second\n")
    turns.says(11, ONE, "assistant", "done")
    turns.moment(12, "stop", ONE)
    turns.edit("a.txt", "by hand\n")
    turns.moment(20, "prompt", ONE, "third")
    turns.says(20.1, ONE, "user", "third")
    turns.read()
    result = log.run(turns.now(100), Request(moments=True))
    found = [(one.kind, one.turn, one.words, one.next_prompt) for one in result.moments]
    assert found == [
        ("prompt", 3, "third", ""),
        ("stop", 2, "second", ""),
        ("stop", 1, "first", "second"),
        ("prompt", 1, "first", ""),
    ]
    assert "first  (1 file)  then: second" in checkpoints_text(result)


def test_one_session_or_one_task_alone(turns: Turns) -> None:
    work(turns)
    now = turns.now(1000)
    only = log.run(now, Request(moments=True, session="1111"))
    assert in_order(only) == ["stop", "task-10@1", "make 10", "do task 10"]
    assert {one.session_id for one in only.moments} == {ONE}
    assert in_order(log.run(now, Request(moments=True, task="11"))) == ["task-11@1", "make 11"]
    nothing = log.run(now, Request(moments=True, session="nobody"))
    assert in_order(nothing) == []
    # There are checkpoints, only none that was asked for.
    assert checkpoints_text(nothing).startswith("There is nothing to list.")
    assert Request(session=ONE).moments


@pytest.mark.parametrize("wanted", [("", ""), ("11", ""), ("", "1111")])
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_together_have_each_row_once(turns: Turns, limit: int, wanted: tuple[str, str]) -> None:
    work(turns)
    now, whole, cursor = turns.now(1000), [], ""
    for _ in itertools.count():
        page = log.run(now, Request(limit, wanted[0], cursor, True, wanted[1]))
        assert len(page.checkpoints) + len(page.moments) <= limit
        whole += in_order(page)
        cursor = page.next_cursor
        if not cursor:
            break
    assert whole == in_order(log.run(now, Request(20, wanted[0], "", True, wanted[1])))


def test_only_the_moments_that_are_listed_are_read(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    for second in range(30):
        turns.edit("a.txt", f"{second}\n")
        turns.moment(second, words=f"prompt {second}")
    read: list[str] = []
    really = read_moments.read

    def noted(own: Objects, oid: str) -> tuple[State, Details]:
        read.append(oid)
        return really(own, oid)

    monkeypatch.setattr(read_moments, "read", noted)
    result = log.run(turns.now(100), Request(3, moments=True))
    assert [one.words for one in result.moments] == ["prompt 29", "prompt 28", "prompt 27"]
    # Each with the one before it, and the one that shows that there are more.
    assert len(set(read)) == 4


def test_moments_of_other_worktrees_are_listed_also_if_the_worktree_is_gone(
    turns: Turns, git: Run, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Turns(Workspace.open(tmp_path / "side"), tmp_path)
    side.edit("only-here.txt", "work\n")
    side.moment(5, words="in the other")
    turns.moment(6, words="here")
    git("worktree", "remove", "--force", str(tmp_path / "side"))
    result = log.run(turns.now(10), Request(moments=True))
    assert [(one.words, one.worktree) for one in result.moments] == [("here", "."), ("in the other", "side")]
    assert "[worktree side]" in checkpoints_text(result)


def test_a_pipe_gets_a_line_for_each_row_and_no_control_character(turns: Turns) -> None:
    work(turns)
    turns.edit("a.txt", "odd\n")
    turns.says(899, ONE, "user", "two lines")
    turns.moment(900, "prompt", ONE, "two\nlines and\ttabs")
    turns.read()
    text = checkpoints_text(log.run(turns.now(1000), Request(2, moments=True)))
    first, _second, more = text.split("\n")
    assert first.split("  ")[0] == "."
    assert "two lines and tabs" in first
    assert f"prompt  {ONE[:13]}/2  " in first
    assert more.startswith("There are more: devs-git log --moments --cursor ")


def test_a_moment_that_git_pruned_is_left_out(turns: Turns) -> None:
    made = [turns.moment(0, words="one")]
    turns.edit("a.txt", "two\n")
    made.append(turns.moment(1, words="two"))
    (turns.workspace.places.common / "devs/moments.git/objects" / made[0][:2] / made[0][2:]).unlink()
    (only,) = log.run(turns.now(10), Request(moments=True)).moments
    assert (only.words, only.files_changed) == ("two", None)
