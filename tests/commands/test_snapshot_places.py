"""`snapshot create` where git is set up in other ways: sparse, split, nested, filtered, unmerged."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devs_git.commands.snapshot_create import Request, run
from devs_git.workspace import Workspace
from tests.support.snapshot_scene import Make, Snap, saved_paths, saved_text


@pytest.mark.quick
def test_with_an_fsmonitor_that_lies(snap: Snap, git: Make, repo: Path) -> None:
    hook = repo.parent / "monitor"
    hook.write_text("#!/bin/sh\nprintf 'token\\0'\n")  # says that nothing ever changes
    hook.chmod(0o755)
    git("config", "core.fsmonitor", str(hook))
    git("config", "core.fsmonitorHookVersion", "2")
    git("status")
    snap()
    (repo / "a.txt").write_text("edited\n")
    assert saved_text(git, snap(), "a.txt") == "edited"


def test_with_a_split_index(snap: Snap, git: Make, repo: Path) -> None:
    git("config", "core.splitIndex", "true")
    git("update-index", "--split-index")
    (repo / "a.txt").write_text("edited\n")
    assert saved_text(git, snap(), "a.txt") == "edited"
    git("add", "a.txt")
    (repo / "a.txt").write_text("edited again\n")
    assert saved_text(git, snap(), "a.txt") == "edited again"
    assert saved_paths(git, snap().tree) == ["a.txt", "f1.txt", "f2.txt", "f3.txt"]


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
    assert (saved_text(git, result, "in/x"), saved_text(git, result, "out/x"), result.files_changed) == (
        "edited",
        "out",
        1,
    )
    assert snap().tree == result.tree
    git("sparse-checkout", "disable")
    (repo / "out" / "x").write_text("edited too")
    assert saved_text(git, snap(), "out/x") == "edited too"


def test_skip_worktree_and_assume_unchanged_do_not_hide_an_edit(snap: Snap, git: Make, repo: Path) -> None:
    git("update-index", "--skip-worktree", "f1.txt")
    git("update-index", "--assume-unchanged", "f2.txt")
    snap()
    (repo / "f1.txt").write_text("x\n")
    (repo / "f2.txt").write_text("y\n")
    result = snap()
    assert (saved_text(git, result, "f1.txt"), saved_text(git, result, "f2.txt")) == ("x", "y")
    (repo / "f1.txt").unlink()
    assert saved_text(git, snap(), "f1.txt") == "1"


def test_nested_repositories_are_left_out_and_reported(snap: Snap, git: Make, repo: Path) -> None:
    for name in ("nested", "deep/empty"):
        git("init", "-q", str(repo / name))
    (repo / "nested" / "x").write_text("x")
    git("add", "-A", where=repo / "nested")
    git("commit", "-qm", "x", where=repo / "nested")
    (repo / "deep" / "y").write_text("y")
    result = snap()
    assert result.left_out == ("deep/empty", "nested")
    assert saved_paths(git, result.tree) == ["a.txt", "deep/y", "f1.txt", "f2.txt", "f3.txt"]


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
    assert saved_text(git, result, "x.up") == "QUIET"
    assert subprocess.run(
        ["git", "show", f"{result.commit}:y.dos"], capture_output=True, check=True
    ).stdout == (b"one\ntwo\n")


def test_unmerged_files_are_saved_as_they_stand(snap: Snap, git: Make, repo: Path) -> None:
    git("checkout", "-qb", "other", "HEAD~1")
    (repo / "a.txt").write_text("other\n")
    git("commit", "-qam", "other")
    subprocess.run(["git", "merge", "-q", "main"], cwd=repo, capture_output=True, check=False)
    assert saved_text(git, snap(), "a.txt") == (repo / "a.txt").read_text().strip()


def test_a_repository_without_a_commit(snap: Snap, git: Make) -> None:
    git("checkout", "-q", "--orphan", "fresh")
    result = snap()
    assert (result.parent, git("rev-list", "--count", result.commit), result.files_changed) == ("", "1", 4)


def test_a_linked_worktree_has_its_own_snapshots(snap: Snap, git: Make, repo: Path) -> None:
    git("worktree", "add", "-q", str(repo.parent / "linked"))
    (repo.parent / "linked" / "only here").write_text("x")
    result = run(Workspace.open(repo.parent / "linked"), Request("there"))
    assert "only here" in saved_paths(git, result.tree)
    assert "only here" not in saved_paths(git, snap().tree)
