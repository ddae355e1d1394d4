"""What two gits say of a worktree at once is what one `git status` says of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git.worktree_status import TreeState, read_alongside
from devs_git.workspace import Workspace

Run = Callable[..., str]


def found() -> TreeState:
    with read_alongside(Workspace.open().git) as state:
        return state()


@pytest.mark.quick
def test_untracked_files_are_those_that_git_status_names(repo: Path, git: Run) -> None:
    (repo / ".gitignore").write_text("*.log\n!kept.log\nhidden/\n")
    for name in (
        "new.txt",
        "x.log",
        "kept.log",
        "hidden/a",
        "deep/er/b",
        "mixed/x.log",
        "mixed/c",
        "logs/x.log",
        "ä\n",
    ):
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    (repo / "empty/folder").mkdir(parents=True)
    git("init", "-q", "nested")
    git("add", "new.txt")
    git("config", "status.showUntrackedFiles", "no")
    out = subprocess.check_output(
        ["git", "status", "--porcelain", "-z", "--untracked-files=normal"], text=True
    )
    assert found().untracked == [line[3:] for line in out.split("\0") if line.startswith("?? ")]
    assert [change.path for change in found().staged] == ["new.txt"]


def test_what_is_staged_meanwhile_is_told_once(repo: Path, git: Run) -> None:
    (repo / "new.txt").write_text("x\n")
    with read_alongside(Workspace.open().git) as state:
        git("add", "new.txt")
        told = state()
    assert [change.path for change in told.staged] == ["new.txt"]
    assert told.untracked == []


def test_a_repository_without_an_index_is_asked_too(tmp_path: Path, git: Run) -> None:
    git("init", "-q", "-b", "first", str(tmp_path / "fresh"))
    (tmp_path / "fresh/a").write_text("x\n")
    with read_alongside(Workspace.open(tmp_path / "fresh").git) as state:
        told = state()
    assert (told.branch, told.head, told.untracked) == ("first", "", ["a"])
