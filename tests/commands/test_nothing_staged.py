"""Completing or recording where nothing is staged: no work is left out unsaid, and no state gets a second number."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, log, rewind, task_complete, task_start
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.gate_scene import commit
from tests.support.own_calls import devs_git

Run = Callable[..., str]


@pytest.fixture(params=["with hooks", "without hooks"])
def top(request: pytest.FixtureRequest, initialised: Path) -> Path:
    """A repository with task-1 active, its hooks there or taken away."""
    if request.param == "without hooks":
        for hook in (initialised / ".git/hooks").iterdir():
            hook.unlink()
    router.call("task start", Workspace.open(), task_start.Request("1", title="Parse dates"))
    return initialised


def complete(message: str = "done", *, everything: bool = False) -> task_complete.Result:
    request = task_complete.Request(None, message, everything)
    done: task_complete.Result = router.call("task complete", Workspace.open(), request)
    return done


def record(message: str = "", *, everything: bool = False) -> checkpoint.Result:
    done: checkpoint.Result = router.call(
        "checkpoint", Workspace.open(), checkpoint.Request(message, everything)
    )
    return done


def numbers() -> list[int]:
    return [row.number for row in log.run(Workspace.open(), log.Request()).checkpoints]


def figures(row: task_complete.Result) -> tuple[int, int, int]:
    return row.files_changed, row.lines_added, row.lines_removed


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "change",
    [
        "echo edited > a.txt",
        "rm f1.txt",
        "git rm -q --cached f1.txt && git reset -q && chmod +x f1.txt",
        "echo new > new.txt && git add -N new.txt",
        "echo new > new.txt",
        "mkdir d && echo new > d/new.txt",
    ],
)
@pytest.mark.parametrize("do", [complete, record], ids=["complete", "checkpoint"])
def test_work_that_is_not_staged_is_not_left_out_but_named(
    top: Path, git: Run, change: str, do: Callable[[str], object]
) -> None:
    subprocess.run(["sh", "-c", change], cwd=top, check=True)
    before = git("for-each-ref"), git("status", "--porcelain"), (top / ".git/devs/task").read_text()
    with pytest.raises(DevsError) as refused:
        do("done")
    error = refused.value
    path = (
        "a.txt"
        if "a.txt" in change
        else "f1.txt"
        if "f1.txt" in change
        else "d/"
        if "d/" in change
        else "new.txt"
    )
    assert (error.code, error.details["paths"], error.details["task_id"]) == ("CONFLICT", [path], "task-1")
    assert path in error.message
    assert "--all" in error.hint
    assert (git("for-each-ref"), git("status", "--porcelain"), (top / ".git/devs/task").read_text()) == before


@pytest.mark.parametrize(("files", "more"), [(2, ""), (5, ""), (7, " and 2 more")])
def test_several_files_that_would_be_left_out_are_named_and_the_rest_is_counted(
    top: Path, files: int, more: str
) -> None:
    for number in range(files):
        (top / f"new{number}.txt").write_text("x")
    names = ", ".join(f"'new{number}.txt'" for number in range(min(files, 5)))
    with pytest.raises(DevsError) as refused:
        complete()
    assert refused.value.message == f"Nothing is staged, and {names}{more} would be left out."


@pytest.mark.quick
def test_what_is_staged_is_completed_and_the_rest_may_stay(top: Path, git: Run) -> None:
    (top / "a.txt").write_text("not of this\n")
    (top / "new.txt").write_text("new\n")
    git("add", "new.txt")
    assert figures(complete()) == (1, 1, 0)
    assert git("status", "--porcelain") == "M a.txt"


def test_work_that_was_committed_by_hand_is_completed_beside_files_that_git_does_not_track(top: Path) -> None:
    made = commit(top, {"new.txt": "new\n"})
    (top / "scratch").write_text("mine\n")
    row = complete()
    assert (row.commit, figures(row), row.nothing_new) == (made, (1, 1, 0), False)


def test_a_tracked_change_beside_work_that_was_committed_is_named_too(top: Path) -> None:
    commit(top, {"new.txt": "new\n"})
    (top / "new.txt").write_text("newer\n")
    with pytest.raises(DevsError) as refused:
        complete()
    assert refused.value.details["paths"] == ["new.txt"]


@pytest.mark.quick(2)
@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.usefixtures("top")
def test_with_nothing_new_at_all_a_completion_says_so_and_has_no_figures(everything: bool) -> None:
    row = complete("", everything=everything)
    assert (row.nothing_new, figures(row), row.message, row.status) == (
        True,
        (0, 0, 0),
        "Parse dates",
        "completed",
    )
    shown = log.run(Workspace.open(), log.Request()).checkpoints[0]
    assert (shown.files_changed, shown.message) == (0, "Parse dates")


def test_commits_of_another_branch_or_task_are_no_work_of_this_one(top: Path, git: Run) -> None:
    git("branch", "side")
    complete()
    router.call("task start", Workspace.open(), task_start.Request("2", title="two"))
    commit(top, {"two.txt": "two\n"})
    router.call("task complete", Workspace.open(), task_complete.Request("2"))
    git("switch", "-q", "side")
    router.call("task start", Workspace.open(), task_start.Request("3", title="three"))
    git("switch", "-q", "main")  # whose newest commit is the second task's
    row = complete("")
    named = (top / ".git/hooks").exists() and list((top / ".git/hooks").iterdir())
    assert not named or (row.nothing_new, row.files_changed, row.message) == (True, 0, "three")


@pytest.mark.quick
def test_a_checkpoint_makes_no_second_number_for_the_same_state(top: Path, git: Run) -> None:
    (top / "new.txt").write_text("new\n")
    first = record("one", everything=True)
    tip = git("rev-parse", "devs/ledger")
    again = record("two", everything=True)
    assert (first.nothing_new, first.made) == (False, True)
    assert (again.number, again.tag, again.nothing_new, again.made) == (first.number, first.tag, True, False)
    assert (record("three").number, git("rev-parse", "devs/ledger"), numbers()) == (1, tip, [1])
    commit(top, {"new.txt": "newer\n"})
    third = record("four")
    assert (third.number, third.commit, numbers()) == (2, git("rev-parse", "HEAD"), [2, 1])


@pytest.mark.usefixtures("top")
def test_a_first_checkpoint_where_nothing_is_new_records_the_state_without_figures() -> None:
    row = record()
    assert (row.number, row.nothing_new, figures(row)) == (1, True, (0, 0, 0))
    assert (record().number, numbers()) == (1, [1])


def test_a_completion_after_a_checkpoint_of_the_same_commit_has_the_figures_of_its_own_work(
    top: Path,
) -> None:
    commit(top, {"new.txt": "new\n"})
    made = record()
    row = complete()
    assert (row.commit, row.number, figures(row), row.nothing_new) == (made.commit, 2, (1, 1, 0), False)


@pytest.mark.parametrize("everything", [False, True])
def test_a_second_completion_of_the_same_commit_is_refused_and_writes_nothing(
    top: Path, git: Run, everything: bool
) -> None:
    commit(top, {"new.txt": "new\n"})
    complete()
    known, before = numbers(), git("for-each-ref")
    with pytest.raises(DevsError) as refused:
        router.call("task complete", Workspace.open(), task_complete.Request("1", "again", everything))
    assert (refused.value.code, numbers()) == ("TASK_EXISTS", known)
    assert git("for-each-ref") == before


def test_after_a_rewind_to_a_checkpoint_on_the_way_the_task_is_completed_as_it_was_there(top: Path) -> None:
    for text in ("one\n", "two\n"):
        (top / "new.txt").write_text(text)
        record(everything=True)
    router.call("rewind", Workspace.open(), rewind.Request("1@1"))
    row = complete()
    assert (row.number, figures(row), row.nothing_new) == (3, (1, 1, 0), False)


def test_a_person_reads_that_nothing_is_new(top: Path) -> None:
    def said(*words: str) -> str:
        return devs_git(*words, where=top)

    (top / "new.txt").write_text("new\n")
    assert "recorded at" in said("checkpoint", "--all")
    assert said("checkpoint", "--all").startswith("Nothing changed since task-1@1 (")
    assert said("checkpoint", "--all").endswith(", so no checkpoint was made.\n")
    said("task", "complete")
    said("task", "start", "2")
    shown = said("task", "complete")
    assert "(0 files, +0 -0)" in shown
    assert shown.endswith("Nothing changed since the task was started.\n")
