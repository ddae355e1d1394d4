"""Ten processes ask for a TAS revision at once: exactly one gate opens, however often it is tried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devs_git.workspace import Workspace

RUNS = int(os.environ.get("DEVS_TEST_COUNT_GATE_RUNS", "2"))
SCRIPT = Path(__file__).with_name("asker.py")
ASKERS = 10


def ask_at_once(workspace: Workspace, arm: str, runs: int, askers: int = ASKERS) -> list[dict[str, Any]]:
    """What the askers of each run were told, and which gates were open then."""
    words = [sys.executable, str(SCRIPT), str(workspace.top), arm, str(runs), str(askers)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_one_winner(found: dict[str, Any], askers: int = ASKERS) -> None:
    assert len(found["answers"]) == askers
    assert len(found["open"]) == 1
    winner = found["open"][0]
    assert sorted(found["answers"]) == [*[f"GATE_ALREADY_ACTIVE {winner}"] * (askers - 1), f"opened {winner}"]


@pytest.mark.quick
def test_of_ten_that_ask_at_once_one_wins_and_nine_are_told_its_id(ledgered: Workspace) -> None:
    found = ask_at_once(ledgered, "guarded", RUNS)
    assert len(found) == RUNS
    for one in found:
        assert_one_winner(one)
    requested = [event for event in ledgered.ledger.events() if event.type == "gate.requested"]
    assert len(requested) == RUNS


def test_the_control_arm_without_the_guard_fails(ledgered: Workspace) -> None:
    found = ask_at_once(ledgered, "unguarded", 1, askers=3)
    with pytest.raises(AssertionError):
        assert_one_winner(found[0], askers=3)
