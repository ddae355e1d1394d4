"""Run a hypothesis state machine with a seed. The seed is printed, and `DEVS_TEST_SEED` repeats the run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

SEED = os.environ.get("DEVS_TEST_SEED")  # read here: a test sees no variable of ours


def run_world(
    world: Any, base: Path, counts: tuple[int, int], *, first: int = 0, shrink: bool = True
) -> None:
    """Run the machine `world` below `base`; `counts` are examples and steps. The same seed makes the same steps."""
    number = first or int(SEED or int.from_bytes(os.urandom(4), "big"))
    print(f"repeat this run with DEVS_TEST_SEED={number}")  # noqa: T201 - shown where it failed
    world.base = base
    world.answers = {}
    chosen = settings(
        max_examples=counts[0],
        stateful_step_count=counts[1],
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(number)(world), settings=chosen)
    print(f"answers: {world.answers}")  # noqa: T201
