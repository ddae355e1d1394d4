"""A clone's drop counts for another clone when that clone has the commit which takes the task back."""

from __future__ import annotations

import pytest

from devs_git.commands import drop, log, task_status, undo, verify
from tests.support.clones import Clone, Trio


def state(clone: Clone) -> tuple[str, str]:
    """The state of the checkpoint of task-1, and the status of the task."""
    rows = clone.call("log", log.Request()).checkpoints
    found = next(row.state for row in rows if row.task_id == "task-1")
    return found.partition(",")[0], str(clone.call("task status", task_status.Request("1")).status)


@pytest.fixture
def bob_dropped(trio: Trio) -> Trio:
    """task-1 and task-2 are on origin/main and in ann and bob. Bob dropped task-1 and synced, but did not push main."""
    trio.ann.task("1")
    trio.ann.task("2")
    trio.ann.git("push", "-q", "origin", "main")
    trio.bob.git("pull", "-q", "origin", "main")
    trio.ann.sync()
    trio.bob.sync()
    trio.bob.call("drop", drop.Request("1"))
    trio.bob.sync()
    trio.ann.sync()
    return trio


@pytest.mark.quick
def test_a_clone_without_the_commit_of_the_drop_still_has_the_task(bob_dropped: Trio) -> None:
    assert state(bob_dropped.bob) == ("dropped here", "dropped")
    assert state(bob_dropped.ann) == ("completed", "completed")


@pytest.mark.quick
def test_with_the_commit_of_the_drop_the_task_is_dropped_there_too(bob_dropped: Trio) -> None:
    bob_dropped.bob.git("push", "-q", "origin", "main")
    bob_dropped.ann.git("pull", "-q", "origin", "main")
    bob_dropped.ann.sync()
    for clone in (bob_dropped.ann, bob_dropped.bob):
        assert state(clone) == ("dropped", "dropped")
        assert clone.call("verify", verify.Request()).findings == ()


def test_an_undo_of_the_drop_brings_the_task_back_for_all(bob_dropped: Trio) -> None:
    bob_dropped.bob.call("undo", undo.Request())
    bob_dropped.bob.sync()
    bob_dropped.ann.sync()
    assert state(bob_dropped.bob) == ("completed", "completed")
    assert state(bob_dropped.ann) == ("completed", "completed")
