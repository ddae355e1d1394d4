"""`status` says what stands between here and a quiet tree, and touches nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import task_start
from devs_git.commands.status import Counts, Request, run
from devs_git.entrypoints.cli.texts import log_text
from devs_git.storage.git.worktree_status import Changed
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace

Make = Callable[..., str]


@pytest.mark.quick
def test_a_clean_tree_on_a_branch(ledgered: Workspace, git: Make) -> None:
    found = run(ledgered, Request())
    assert (found.branch, found.head, found.clean, found.detached) == (
        "main",
        git("rev-parse", "HEAD"),
        True,
        False,
    )
    assert (found.initialized, found.active_task, found.open_gates, found.journals, found.unrecorded) == (
        True,
        "",
        (),
        (),
        (),
    )


def test_staged_unstaged_and_untracked_are_told_apart(ledgered: Workspace, git: Make, repo: Path) -> None:
    (repo / "a.txt").write_text("staged\n")
    (repo / "gone.txt").write_text("x" * 99)
    git("add", "a.txt", "gone.txt")
    git("mv", "f1.txt", "odd\nname")
    (repo / "a.txt").write_text("staged, then edited\n")
    (repo / "f2.txt").unlink()
    (repo / "folder").mkdir()
    (repo / "folder" / "x").write_text("1")
    found = run(ledgered, Request())
    assert found.staged == (
        Changed("a.txt", "modified"),
        Changed("gone.txt", "added"),
        Changed("odd\nname", "renamed", "f1.txt"),
    )
    assert found.unstaged == (Changed("a.txt", "modified"), Changed("f2.txt", "deleted"))
    assert (found.untracked, found.counts, found.clean) == (("folder/",), Counts(3, 2, 1, 0), False)


def test_unmerged_entries_are_listed(ledgered: Workspace, git: Make, repo: Path) -> None:
    git("checkout", "-qb", "other", "HEAD~1")
    (repo / "a.txt").write_text("other\n")
    git("commit", "-qam", "other")
    subprocess.run(["git", "merge", "-q", "main"], cwd=repo, capture_output=True, check=False)
    assert run(ledgered, Request()).unmerged == ("a.txt",)


def test_a_detached_head_and_a_repository_without_a_commit(
    ledgered: Workspace, git: Make, tmp_path: Path
) -> None:
    git("checkout", "-q", "--detach")
    assert run(ledgered, Request()).detached
    git("init", "-q", str(tmp_path / "empty"))
    found = run(Workspace.open(tmp_path / "empty"), Request())
    assert (found.branch, found.head, found.initialized) == ("main", "", False)
    assert "Open gates: none" not in log_text.status_text(found)  # nobody knows


def test_active_task_journals_and_unrecorded_commits_are_shown(ledgered: Workspace, repo: Path) -> None:
    active_task.write(ledgered.places, "Devs-Task: task-10\nDevs-Agent: developer\n")
    (ledgered.places.own / "unrecorded").write_text("a" * 40 + "\n")
    found = run(ledgered, Request())
    assert (found.active_task, found.unrecorded) == ("task-10", ("a" * 40,))
    text = subprocess.run(
        [sys.executable, "-m", "devs_git", "status"], cwd=repo, capture_output=True, check=True, text=True
    ).stdout
    assert "Active task: task-10" in text
    assert "1 commit not recorded yet" in text


def test_a_damaged_note_of_the_active_task_stops_nothing(ledgered: Workspace) -> None:
    ledgered.places.active_task.parent.mkdir(parents=True, exist_ok=True)
    ledgered.places.active_task.write_bytes(b"garbage\xff\0\n")
    assert run(ledgered, Request()).active_task == ""
    assert task_start.run(ledgered, task_start.Request("10")).task_id == "task-10"
