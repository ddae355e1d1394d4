"""Random steps with two catalogs. Stored traces come back, pruned ones are gone, and rewound ones are hidden (`trace_oracle`).

hypothesis draws the steps; `DEVS_TEST_SEED` repeats a run, and each run prints its seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.catalog import bodies, prune_traces, traces
from devs_git.storage.catalog.rewound import ledger_marks
from tests.support.model_runs import run_world
from tests.support.trace_repository import PART
from tests.support.trace_world import World

Breaking = Callable[[pytest.MonkeyPatch], None]

pytestmark = pytest.mark.thorough
RUNS = int(os.environ.get("DEVS_TEST_COUNT_TRACE_RUNS", "4"))
STEPS = int(os.environ.get("DEVS_TEST_COUNT_TRACE_STEPS", "14"))


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PART", PART)
    for name in ("DEVS_FTS", "DEVS_GIT_CLOCK"):  # the world changes them as it goes
        monkeypatch.setenv(name, "")


def test_the_catalog_holds_what_was_put_and_nothing_else(tmp_path: Path) -> None:
    run_world(World, tmp_path, (RUNS, STEPS))
    assert World.answers
    # In a short run there may be no `put`, or only killed ones.
    assert World.answers.get("put", 0) > 0 or RUNS * STEPS < 200


def _keeps_the_first(patch: pytest.MonkeyPatch) -> None:
    head = traces._UPSERT.partition(" DO UPDATE")[0]
    patch.setattr(traces, "_UPSERT", f"{head} DO UPDATE SET body_id = excluded.body_id")


def _marks_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ledger_marks, "_mark", lambda *_: None)


def _prunes_one_too_few(patch: pytest.MonkeyPatch) -> None:
    real = prune_traces.delete
    patch.setattr(prune_traces, "delete", lambda catalog, rows, progress: real(catalog, rows[1:], progress))


def _loses_the_end_of_long_outputs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bodies, "parts", lambda output: iter([bodies.pack(output[: PART * 2])]))


@pytest.mark.parametrize(
    "broken", [_keeps_the_first, _marks_nothing, _prunes_one_too_few, _loses_the_end_of_long_outputs]
)
def test_the_model_finds_what_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Breaking
) -> None:
    """Each of these faults makes the test above fail."""
    broken(monkeypatch)
    with pytest.raises(AssertionError):
        run_world(World, tmp_path, (20, 30), first=6, shrink=False)
