"""`kill -9` before every step of every verb that moves the tree, and of the recovery after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from devs_git.workspace import Workspace
from tests.conftest import THOROUGH
from tests.killing import Driver, Stage, driver
from tests.moving import Scene

Told = Callable[[str, object], None]


@pytest.fixture
def drive() -> Iterator[Driver]:
    with driver() as opened:
        yield opened


def worked(ledgered: Workspace) -> Scene:
    """Three completed tasks that add, change and remove files, and turn a folder into a file; refs half packed."""
    scene = Scene(ledgered)
    scene.task("10", {"b.txt": "b\n", "d/x.txt": "x\n", "d/y.txt": "y\n"})
    scene.task("11", {"b.txt": "b\nb2\n", "c.txt": "c\n", "d/x.txt": None})
    scene.git("pack-refs", "--all")
    scene.task("12", {"b.txt": None, "d/y.txt": None, "a.txt": "rewritten\n"})
    (scene.top / "d").rmdir() if (scene.top / "d").is_dir() else None
    scene.task("13", {"d": "now a file\n"})
    return scene


def dirtied(scene: Scene) -> None:
    """Every kind of uncommitted work, and an untracked file where the checkpoint has one."""
    scene.write({"c.txt": "work\n", "staged.txt": "staged\n", "intended.txt": "intended\n"})
    scene.git("add", "staged.txt")
    scene.git("add", "-N", "intended.txt")
    scene.write({"staged.txt": "staged\nand more\n", "f1.txt": None, "b.txt": "in the way\n"})
    scene.write({"kept.txt": "untracked\n"})
    (scene.top / "f2.txt").chmod(0o755)


DIRTY: dict[str, Any] = {"target": "10", "untracked": "save"}
FULL: dict[str, Any] = {**DIRTY, "preserve": "stash"}


def killed_at(stage: Stage, steps: Iterable[int], told: Told) -> None:
    for at in steps:
        twin = stage.twin()
        done = stage.run(twin, at=at)
        assert done["killed"], (stage.steps[at], done)
        stage.settle(twin, (at, stage.steps[at]))
    told("counted", f"{stage.verb}: {stage.runs} kills, ended {stage.ends}, 0 lost")


def some(stage: Stage) -> Iterable[int]:
    """Every step under `make test-all`; otherwise before the first write and on both sides of the point of no return."""
    few = ("raw bytes", "refs", "active task")
    return [at for at, name in enumerate(stage.steps) if THOROUGH or name in few]


def test_a_rewind_of_a_dirty_tree_killed_before_any_step_is_as_if_not_begun_or_done(
    ledgered: Workspace, drive: Driver, record_property: Told
) -> None:
    scene = worked(ledgered)
    dirtied(scene)
    stage = Stage(scene.top, "rewind", FULL, drive)
    assert len(stage.steps) >= 12
    killed_at(stage, range(len(stage.steps)), record_property)
    assert stage.ends["old"]
    assert stage.ends["new"]


@pytest.mark.thorough
@pytest.mark.parametrize("preserve", ["branch", "discard"])
def test_a_rewind_killed_in_any_mode_loses_nothing(
    ledgered: Workspace, drive: Driver, record_property: Told, preserve: str
) -> None:
    scene = worked(ledgered)
    dirtied(scene)
    stage = Stage(scene.top, "rewind", {**DIRTY, "preserve": preserve}, drive)
    killed_at(stage, some(stage), record_property)


@pytest.mark.thorough
def test_a_rewind_of_a_clean_tree_killed_before_any_step_loses_nothing(
    ledgered: Workspace, drive: Driver, record_property: Told
) -> None:
    stage = Stage(worked(ledgered).top, "rewind", {"target": "11"}, drive)
    killed_at(stage, some(stage), record_property)


def test_an_undo_killed_before_any_step_loses_nothing(
    ledgered: Workspace, drive: Driver, record_property: Told
) -> None:
    scene = worked(ledgered)
    dirtied(scene)
    assert drive(scene.top, "rewind", FULL)["error"] is None
    killed_at(stage := Stage(scene.top, "undo", {}, drive), some(stage), record_property)


def test_a_checkout_with_local_changes_killed_before_any_step_loses_nothing(
    ledgered: Workspace, drive: Driver, record_property: Told
) -> None:
    scene = worked(ledgered)
    scene.git("branch", "other", "devs/task-10")
    scene.write({"f1.txt": "local\n", "staged.txt": "staged\n"})
    scene.git("add", "staged.txt")
    killed_at(
        stage := Stage(scene.top, "checkout", {"branch_name": "other"}, drive), some(stage), record_property
    )


def test_a_restore_with_local_changes_killed_before_any_step_loses_nothing(
    ledgered: Workspace, drive: Driver, record_property: Told
) -> None:
    scene = worked(ledgered)
    scene.write({"f1.txt": "local\n"})
    killed_at(stage := Stage(scene.top, "restore", {"target": "10"}, drive), some(stage), record_property)


def test_a_recovery_killed_at_its_every_step_is_recovered_again(
    ledgered: Workspace, drive: Driver, record_property: Told
) -> None:
    """First the verb dies, then each recovery one step later than the one before."""
    scene = worked(ledgered)
    dirtied(scene)
    stage = Stage(scene.top, "rewind", FULL, drive)
    for name in stage.steps if THOROUGH else ("refs",):
        twin, at = stage.twin(), 0
        stage.run(twin, at=stage.steps.index(name))
        while drive(twin, "status", {}, at=at)["killed"]:
            at += 1
            stage.runs += 1
        stage.settle(twin, (name, at))
    record_property("counted", f"recovery: {stage.runs} kills, ended {stage.ends}, 0 lost")
