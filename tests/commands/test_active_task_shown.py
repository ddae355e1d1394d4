"""A rewind or an undo that ends the active task, or makes one active again, says so, and `task status` agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkpoint, task_complete, task_start
from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.checkpoints.task_activity import after_undo
from devs_git.domain.ledger.history import History
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.own_calls import devs_git


def moved(*words: str) -> tuple[str, str]:
    """The active task before and after, as the plan and then the deed say in JSON; `task status` says the same."""
    planned: dict[str, Any] = json.loads(devs_git(*words, "--dry-run", "--json"))
    assert planned["was_active"] == active()
    done: dict[str, Any] = json.loads(devs_git(*words, "--json"))
    assert (done["was_active"], done["now_active"]) == (planned["was_active"], planned["now_active"])
    assert done["now_active"] == active()
    return done["was_active"], done["now_active"]


def active() -> str:
    """The active task as `task status` tells it, which calls it active."""
    words = [sys.executable, "-m", "devs_git", "task", "status", "--json"]
    said = json.loads(subprocess.run(words, capture_output=True, text=True, check=False).stdout)
    if said.get("code") == "TASK_NOT_FOUND":
        return ""
    assert (said["status"], said["active_here"]) == ("active", True)
    task: str = said["task_id"]
    return task


def start(task: str) -> None:
    router.call("task start", Workspace.open(), task_start.Request(task))


def work(top: Path, *, completed: bool) -> None:
    with (top / "a.txt").open("a") as stream:
        stream.write("more\n")
    if completed:
        router.call("task complete", Workspace.open(), task_complete.Request(None, "done", True))
    else:
        router.call("checkpoint", Workspace.open(), checkpoint.Request("on the way", True))


@pytest.fixture
def top(initialised: Path) -> Path:
    """task-1 completed, task-2 active with a checkpoint."""
    start("1")
    work(initialised, completed=False)
    work(initialised, completed=True)
    start("2")
    work(initialised, completed=False)
    return initialised


@pytest.mark.quick
def test_a_rewind_ends_the_active_task_and_its_undo_brings_it_back(top: Path) -> None:
    del top
    assert moved("rewind", "1") == ("task-2", "")
    assert moved("undo") == ("", "task-2")
    assert "\n  active task     none (until now: task-2)\n" in devs_git("rewind", "1", "--dry-run")
    assert "\ntask-2 is no longer the active task here.\n" in devs_git("rewind", "1")
    assert "\n  active task     task-2 again" in devs_git("undo", "--dry-run")
    assert "\ntask-2 is the active task here again.\n" in devs_git("undo")


def test_a_rewind_that_makes_its_targets_task_active_again_says_which_one_is_no_longer(top: Path) -> None:
    del top
    assert moved("rewind", "task-1@1") == ("task-2", "task-1")
    said = devs_git("undo")
    assert "\ntask-1 is no longer the active task here.\ntask-2 is the active task here again.\n" in said


def test_a_rewind_that_leaves_the_active_task_says_nothing_of_it(top: Path) -> None:
    work(top, completed=False)
    assert moved("rewind", "task-2@1") == ("task-2", "task-2")
    assert "active task" not in devs_git("undo", "--dry-run") + devs_git("undo")


def test_an_undo_leaves_the_task_that_was_started_meanwhile_and_says_so(top: Path) -> None:
    del top
    devs_git("rewind", "1")
    start("3")
    assert moved("undo") == ("task-3", "task-2")


def test_an_undo_makes_no_task_active_that_is_not_active_by_then() -> None:
    lines = Work("task-2").lines()
    for told, wanted in (("active", lines), ("completed", ""), ("rewound", "")):
        assert after_undo(History(), Effect(statuses=(("task-2", told),)), lines) == wanted
