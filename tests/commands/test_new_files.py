"""`task complete --all` and `checkpoint --all` name the new files that they commit, because nobody named these before."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_start
from devs_git.workspace import Workspace

Run = Callable[..., str]


@pytest.mark.quick
def test_all_names_the_new_files_that_nobody_named_and_a_completion_says_the_next_step(
    ledgered: Workspace, git: Run, repo: Path
) -> None:
    task_start.run(ledgered, task_start.Request("10"))
    for at in range(12):
        (repo / f"n{at:02}.txt").write_text("new\n")
    (repo / "a.txt").write_text("changed\n")
    (repo / "f1.txt").unlink()
    half = checkpoint.run(Workspace.open(repo), checkpoint.Request("half", everything=True))
    assert (half.new_files.count, half.new_files.paths[0], half.new_files.paths[-1]) == (
        12,
        "n00.txt",
        "n11.txt",
    )
    (repo / "staged.txt").write_text("new\n")
    git("add", "staged.txt")
    assert checkpoint.run(Workspace.open(repo), checkpoint.Request("named")).new_files.count == 0
    (repo / "last one.txt").write_text("new\n")
    call = [sys.executable, "-m", "devs_git", "task", "complete", "--all", "-m", "done"]
    shown = subprocess.run(call, cwd=repo, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[1:] == [
        "New files (1): last one.txt",
        "To see what it changed: devs-git diff task-10",
    ]
    (repo / "again.txt").write_text("new\n")
    call[5:5] = ["10"]
    shown = subprocess.run(call, cwd=repo, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[1:3] == [
        "It was completed before, as task-10@3.",
        "New files (1): again.txt",
    ]
