"""A model of people and agents at work: whatever they do, our verbs lose no content (see `oracle`).

hypothesis draws the steps; `DEVS_TEST_SEED` repeats a run, and each run prints its seed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from devs_git.operations.rewind import preserve, return_to_state
from devs_git.storage.moments import captured_state
from devs_git.storage.moments.captured_state import Captured
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.backups import store as real_store
from devs_git.values import replace
from tests.support.actors import NAMES
from tests.support.model_runs import run_world
from tests.support.model_world import World

RUNS = int(os.environ.get("DEVS_TEST_COUNT_MODEL_RUNS", "8"))
STEPS = int(os.environ.get("DEVS_TEST_COUNT_MODEL_STEPS", "14"))


@pytest.mark.quick
def test_nothing_that_was_there_is_ever_lost(tmp_path: Path) -> None:
    run_world(World, tmp_path, (RUNS, STEPS))
    assert World.answers.get("done", 0) > 0


def test_without_the_capture_the_model_finds_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control arm: backups hold HEAD alone, and nothing is left in sight."""

    def nothing(objects: Any, state: State, *words: Any, **_more: Any) -> str:
        tree = objects.read(state.head, "commit")[5:45].decode()
        return real_store(objects, State(state.head, state.branch, tree, tree), *words)

    monkeypatch.setattr(return_to_state, "store", nothing)
    monkeypatch.setattr(preserve, "keep", lambda *_: preserve.Preserved("discard", "nowhere"))
    with pytest.raises(AssertionError, match="lost: "):
        run_world(World, tmp_path, (20, 30), shrink=False, first=6)


def test_without_dirty_files_in_moments_the_model_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control arm of moments: they hold the index, and no file that differs from it.

    The steps are chosen here, because random ones may never go to such a moment.
    """
    real = captured_state.take

    def nothing(*words: Any) -> Captured:
        found = real(*words)
        return replace(found, state=replace(found.state, worktree=found.state.index))

    monkeypatch.setattr(captured_state, "take", nothing)
    World.base, World.answers = tmp_path, {}
    world = World()
    try:
        world.start(crowded=False)
        world.change([(NAMES[0], "edit")])
        # With a staged file the moment differs from the first one.
        world.run_git("add", "-A")
        world.change([(NAMES[0], "edit")])
        world.make_moment(refs=False, killed_at=None)
        world.run_git("reset", "-q", "--hard")
        with pytest.raises(AssertionError, match="not as in the moment: "):
            world.go(at=len(world.moments) - 1, mode=None, save=None, fate=("", 0, ""))
    finally:
        world.teardown()
