"""A command that acts on a checkpoint finds the one that the whole ledger names, also if somebody planted an index."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, restore, rewind, task_complete, task_start
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.storage.ledger.index import NAME, index_queries, index_tables
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace
from tests.support.clones import Clone, make_pair
from tests.support.random_work import TASKS, RandomWork

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_WRITERS", "3"))
TARGETS = [f"{task}{end}" for task in TASKS for end in ("", "@0", "@1", "@2", "@3")]


def outcome(here: Workspace, target: str, *, whole: bool) -> object:
    """The checkpoint or the refusal, as the whole ledger says it, or as a command finds it."""
    tip = Tip(Workspace.open(here.top).ledger, here.ledger.tip().oid)
    try:
        if whole:
            return named_checkpoint.find(here.store_git, tip.here, target)
        return named_checkpoint.confirm(here.store_git, tip, target)
    except DevsError as error:
        return error.code, str(error)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_confirmed_checkpoint_is_that_of_the_whole_ledger(
    seed: int, initialised: Path, tmp_path: Path
) -> None:
    work = RandomWork(seed + 100, make_pair(initialised, tmp_path))
    for _ in range(30):
        here = work.step().opened
        (here.ledger.common / NAME).touch()
        oids = [oid for point in here.ledger.tip().here.live()[-2:] for oid in (point.tag, point.commit)]
        for target in (*work.random.sample(TARGETS, 6), *oids, *(oid[:9] for oid in oids)):
            assert outcome(here, target, whole=False) == outcome(here, target, whole=True)


def do(top: Path, text: str, *, complete: bool = True) -> None:
    """A task 10 with one checkpoint, and its completion."""
    clone = Clone(top)
    clone.call("task start", task_start.Request("10"))
    (top / "a.txt").write_text(text)
    clone.call("checkpoint", checkpoint.Request(text, everything=True))
    if complete:
        (top / "a.txt").write_text(text * 2)
        clone.call("task complete", task_complete.Request(message=text, everything=True))


def plant(top: Path, since: int) -> None:
    """An index that says that no event after the first `since` touches the task."""
    here = Workspace.open(top)
    path = here.ledger.common / NAME
    path.touch()
    tip = here.ledger.tip()
    assert index_queries.ask(tip, lambda base: index_tables.about(base, "tip")) == tip.oid
    with sqlite3.connect(path) as base:
        base.execute("DELETE FROM touches WHERE seq > ?", (since,))
        base.execute("DELETE FROM points WHERE seq > ?", (since,))


def count(top: Path) -> int:
    return sum(1 for _ in Workspace.open(top).ledger.events())


@pytest.mark.quick
def test_with_a_planted_index_a_restore_takes_the_newest_completion(initialised: Path) -> None:
    do(initialised, "one")
    known = count(initialised)
    Clone(initialised).call("rewind", rewind.Request("10^", preserve="discard"))
    do(initialised, "two")
    plant(initialised, known)
    (initialised / "a.txt").write_text("three")
    Clone(initialised).git("commit", "-qam", "three")
    Clone(initialised).call("restore", restore.Request("10"))
    assert (initialised / "a.txt").read_text() == "twotwo"


def test_with_a_planted_index_no_undone_completion_is_restored(initialised: Path) -> None:
    do(initialised, "one")
    known = count(initialised)
    Clone(initialised).call("rewind", rewind.Request("10@1", preserve="discard"))
    plant(initialised, known)
    with pytest.raises(DevsError) as refused:
        Clone(initialised).call("restore", restore.Request("10"))
    assert refused.value.code == "NO_CHECKPOINT"
