"""`snapshot create` saves what is on disk, as `git add -A` would take it, and touches nothing of the user's."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands.snapshot_create import Request, Result, run
from devs_git.errors import DevsError
from devs_git.storage import locks, snapshot_index
from devs_git.workspace import Workspace

Make = Callable[..., str]
KILLS = int(os.environ.get("DEVS_TEST_COUNT_SNAPSHOT_KILLS", "2"))
MEBIBYTES = int(os.environ.get("DEVS_TEST_COUNT_SNAPSHOT_MEBIBYTES", "48"))


@pytest.fixture
def snap(ledgered: Workspace) -> Callable[[], Result]:
    """Take a snapshot the way a new process would, with a fresh workspace."""
    return lambda: run(Workspace.open(ledgered.top), Request())


Snap = Callable[[], Result]


def saved(git: Make, result: Result, path: str) -> str:
    return git("show", f"{result.commit}:{path}")


def listed(git: Make, tree: str) -> list[str]:
    return git("ls-tree", "-r", "-z", "--name-only", tree).strip("\0").split("\0")


def test_the_tree_is_what_git_add_all_would_commit(snap: Snap, git: Make, repo: Path) -> None:
    (repo / ".gitignore").write_text("*.log\n")
    (repo / "x.log").write_text("ignored")
    (repo / "f1.txt").unlink()
    (repo / "f2.txt").rename(repo / "moved.txt")
    (repo / "a.txt").write_text("staged\n")
    git("add", "a.txt")
    (repo / "a.txt").write_text("edited\n")
    (repo / "deep" / "er").mkdir(parents=True)
    (repo / "deep" / "er" / "new").write_text("new\n")
    (repo / "run").write_text("#!/bin/sh\n")
    (repo / "run").chmod(0o755)
    (repo / "link").symlink_to("a.txt")
    git("add", "-N", "run")
    result = snap()
    git("add", "-A")
    assert result.tree == git("write-tree")
    assert (result.parent, git("rev-parse", f"{result.commit}^")) == (git("rev-parse", "HEAD"),) * 2
    assert result.files_changed == len(git("diff", "--cached", "--no-renames", "--name-only").splitlines())


def test_head_index_and_files_are_not_touched(snap: Snap, git: Make, repo: Path) -> None:
    (repo / "a.txt").write_text("edited\n")
    (repo / "new").write_text("new\n")

    def state() -> object:
        files = [*repo.glob("*.txt"), repo / "new", repo / ".git/index", repo / ".git/HEAD"]
        return (
            git("rev-parse", "HEAD"),
            git("symbolic-ref", "HEAD"),
            [(path, path.stat().st_mtime_ns, path.read_bytes()) for path in files],
        )

    before = state()
    index = (repo / ".git/index").stat()
    snap()
    assert (repo / ".git/index").stat() == index
    assert state() == before


def test_the_name_says_the_minute_and_gets_a_suffix_where_it_is_taken(
    snap: Snap, git: Make, monkeypatch: pytest.MonkeyPatch, ledgered: Workspace
) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", "2026-01-31T09:05:59+00:00")
    assert [snap().branch for _ in range(3)] == [
        "snapshot/edit-2026-01-31-0905",
        "snapshot/edit-2026-01-31-0905-2",
        "snapshot/edit-2026-01-31-0905-3",
    ]
    event = next(ledgered.ledger.events())
    there = git("rev-parse", "snapshot/edit-2026-01-31-0905-3")
    assert (event.type, event.get("Devs-Branch"), event.get("Devs-Commit")) == (
        "snapshot.created",
        "snapshot/edit-2026-01-31-0905-3",
        there,
    )


def test_a_same_size_edit_within_the_same_second_is_saved(snap: Snap, git: Make, repo: Path) -> None:
    for number in range(10):
        (repo / "a.txt").write_text(f"tracked {number}\n")
        (repo / "new").write_text(f"new {number}\n")
        result = snap()
        assert (saved(git, result, "a.txt"), saved(git, result, "new")) == (
            f"tracked {number}",
            f"new {number}",
        )


def test_a_same_size_edit_with_the_old_time_put_back_is_saved(snap: Snap, git: Make, repo: Path) -> None:
    git("config", "core.checkStat", "minimal")
    git("config", "core.trustctime", "false")
    (repo / "new").write_text("one\n")
    os.utime(repo / "new", (1, 1))
    snap()
    (repo / "other").write_text("two\n")
    os.utime(repo / "other", (1, 1))
    (repo / "other").rename(repo / "new")
    assert saved(git, snap(), "new") == "two"


def test_what_became_ignored_or_was_taken_out_of_the_index_leaves_the_next_snapshot(
    snap: Snap, git: Make, repo: Path
) -> None:
    (repo / "new.log").write_text("x")
    assert "new.log" in listed(git, snap().tree)
    (repo / ".gitignore").write_text("*.log\nf1.txt\nf2.txt\n")
    git("rm", "-q", "--cached", "f1.txt")
    assert listed(git, snap().tree) == [".gitignore", "a.txt", "f2.txt", "f3.txt"]


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file(
    snap: Snap, git: Make, repo: Path
) -> None:
    (repo / "both").mkdir()
    (repo / "both" / "x").write_text("x")
    snap()
    (repo / "f1.txt").unlink()
    (repo / "f1.txt").mkdir()
    (repo / "f1.txt" / "y").write_text("y")
    (repo / "both" / "x").unlink()
    (repo / "both").rmdir()
    (repo / "both").write_text("file")
    assert listed(git, snap().tree) == ["a.txt", "both", "f1.txt/y", "f2.txt", "f3.txt"]
    (repo / "both").unlink()
    (repo / "both").symlink_to("f1.txt")
    result = snap()
    git("add", "-A")
    assert result.tree == git("write-tree")


def test_names_with_any_bytes(snap: Snap, git: Make, repo: Path) -> None:
    odd = ["a\nb", 'say "x"', os.fsdecode(b"caf\xe9"), "-o", ":(top)x", "*"]
    for name in odd:
        (repo / name).write_text("x")
    result = snap()
    git("add", "-A")
    assert result.tree == git("write-tree")


def test_with_an_fsmonitor_that_lies(snap: Snap, git: Make, repo: Path) -> None:
    hook = repo.parent / "monitor"
    hook.write_text("#!/bin/sh\nprintf 'token\\0'\n")  # says that nothing ever changes
    hook.chmod(0o755)
    git("config", "core.fsmonitor", str(hook))
    git("config", "core.fsmonitorHookVersion", "2")
    git("status")
    snap()
    (repo / "a.txt").write_text("edited\n")
    assert saved(git, snap(), "a.txt") == "edited"


def test_with_a_split_index(snap: Snap, git: Make, repo: Path) -> None:
    git("config", "core.splitIndex", "true")
    git("update-index", "--split-index")
    (repo / "a.txt").write_text("edited\n")
    assert saved(git, snap(), "a.txt") == "edited"
    git("add", "a.txt")
    (repo / "a.txt").write_text("edited again\n")
    assert saved(git, snap(), "a.txt") == "edited again"
    assert listed(git, snap().tree) == ["a.txt", "f1.txt", "f2.txt", "f3.txt"]


@pytest.mark.parametrize("sparse_index", ["--sparse-index", "--no-sparse-index"])
def test_with_a_sparse_checkout_what_is_not_on_disk_stays(
    snap: Snap, git: Make, repo: Path, sparse_index: str
) -> None:
    for folder in ("in", "out"):
        (repo / folder).mkdir()
        (repo / folder / "x").write_text(folder)
    git("add", "-A")
    git("commit", "-qm", "folders")
    git("sparse-checkout", "set", "--cone", sparse_index, "in")
    assert not (repo / "out").exists()
    (repo / "in" / "x").write_text("edited")
    result = snap()
    assert (saved(git, result, "in/x"), saved(git, result, "out/x"), result.files_changed) == (
        "edited",
        "out",
        1,
    )
    assert snap().tree == result.tree
    git("sparse-checkout", "disable")
    (repo / "out" / "x").write_text("edited too")
    assert saved(git, snap(), "out/x") == "edited too"


def test_skip_worktree_and_assume_unchanged_do_not_hide_an_edit(snap: Snap, git: Make, repo: Path) -> None:
    git("update-index", "--skip-worktree", "f1.txt")
    git("update-index", "--assume-unchanged", "f2.txt")
    snap()
    (repo / "f1.txt").write_text("x\n")
    (repo / "f2.txt").write_text("y\n")
    result = snap()
    assert (saved(git, result, "f1.txt"), saved(git, result, "f2.txt")) == ("x", "y")
    (repo / "f1.txt").unlink()
    assert saved(git, snap(), "f1.txt") == "1"


def test_after_gc_pruned_its_blobs_the_private_index_is_rebuilt(snap: Snap, git: Make, repo: Path) -> None:
    (repo / "deep").mkdir()
    (repo / "deep" / "new").write_text("precious\n")
    first = snap()
    git("update-ref", "-d", f"refs/heads/{first.branch}")
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    assert subprocess.run(["git", "cat-file", "-e", first.tree], check=False, capture_output=True).returncode
    second = snap()
    assert (second.tree, saved(git, second, "deep/new")) == (first.tree, "precious")
    git("fsck", "--strict", "--connectivity-only")


def test_one_lost_blob_is_written_again(snap: Snap, git: Make, repo: Path) -> None:
    (repo / "new").write_text("precious\n")
    first = snap()
    oid = git("rev-parse", f"{first.commit}:new")
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert saved(git, snap(), "new") == "precious"


def test_nested_repositories_are_left_out_and_reported(snap: Snap, git: Make, repo: Path) -> None:
    for name in ("nested", "deep/empty"):
        git("init", "-q", str(repo / name))
    (repo / "nested" / "x").write_text("x")
    git("add", "-A", where=repo / "nested")
    git("commit", "-qm", "x", where=repo / "nested")
    (repo / "deep" / "y").write_text("y")
    result = snap()
    assert result.left_out == ("deep/empty", "nested")
    assert listed(git, result.tree) == ["a.txt", "deep/y", "f1.txt", "f2.txt", "f3.txt"]


def test_a_submodule_is_saved_as_the_commit_that_it_is_at(snap: Snap, git: Make, repo: Path) -> None:
    other = repo.parent / "other"
    git("init", "-q", str(other))
    git("commit", "-q", "--allow-empty", "-m", "one", where=other)
    git("submodule", "--quiet", "add", str(other), "sub")
    git("commit", "-qm", "sub")
    snap()
    git("commit", "-q", "--allow-empty", "-m", "two", where=repo / "sub")
    result = snap()
    assert git("rev-parse", f"{result.commit}:sub") == git("rev-parse", "HEAD", where=repo / "sub")
    git("submodule", "--quiet", "deinit", "-f", "sub")
    (repo / ".git/devs/snapshot-index").unlink()
    assert git("rev-parse", f"{snap().commit}:sub") == git("rev-parse", "HEAD:sub")


def test_filters_apply_as_for_git_add(snap: Snap, git: Make, repo: Path) -> None:
    git("config", "filter.up.clean", "tr a-z A-Z")
    git("config", "core.safecrlf", "true")
    (repo / ".gitattributes").write_text("*.up filter=up\n*.dos text eol=crlf\n")
    (repo / "x.up").write_text("quiet\n")
    (repo / "y.dos").write_bytes(b"one\r\ntwo\n")
    result = snap()
    assert saved(git, result, "x.up") == "QUIET"
    assert subprocess.run(
        ["git", "show", f"{result.commit}:y.dos"], capture_output=True, check=True
    ).stdout == (b"one\ntwo\n")


def test_unmerged_files_are_saved_as_they_stand(snap: Snap, git: Make, repo: Path) -> None:
    git("checkout", "-qb", "other", "HEAD~1")
    (repo / "a.txt").write_text("other\n")
    git("commit", "-qam", "other")
    subprocess.run(["git", "merge", "-q", "main"], cwd=repo, capture_output=True, check=False)
    assert saved(git, snap(), "a.txt") == (repo / "a.txt").read_text().strip()


def test_a_repository_without_a_commit(snap: Snap, git: Make) -> None:
    git("checkout", "-q", "--orphan", "fresh")
    result = snap()
    assert (result.parent, git("rev-list", "--count", result.commit), result.files_changed) == ("", "1", 4)


def test_a_linked_worktree_has_its_own_snapshots(snap: Snap, git: Make, repo: Path) -> None:
    git("worktree", "add", "-q", str(repo.parent / "linked"))
    (repo.parent / "linked" / "only here").write_text("x")
    result = run(Workspace.open(repo.parent / "linked"), Request("there"))
    assert "only here" in listed(git, result.tree)
    assert "only here" not in listed(git, snap().tree)


def test_more_bytes_than_the_policy_allows_are_refused_and_nothing_is_written(
    ledgered: Workspace, git: Make, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_index, "ROOM_UNASKED", 10)
    (repo / "new").write_bytes(b"x" * 100)
    before = git("for-each-ref"), git("count-objects")
    with pytest.raises(DevsError, match="100 bytes") as caught:
        snapshot_index.take(ledgered.git, ledgered.places, git("rev-parse", "HEAD"), lambda: 99, say=print)
    assert caught.value.code == "GIT_RESET_FAILED"
    assert (git("for-each-ref"), git("count-objects")) == before


def test_a_lock_that_a_killed_git_left_on_the_private_index_does_not_stand_in_the_way(
    snap: Snap, repo: Path
) -> None:
    snap()
    (repo / ".git/devs/snapshot-index.lock").touch()
    (repo / "new").write_text("x")
    snap()


def test_snapshots_at_the_same_moment_get_names_of_their_own(ledgered: Workspace, git: Make) -> None:
    call = [sys.executable, "-m", "devs_git", "snapshot", "create"]
    running = [subprocess.Popen(call, cwd=ledgered.top, stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [child.wait() for child in running] == [0, 0, 0, 0]
    assert len(git("for-each-ref", "refs/heads/snapshot/").splitlines()) == 4
    assert len([event for event in ledgered.ledger.events() if event.type == "snapshot.created"]) == 4


def test_while_another_command_works_in_this_worktree_it_is_busy(
    snap: Snap, ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_index, "LIVE_OWNER_SECONDS", 0.05)
    with locks.held(ledgered.places.lock, wait=0), pytest.raises(DevsError) as caught:
        snap()
    assert caught.value.code == "BUSY"


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
        assert saved(git, snap(), "new") == str(number)
    assert (repo / ".git/index").read_bytes() == index
    events = [event for event in ledgered.ledger.events() if event.type == "snapshot.created"]
    there = git("for-each-ref", "--format=%(refname:short)", "refs/heads/snapshot/").splitlines()
    assert {event.get("Devs-Branch") for event in events} <= set(there)
    git("fsck", "--strict", "--no-dangling")


@pytest.mark.telling
def test_a_filter_that_fails_is_told_and_nothing_is_written(snap: Snap, git: Make, repo: Path) -> None:
    git("config", "filter.bad.clean", "false")
    git("config", "filter.bad.required", "true")
    (repo / ".gitattributes").write_text("*.bad filter=bad\n")
    (repo / "x.bad").write_text("x")
    before = git("for-each-ref")
    with pytest.raises(DevsError, match=r"x\.bad") as caught:
        snap()
    assert (caught.value.code, git("for-each-ref")) == ("CONFLICT", before)


def test_a_branch_named_snapshot_is_in_the_way_and_said_to_be(snap: Snap, git: Make) -> None:
    git("branch", "snapshot")
    with pytest.raises(DevsError, match="in the way") as caught:
        snap()
    assert "git branch -m snapshot" in caught.value.hint


@pytest.mark.telling
def test_a_damaged_private_index_is_made_anew(snap: Snap, repo: Path) -> None:
    tree = snap().tree
    (repo / ".git/devs/snapshot-index").write_bytes(b"DIRC rubbish")
    assert snap().tree == tree


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
