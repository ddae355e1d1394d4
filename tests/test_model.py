"""A model of people and agents at work: whatever they do, our verbs lose no content (see `oracle`).

hypothesis draws the steps; `DEVS_TEST_SEED` repeats a run, and each run prints its seed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import (
    run_state_machine_as_test,
)

from devs_git.storage.engine import preserve, travel
from devs_git.storage.engine.capture import State
from devs_git.storage.engine.capture import store as real_store
from tests.world import World

RUNS = int(os.environ.get("DEVS_TEST_COUNT_MODEL_RUNS", "4"))
STEPS = int(os.environ.get("DEVS_TEST_COUNT_MODEL_STEPS", "14"))
SEED = os.environ.get("DEVS_TEST_SEED")  # read here: a test sees no variable of ours


def run_world(
    base: Path, examples: int, steps: int, *, phases: tuple[Phase, ...] = tuple(Phase), first: int = 0
) -> None:
    """Run the machine with a seed that is printed; the same seed makes the same steps."""
    number = int(SEED or first or int.from_bytes(os.urandom(4), "big"))
    print(f"repeat this run with DEVS_TEST_SEED={number}")  # noqa: T201 - shown where it failed
    World.base = base
    World.answers = {}
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=[phase for phase in phases if phase not in (Phase.reuse, Phase.explain)],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(number)(World), settings=chosen)
    print(f"answers: {World.answers}")  # noqa: T201


def test_nothing_that_was_there_is_ever_lost(tmp_path: Path) -> None:
    run_world(tmp_path, RUNS, STEPS)
    assert World.answers.get("done", 0) > 0


@pytest.mark.thorough
def test_without_the_capture_the_model_finds_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control arm: backups hold HEAD alone, and nothing is left in sight."""

    def nothing(objects: Any, state: State, signature: str, subject: str) -> str:
        tree = objects.read(state.head, "commit")[5:45].decode()
        return real_store(objects, State(state.head, state.branch, tree, tree), signature, subject)

    monkeypatch.setattr(travel, "store", nothing)
    monkeypatch.setattr(preserve, "keep", lambda *_: preserve.Kept("discard", "nowhere"))
    with pytest.raises(AssertionError, match="lost: "):
        run_world(tmp_path, 20, 30, phases=(Phase.generate,), first=6)
