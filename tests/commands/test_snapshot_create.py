"""`snapshot create` saves what is on disk, as `git add -A` would take it, and touches nothing of the user's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devs_git.domain.ledger.event_branches import SnapshotCreated
from devs_git.errors import DevsError
from devs_git.storage.moments import file_tree, read_moments
from devs_git.workspace import Workspace
from tests.support.snapshot_scene import Make, Snap, saved_paths, saved_text


@pytest.mark.quick
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
        assert (saved_text(git, result, "a.txt"), saved_text(git, result, "new")) == (
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
    assert saved_text(git, snap(), "new") == "two"


def test_what_became_ignored_or_was_taken_out_of_the_index_leaves_the_next_snapshot(
    snap: Snap, git: Make, repo: Path
) -> None:
    (repo / "new.log").write_text("x")
    assert "new.log" in saved_paths(git, snap().tree)
    (repo / ".gitignore").write_text("*.log\nf1.txt\nf2.txt\n")
    git("rm", "-q", "--cached", "f1.txt")
    assert saved_paths(git, snap().tree) == [".gitignore", "a.txt", "f2.txt", "f3.txt"]


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
    assert saved_paths(git, snap().tree) == ["a.txt", "both", "f1.txt/y", "f2.txt", "f3.txt"]
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


def test_more_bytes_than_the_policy_allows_are_refused_and_nothing_is_written(
    ledgered: Workspace, git: Make, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tree, "ROOM_UNASKED", 10)
    (repo / "new").write_bytes(b"x" * 100)
    before = git("for-each-ref"), git("count-objects")
    with pytest.raises(DevsError, match="100 bytes") as caught:
        file_tree.take(ledgered.git, ledgered.places, git("rev-parse", "HEAD"), lambda: 99, say=print)
    assert caught.value.code == "GIT_RESET_FAILED"
    assert (git("for-each-ref"), git("count-objects")) == before


@pytest.mark.quick
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
    with pytest.raises(DevsError, match="cannot make branches named") as caught:
        snap()
    assert "git branch -m snapshot" in caught.value.hint


def test_a_snapshot_names_the_ledger_as_every_commit_of_ours_does(snap: Snap, git: Make, repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    tip = git("rev-parse", "refs/heads/devs/ledger")
    made = snap()
    assert git("log", "-1", "--format=%(trailers:key=Devs-Ledger,valueonly)", made.commit) == tip


@pytest.mark.quick
def test_the_event_names_the_moment_with_the_same_files(snap: Snap, ledgered: Workspace, repo: Path) -> None:
    (repo / "a.txt").write_text("edited\n")
    (repo / "new").write_text("new\n")
    result = snap()
    state, _ = read_moments.load(ledgered.objects, result.moment)
    assert state.worktree == result.tree
    event = next(iter(ledgered.ledger.events()))
    assert SnapshotCreated.of(event).moment == result.moment
