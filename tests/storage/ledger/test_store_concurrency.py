"""Eight processes write to one ledger at once, and no event is lost."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.workspace import Workspace

EVENTS = int(os.environ.get("DEVS_TEST_COUNT_LEDGER_EVENTS_PER_WRITER", "3"))
SCRIPT = Path(__file__).with_name("appender.py")


def write_at_once(workspace: Workspace, arm: str, writers: int, events: int) -> set[str]:
    """The subjects that are in the ledger after all writers ended well."""
    start = workspace.places.shared / "start"
    with start.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        children = [
            subprocess.Popen(
                [sys.executable, SCRIPT, workspace.top, str(name), str(events), arm, start],
                stdout=subprocess.PIPE,
            )
            for name in range(writers)
        ]
        ready = [child.stdout.readline() for child in children if child.stdout]
    assert [child.wait() for child in children] == [0] * writers
    assert ready == [b"ready\n"] * writers
    for child in children:
        child.communicate()
    return {event.subject for event in workspace.ledger.events() if event.type == "task.started"}


@pytest.mark.quick(1)
@pytest.mark.parametrize(("arm", "writers", "events"), [("guarded", 8, EVENTS), ("unlocked", 3, 4)])
def test_writers_at_once_lose_no_event(arm: str, writers: int, events: int, ledgered: Workspace) -> None:
    wanted = {f"{name}-{number}" for name in range(writers) for number in range(events)}
    assert write_at_once(ledgered, arm, writers, events) == wanted
    files = ledgered.ledger.tip().names("tasks")
    assert set(files) == {f"{subject}.yaml" for subject in wanted}
    git = ledgered.store_git
    assert git.text("rev-list", "--count", "refs/heads/devs/ledger") == str(len(wanted) + 2)
    assert git.text("rev-list", "--count", "--min-parents=2", "refs/heads/devs/ledger") == "0"


def test_the_loss_would_be_seen_without_lock_and_compare_and_swap(ledgered: Workspace) -> None:
    assert len(write_at_once(ledgered, "blind", 2, 1)) < 2
