"""`kill -9` before each step of each verb that moves the tree, and of the recovery after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.support.kills import Driver, KilledVerb
from tests.support.scene import Scene
from tests.support.selection import QUICK

Told = Callable[[str, object], None]


DIRTY: dict[str, Any] = {"target": "10", "untracked": "save"}
FULL: dict[str, Any] = {**DIRTY, "preserve": "stash"}


def killed_at(stage: KilledVerb, steps: Iterable[int], told: Told) -> None:
    for at in steps:
        copy = stage.fresh_copy()
        done = stage.run(copy, at=at)
        assert done["killed"], (stage.steps[at], done)
        stage.recover_and_check(copy, (at, stage.steps[at]))
    assert stage.runs
    told("counted", f"{stage.verb}: {stage.runs} kills, ended {stage.ends}, 0 lost")


def some(stage: KilledVerb) -> Iterable[int]:
    """All steps; in `make test` only the step before the commit point."""
    few = ("transaction",)
    return [at for at, name in enumerate(stage.steps) if not QUICK or name in few]


@pytest.mark.quick
def test_a_rewind_of_a_dirty_tree_killed_before_any_step_is_as_if_not_begun_or_done(
    dirtied: Scene, drive: Driver, record_property: Told
) -> None:
    stage = KilledVerb(dirtied.top, "rewind", FULL, drive)
    assert len(stage.steps) >= 12
    killed_at(stage, range(0, len(stage.steps), 3 if QUICK else 1), record_property)
    assert stage.ends["old"]
    assert stage.ends["new"]


@pytest.mark.parametrize("preserve", ["branch", "discard"])
def test_a_rewind_killed_in_any_mode_loses_nothing(
    dirtied: Scene, drive: Driver, record_property: Told, preserve: str
) -> None:
    stage = KilledVerb(dirtied.top, "rewind", {**DIRTY, "preserve": preserve}, drive)
    killed_at(stage, some(stage), record_property)


@pytest.mark.parametrize("verb", ["rewind", "undo", "redo"])
def test_untracked_files_that_are_taken_away_are_never_lost_by_a_kill(
    dirtied: Scene, drive: Driver, record_property: Told, verb: str
) -> None:
    dirtied.write({"new.txt": "untracked\n", "deep/er/new.txt": "untracked, too\n"})
    taken: dict[str, Any] = {"target": "10", "untracked": "remove", "preserve": "discard"}
    before = {"rewind": [], "undo": [("rewind", taken)], "redo": [("rewind", taken), ("undo", {})]}
    for name, request in before[verb]:
        assert drive(dirtied.top, name, request)["error"] is None
    request = {"rewind": taken, "undo": {}, "redo": {"preserve": "discard"}}[verb]
    stage = KilledVerb(dirtied.top, "rewind" if verb == "rewind" else "undo", request, drive)
    killed_at(stage, some(stage), record_property)


def test_a_rewind_of_a_clean_tree_killed_before_any_step_loses_nothing(
    worked: Scene, drive: Driver, record_property: Told
) -> None:
    stage = KilledVerb(worked.top, "rewind", {"target": "11"}, drive)
    killed_at(stage, some(stage), record_property)


def test_an_undo_killed_before_any_step_loses_nothing(
    dirtied: Scene, drive: Driver, record_property: Told
) -> None:
    assert drive(dirtied.top, "rewind", FULL)["error"] is None
    killed_at(stage := KilledVerb(dirtied.top, "undo", {}, drive), some(stage), record_property)


def test_a_checkout_with_local_changes_killed_before_any_step_loses_nothing(
    worked: Scene, drive: Driver, record_property: Told
) -> None:
    worked.git("branch", "other", "devs/task-10")
    worked.write({"f1.txt": "local\n", "staged.txt": "staged\n"})
    worked.git("add", "staged.txt")
    killed_at(
        stage := KilledVerb(worked.top, "checkout", {"branch_name": "other"}, drive),
        some(stage),
        record_property,
    )


def test_a_restore_with_local_changes_killed_before_any_step_loses_nothing(
    worked: Scene, drive: Driver, record_property: Told
) -> None:
    worked.write({"f1.txt": "local\n"})
    killed_at(
        stage := KilledVerb(worked.top, "restore", {"target": "10"}, drive), some(stage), record_property
    )


def test_a_drop_with_local_changes_killed_before_any_step_loses_nothing(
    worked: Scene, drive: Driver, record_property: Told
) -> None:
    worked.write({"f1.txt": "local\n"})
    killed_at(stage := KilledVerb(worked.top, "drop", {"task_id": "12"}, drive), some(stage), record_property)


def test_a_recovery_killed_at_its_every_step_is_recovered_again(
    dirtied: Scene, drive: Driver, record_property: Told
) -> None:
    """First the verb is killed, then each recovery, one step later than the one before."""
    stage = KilledVerb(dirtied.top, "rewind", FULL, drive)
    for name in ("refs",) if QUICK else stage.steps:
        stage.kill_recovery_at_each_step(name)
    assert stage.runs
    record_property("counted", f"recovery: {stage.runs} kills, ended {stage.ends}, 0 lost")
