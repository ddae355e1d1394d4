"""`kill -9` before each step of a rewind to a moment, of its undo, and of the recovery after it."""

from __future__ import annotations

import pytest

from tests.storage.worktree.test_kill_steps import Told, killed_at, some
from tests.support.kills import Driver, KilledVerb
from tests.support.moment_stage import moment
from tests.support.rewind_cases import Case
from tests.support.scene import Scene
from tests.support.selection import QUICK


@pytest.fixture
def left(dirtied: Scene) -> tuple[Scene, str]:
    """A dirty tree, a moment of it, and then accidents: commits, files, a branch and stash entries are lost."""
    dirtied.git("branch", "side", "devs/task-10")
    dirtied.git("add", "intended.txt")
    for number in range(2):
        dirtied.write({"c.txt": f"work {number}\n"})
        dirtied.git("stash")
        dirtied.git("stash", "apply", "-q", "--index")
    dirtied.git("reset", "-q", "intended.txt")
    dirtied.git("add", "-N", "intended.txt")
    name = moment(Case(dirtied.top), keep_refs=True, ignored=())
    dirtied.git("stash", "drop")
    dirtied.git("stash", "drop")
    dirtied.git("branch", "-D", "side")
    dirtied.git("reset", "-q", "--hard", "HEAD~1")
    dirtied.write({"kept.txt": "other bytes\n", "later.txt": "came later\n"})
    return dirtied, name


@pytest.mark.quick
def test_a_rewind_to_a_moment_killed_before_any_step_is_as_if_not_begun_or_done(
    left: tuple[Scene, str], drive: Driver, record_property: Told
) -> None:
    scene, name = left
    stage = KilledVerb(scene.top, "rewind", {"target": name}, drive)
    assert "stash entries" in stage.steps
    killed_at(stage, range(0, len(stage.steps), 3 if QUICK else 1), record_property)
    assert stage.ends["old"]
    assert stage.ends["new"]


def test_an_undo_of_it_killed_before_any_step_loses_nothing(
    left: tuple[Scene, str], drive: Driver, record_property: Told
) -> None:
    scene, name = left
    assert drive(scene.top, "rewind", {"target": name})["error"] is None
    killed_at(stage := KilledVerb(scene.top, "undo", {}, drive), some(stage), record_property)


def test_a_restore_of_its_files_killed_before_any_step_loses_nothing(
    left: tuple[Scene, str], drive: Driver, record_property: Told
) -> None:
    scene, name = left
    killed_at(
        stage := KilledVerb(scene.top, "restore", {"target": name}, drive), some(stage), record_property
    )


def test_a_recovery_of_it_killed_at_its_every_step_is_recovered_again(
    left: tuple[Scene, str], drive: Driver, record_property: Told
) -> None:
    scene, name = left
    stage = KilledVerb(scene.top, "rewind", {"target": name}, drive)
    for step in ("refs", "stash entries") if QUICK else stage.steps:
        copy = stage.kill_recovery_at_each_step(step)
        entries = scene.git("-C", str(copy), "stash", "list").splitlines()
        assert len(entries) in (0, 2)
    record_property("counted", f"recovery: {stage.runs} kills, ended {stage.ends}, 0 lost")
