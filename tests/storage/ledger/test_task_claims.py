"""What `task start` reads of an id is what the whole ledger says of it, whatever people did before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_start
from devs_git.errors import DevsError
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace
from tests.support.clones import make_pair
from tests.support.random_work import TASKS, RandomWork

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_WRITERS", "3"))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_a_start_reads_of_an_id_is_what_the_whole_ledger_says(
    seed: int, initialised: Path, tmp_path: Path
) -> None:
    work = RandomWork(seed, make_pair(initialised, tmp_path))
    for _ in range(60):
        ledger = work.step().opened.ledger
        tip = ledger.tip()
        whole = Tip(ledger, tip.oid).here
        for task in (*TASKS, "task-none"):
            found = task_files.history_for_start(tip, task)
            assert found.tasks.get(task) == whole.tasks.get(task)
            assert found.next_number(task) == whole.next_number(task)
    assert {"start", "checkpoint", "complete", "rewind"} <= work.answers.keys(), work.answers


@pytest.mark.quick
def test_the_start_of_a_new_id_reads_no_other_event(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_tip: Tip) -> object:
        raise AssertionError("the whole ledger was read")

    here = Workspace.open(initialised)
    monkeypatch.setattr(Tip, "history", property(refuse))
    (here.ledger.common / "devs/index.db").touch()
    assert task_start.run(here, task_start.Request("10")).next_checkpoint == 1
    (initialised / "a.txt").write_text("a\n")
    checkpoint.run(Workspace.open(initialised), checkpoint.Request("a", everything=True))
    with pytest.raises(DevsError, match="task-10 is active in this worktree"):
        task_start.run(Workspace.open(initialised), task_start.Request("11"))
    with pytest.raises(DevsError, match="task-10 already exists and is active"):
        task_start.run(Workspace.open(initialised), task_start.Request("10"))
