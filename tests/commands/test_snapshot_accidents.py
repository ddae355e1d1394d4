"""`snapshot create` killed, at the same moment, with its private index lost or damaged; and what it costs."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.storage.git import locks
from devs_git.storage.moments import file_tree
from devs_git.workspace import Workspace
from tests.support.snapshot_scene import Make, Snap, saved_text

KILLS = int(os.environ.get("DEVS_TEST_COUNT_SNAPSHOT_KILLS", "2"))
MEBIBYTES = int(os.environ.get("DEVS_TEST_COUNT_SNAPSHOT_MEBIBYTES", "48"))


@pytest.mark.quick
def test_killed_at_any_moment_it_leaves_nothing_in_the_way(
    snap: Snap, git: Make, ledgered: Workspace, repo: Path
) -> None:
    index = (repo / ".git/index").read_bytes()
    for number in range(KILLS):
        (repo / "new").write_text(f"{number}\n")
        child = subprocess.Popen(
            [sys.executable, "-m", "devs_git", "snapshot", "create"],
            cwd=ledgered.top,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=random.uniform(0.05, 0.35))
        child.kill()
        child.wait()
        assert saved_text(git, snap(), "new") == str(number)
    assert (repo / ".git/index").read_bytes() == index
    events = [event for event in ledgered.ledger.events() if event.type == "snapshot.created"]
    there = git("for-each-ref", "--format=%(refname:short)", "refs/heads/snapshot/").splitlines()
    assert {event.get("Devs-Branch") for event in events} <= set(there)
    git("fsck", "--strict", "--no-dangling")


@pytest.mark.quick
def test_a_damaged_private_index_is_made_anew(snap: Snap, repo: Path) -> None:
    tree = snap().tree
    (repo / ".git/devs/snapshot-index").write_bytes(b"DIRC rubbish")
    assert snap().tree == tree


def test_after_gc_pruned_its_blobs_the_private_index_is_rebuilt(snap: Snap, git: Make, repo: Path) -> None:
    (repo / "deep").mkdir()
    (repo / "deep" / "new").write_text("precious\n")
    first = snap()
    git("update-ref", "-d", f"refs/heads/{first.branch}")
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    assert subprocess.run(["git", "cat-file", "-e", first.tree], check=False, capture_output=True).returncode
    second = snap()
    assert (second.tree, saved_text(git, second, "deep/new")) == (first.tree, "precious")
    git("fsck", "--strict", "--connectivity-only")


def test_one_lost_blob_is_written_again(snap: Snap, git: Make, repo: Path) -> None:
    (repo / "new").write_text("precious\n")
    first = snap()
    oid = git("rev-parse", f"{first.commit}:new")
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert saved_text(git, snap(), "new") == "precious"


def test_a_lock_that_a_killed_git_left_on_the_private_index_does_not_stand_in_the_way(
    snap: Snap, git: Make, repo: Path
) -> None:
    snap()
    (repo / ".git/devs/snapshot-index.lock").touch()
    (repo / "new").write_text("x")
    assert saved_text(git, snap(), "new") == "x"


def test_while_another_command_works_in_this_worktree_it_is_busy(
    snap: Snap, ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tree, "LIVE_OWNER_SECONDS", 0.05)
    with locks.hold(ledgered.places.lock, wait=0), pytest.raises(DevsError) as caught:
        snap()
    assert caught.value.code == "BUSY"


def test_snapshots_at_the_same_moment_get_names_of_their_own(ledgered: Workspace, git: Make) -> None:
    call = [sys.executable, "-m", "devs_git", "snapshot", "create"]
    running = [subprocess.Popen(call, cwd=ledgered.top, stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [child.wait() for child in running] == [0, 0, 0, 0]
    assert len(git("for-each-ref", "refs/heads/snapshot/").splitlines()) == 4
    assert len([event for event in ledgered.ledger.events() if event.type == "snapshot.created"]) == 4


def test_a_large_unchanged_untracked_file_costs_nothing_from_the_second_time_on(
    ledgered: Workspace, repo: Path
) -> None:
    (repo / "large.bin").write_bytes(os.urandom(1 << 20) * MEBIBYTES)
    subprocess.run(["git", "config", "core.looseCompression", "0"], cwd=repo, check=True)
    os.utime(repo / "large.bin", (10**9, 10**9))
    plain = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}

    def seconds() -> float:
        """Processor time with all children, which is not that of the tests that run beside this one."""
        child = subprocess.Popen(
            [sys.executable, "-m", "devs_git", "snapshot", "create"],
            cwd=ledgered.top,
            env=plain,
            stdout=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return used.ru_utime + used.ru_stime

    first = seconds()
    unchanged = min(seconds() for _ in range(3))
    (repo / "large.bin").unlink()
    seconds()
    without = min(seconds() for _ in range(3))
    assert first > unchanged + 0.1
    assert unchanged < without + 0.04
