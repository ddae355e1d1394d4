"""Clones that sync at the same time, and a sync that is killed: the next one completes it, and no event is lost."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devs_git.commands import task_start
from devs_git.errors import DevsError
from devs_git.operations.sync import merge_ledgers
from devs_git.storage.ledger import store
from tests.commands.test_sync_tags import point
from tests.support import kills
from tests.support.clones import LEDGER, Clone, Pair, refs_of
from tests.support.git_calls import git

pytestmark = pytest.mark.thorough

ROUNDS = int(os.environ.get("DEVS_TEST_COUNT_SYNC_ROUNDS", "1"))
KILLS = int(os.environ.get("DEVS_TEST_COUNT_SYNC_KILLS", "1"))
SCRIPT = Path(__file__).with_name("syncer.py")


def sync_at_once(pair: Pair, arm: str) -> None:
    """Both clones look at the remote before either goes on."""
    start = pair.origin.parent / "start"
    with start.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        children = [
            subprocess.Popen([sys.executable, SCRIPT, clone.top, arm, start], stdout=subprocess.PIPE)
            for clone in (pair.ann, pair.bob)
        ]
        ready = [child.stdout.readline() for child in children if child.stdout]
    for child in children:
        child.communicate()
    assert [child.returncode for child in children] == [0, 0]
    assert ready == [b"ready\n"] * 2


def work(pair: Pair, number: int) -> set[str]:
    """Both give the same checkpoint number; the oids of the two events."""
    for clone in (pair.ann, pair.bob):
        point(clone, f"{clone.top.name}-{number}")
    return {pair.ann.tip, pair.bob.tip}


def both_started(pair: Pair) -> None:
    pair.ann.call("task start", task_start.Request("10", title="t"))
    pair.ann.sync()
    pair.bob.call("task start", task_start.Request("10", title="t"))


def test_clones_that_sync_at_once_lose_nothing(pair: Pair) -> None:
    both_started(pair)
    events: set[str] = set()
    for number in range(ROUNDS):
        events |= work(pair, number)
        sync_at_once(pair, "guarded")
        there = git("rev-list", LEDGER, where=pair.origin).split()
        assert events <= set(there)
    pair.meet()
    pair.assert_same()
    points = pair.ann.opened.ledger.tip().history.of_task("task-10")
    assert sorted(point.number for point in points) == list(range(1, 2 * ROUNDS + 1))


def test_the_loss_would_be_seen_without_fast_forward(pair: Pair) -> None:
    both_started(pair)
    events = work(pair, 0)
    sync_at_once(pair, "forced")
    assert not events <= set(git("rev-list", LEDGER, where=pair.origin).split())


@pytest.fixture
def apart(pair: Pair) -> Pair:
    """Everything that a merge can bring: new numbers, a decision twice, tags made again and undone."""
    gate = pair.ann.ask(kind="MANUAL")
    pair.meet()
    pair.ann.reject(gate)
    pair.bob.approve(gate)
    for clone in (pair.ann, pair.bob):
        clone.task("10")
    pair.bob.git("commit", "-q", "--amend", "-m", "better")
    pair.ann.sync()
    return pair


@pytest.fixture
def drive() -> Iterator[kills.Driver]:
    with kills.driver() as driver:
        yield driver


def kept(pair: Pair, tip: str) -> None:
    """The next syncs complete what was killed: one ledger that has all that the killed clone had."""
    pair.bob.sync()
    pair.ann.sync()
    pair.assert_same("ledger", "tags")
    assert tip in pair.ann.git("rev-list", LEDGER).split()
    git("fsck", "--no-dangling", "--no-progress", where=pair.bob.top)


@pytest.mark.parametrize("at", range(4))
def test_the_next_sync_completes_one_that_was_killed_at_any_step(
    at: int, apart: Pair, drive: kills.Driver
) -> None:
    tip = apart.bob.tip
    done = drive(apart.bob.top, "sync", {}, at=at)
    assert done["killed"], done
    kept(apart, tip)


@pytest.mark.parametrize("seed", range(KILLS))
def test_the_next_sync_completes_one_that_was_killed_at_any_moment(
    seed: int, apart: Pair, drive: kills.Driver
) -> None:
    tip, dice = apart.bob.tip, random.Random(seed)
    drive(apart.bob.top, "sync", {}, kill_after=dice.uniform(0.0, 0.5), whom="us")
    kept(apart, tip)


def test_refs_that_moved_before_the_ledger_did_are_put_right(apart: Pair) -> None:
    before, tip = refs_of(apart.bob.top), apart.bob.tip
    twin = Clone(shutil.copytree(apart.bob.top, apart.bob.top.with_name("twin"), symlinks=True))
    twin.git("remote", "set-url", "--push", "origin", "nowhere")
    with pytest.raises(DevsError):
        twin.sync()
    after = refs_of(twin.top)
    moved = {ref: oid for ref, oid in after.items() if before.get(ref) != oid and ref != LEDGER}
    assert len(moved) > 1
    apart.bob.git("fetch", "-q", "../twin", *(f"+{ref}:{ref}" for ref in moved))
    kept(apart, tip)


def test_a_lock_that_a_killed_git_left_is_named(apart: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_ledgers, "REF_LOCK_SECONDS", 0.1)
    monkeypatch.setattr(store, "REF_LOCK_SECONDS", 0.1)
    lock, tip = apart.bob.top / ".git" / f"{LEDGER}.lock", apart.bob.tip
    lock.touch()
    with pytest.raises(DevsError) as caught:
        apart.bob.sync()
    assert (caught.value.code, f"remove {LEDGER}.lock" in caught.value.hint) == ("BUSY", True)
    lock.unlink()
    kept(apart, tip)


def test_a_merge_of_ours_is_believed_though_sync_was_killed_before_it_noted_that(
    apart: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip, real, noted = apart.bob.tip, store.Ledger.note_checked, []

    def killed(self: store.Ledger, *tips: str) -> None:
        if len(tips) == 1 and tips != (tip,):
            noted.append(tips)
            raise KeyboardInterrupt
        real(self, *tips)

    monkeypatch.setattr(store.Ledger, "note_checked", killed)
    with pytest.raises(KeyboardInterrupt):
        apart.bob.sync()
    monkeypatch.undo()
    assert noted
    assert apart.bob.tip != tip
    kept(apart, tip)
