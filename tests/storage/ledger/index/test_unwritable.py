"""An index that cannot be written stops nobody: the answer comes from a copy in memory, or from the whole ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git import locks
from devs_git.storage.ledger.index import NAME, listing
from devs_git.storage.ledger.index.index_file import LOCK
from devs_git.values import replace
from devs_git.workspace import Workspace

Mark = Callable[..., str]


def count(top: Path, *, dry_run: bool = False) -> int:
    """How many checkpoints task 10 has."""
    workspace = replace(Workspace.open(top), dry_run=dry_run)
    return len(listing.of_tasks(workspace.ledger.tip(), "task-10").of_task("task-10"))


@pytest.mark.quick
@pytest.mark.parametrize("grown", [True, False])
def test_a_command_does_not_wait_for_the_one_that_writes(
    ledgered: Workspace, mark: Mark, *, grown: bool
) -> None:
    index = ledgered.places.common / NAME
    index.touch()
    mark(10, 1)
    assert not grown or count(ledgered.top) == 1
    mark(10, 2)
    before = index.read_bytes()
    with locks.hold(ledgered.places.common / LOCK, wait=0.0):
        assert count(ledgered.top) == 2
    assert not grown or index.read_bytes() == before
    assert count(ledgered.top) == 2


def test_a_dry_run_writes_no_index(ledgered: Workspace, mark: Mark) -> None:
    index = ledgered.places.common / NAME
    index.touch()
    mark(10, 1)
    assert count(ledgered.top, dry_run=True) == 1
    assert index.read_bytes() == b""
    assert count(ledgered.top) == 1
    assert index.read_bytes() != b""


def test_a_folder_in_place_of_the_index_is_left_alone(ledgered: Workspace, mark: Mark) -> None:
    index = ledgered.places.common / NAME
    index.mkdir()
    mark(10, 1)
    assert count(ledgered.top) == 1
    assert list(index.iterdir()) == []
