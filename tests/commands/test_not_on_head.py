"""A checkpoint whose commit a reset or a rebase dropped is marked as not on HEAD, and what is told brings it back."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, log, show, task_status
from devs_git.entrypoints import router
from tests.commands.test_rewind_decisions import start
from tests.support.clones import Pair
from tests.support.own_calls import devs_git
from tests.support.rewind_cases import Case

DROPPED = "completed, not on HEAD"


def states(case: Case) -> dict[str, tuple[str, str, bool]]:
    rows = router.call("log", case.workspace, log.Request()).checkpoints
    return {f"{row.task_id}@{row.number}": (row.status, row.state, row.on_head) for row in rows}


@pytest.fixture
def three(case: Case) -> Case:
    for task in ("1", "2", "3"):
        case.stage(task, {f"f{task}": task.encode()})
    return case


def drop(case: Case, how: str) -> None:
    if how == "reset":
        case.git("reset", "-q", "--hard", "HEAD~1")
    elif how == "rebase":
        case.git("-c", "sequence.editor=sed -i 1s/^pick/drop/", "rebase", "-q", "-i", "HEAD~1")
    elif how == "upstream":  # somebody has the same change already: git leaves ours out of the rebase
        case.git("switch", "-qc", "theirs", "HEAD~1")
        case.git("commit", "-q", "--allow-empty", "-m", "before it")
        case.git("cherry-pick", "main")
        case.git("switch", "-q", "main")
        case.git("rebase", "-q", "theirs")
    else:
        case.git("switch", "-q", "--detach", "HEAD~1")


@pytest.mark.quick(1)
@pytest.mark.parametrize("how", ["reset", "rebase", "upstream", "detached"])
def test_what_head_does_not_have_any_more_is_marked_and_what_is_told_brings_it_back(
    three: Case, how: str
) -> None:
    drop(three, how)
    assert states(three) == {
        "task-3@1": ("completed", DROPPED, False),
        "task-2@1": ("completed", "completed", True),
        "task-1@1": ("completed", "completed", True),
    }
    shown = router.call("show", three.workspace, show.Request("3"))
    task = router.call("task status", three.workspace, task_status.Request("3"))
    assert (shown.state, shown.way_back) == (DROPPED, task.way_back)
    assert router.call("task status", three.workspace, task_status.Request("2")).way_back == ""
    command = re.search(r"git merge [0-9a-f]+", shown.way_back)
    assert command
    three.git(*command[0].split()[1:])
    assert states(three)["task-3@1"] == ("completed", "completed", True)


@pytest.mark.quick
@pytest.mark.parametrize("commits", [1, 2])
def test_a_squash_that_somebody_merged_is_named(three: Case, commits: int) -> None:
    three.git("switch", "-qc", "work")
    start(three, "4")
    for part in range(commits):
        three.write({f"g{part}": b"4"})
        router.call("checkpoint", three.workspace, checkpoint.Request("half", everything=True))
    three.git("switch", "-q", "main")
    three.write({"other": b"before it"})
    three.git("add", "other")
    three.git("commit", "-qm", "before it")
    assert "HEAD does not contain it. Merge it" in task_told(three, "4")
    three.git("merge", "-q", "--squash", "work")
    three.git("commit", "-qm", "Task 4 (#1)")
    squash = three.git("rev-parse", "--short=12", "HEAD").strip()
    three.write({"g0": b"later"})
    three.git("commit", "-qam", "after it")
    assert f"HEAD does not contain it, but {squash} makes the same change" in task_told(three, "4")
    assert router.call("show", three.workspace, show.Request("4")).way_back == task_told(three, "4")


def test_a_partial_clone_without_the_files_of_the_change_answers_all_the_same(
    three: Case, tmp_path: Path
) -> None:
    three.git("config", "uploadpack.allowFilter", "true")
    three.git("switch", "-qc", "work")
    start(three, "4")
    three.write({"g": b"4"})
    router.call("checkpoint", three.workspace, checkpoint.Request("half", everything=True))
    three.git("switch", "-q", "main")
    three.write({"g": b"other"})
    three.git("add", "g")
    three.git("commit", "-qm", "another")
    top = tmp_path / "partial"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", f"file://{three.top}", top], check=True)
    clone = Case(top)
    ledger = "refs/heads/devs/ledger:refs/heads/devs/ledger"
    clone.git("fetch", "-q", "--refetch", "--no-filter", "origin", ledger)
    clone.git("fetch", "-q", "origin", "refs/devs/*:refs/devs/*")
    assert "HEAD does not contain it" in task_told(clone, "4")


def task_told(case: Case, task: str) -> str:
    told: task_status.Result = router.call("task status", case.workspace, task_status.Request(task))
    return told.way_back


@pytest.mark.parametrize("how", ["reset", "upstream"])
def test_a_checkpoint_on_the_way_is_marked_too(three: Case, how: str) -> None:
    start(three, "4")
    three.write({"f4": b"4"})
    router.call("checkpoint", three.workspace, checkpoint.Request("half", everything=True))
    drop(three, how)
    assert states(three)["task-4@1"] == ("active", "recorded, not on HEAD", False)
    told = router.call("task status", three.workspace, task_status.Request()).way_back
    command = re.search(r"git merge [0-9a-f]+", told)
    assert command
    three.git(*command[0].split()[1:])
    assert states(three)["task-4@1"] == ("active", "recorded", True)


def test_people_read_it_in_log_show_and_task_status(three: Case) -> None:
    drop(three, "reset")
    for words in (("log",), ("show", "task-3"), ("task", "status", "3")):
        said = devs_git(*words, where=three.top)
        assert DROPPED in said, words
        assert ("devs-git show task-3@1" if words == ("log",) else "git merge") in said


def test_a_rewound_one_is_told_as_that_and_says_how_to_return(three: Case) -> None:
    three.rewind("2")
    assert states(three)["task-3@1"] == ("rewound", "rewound", False)
    way_back = router.call("show", three.workspace, show.Request("task-3@1")).way_back
    assert "devs-git undo" in way_back
    three.undo()
    assert router.call("show", three.workspace, show.Request("task-3@1")).way_back == ""


def test_before_the_first_commit_nothing_is_missing_on_head(three: Case) -> None:
    three.git("switch", "-q", "--orphan", "empty")
    assert {row[1] for row in states(three).values()} == {"completed"}


def test_a_clone_that_never_had_the_commits_says_that_head_has_them_not(pair: Pair) -> None:
    pair.ann.task("10")
    pair.meet()
    (row,) = pair.bob.call("log", log.Request()).checkpoints
    assert (row.state, row.on_head) == (DROPPED, False)
    pair.bob.git("pull", "-q", str(pair.ann.top), "main")
    (row,) = pair.bob.call("log", log.Request()).checkpoints
    assert (row.state, row.on_head) == ("completed", True)
