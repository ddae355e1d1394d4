"""post-rewrite starts no Python if no checkpoint is on a rewritten commit."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import task_complete, task_start
from devs_git.domain.text.hook_script import render
from devs_git.storage.hooks import installation
from devs_git.workspace import Workspace

Run = Callable[..., str]


@pytest.fixture
def started(ledgered: Workspace, repo: Path, tmp_path: Path) -> Path:
    """task-1 is completed below HEAD. The file is created when post-rewrite starts Python."""
    task_start.run(ledgered, task_start.Request("1", title="Begin"))
    task_complete.run(ledgered, task_complete.Request())
    told, program = tmp_path / "told", tmp_path / "python"
    program.write_text(f"#!/bin/sh\ncat >'{told}'\n")
    program.chmod(0o755)
    hook = repo / ".git/hooks/post-rewrite"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(render(installation.hook_sources()[hook.name], str(program), chained=False))
    hook.chmod(0o755)
    (repo / "a.txt").write_text("above\n")
    subprocess.run(["git", "commit", "-qam", "above"], cwd=repo, check=True)
    return told


@pytest.mark.quick(1)
@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_of_commits_without_checkpoints_starts_no_python(
    backend: str, started: Path, git: Run
) -> None:
    git("config", "user.name", "Grace")
    git("rebase", "-q", backend, "--force-rebase", "HEAD~1")
    assert not started.exists()
    git("rebase", "-q", backend, "--force-rebase", "HEAD~2")
    assert len(started.read_text().splitlines()) == 2


def test_more_commits_than_a_command_line_holds_are_left_to_python(
    started: Path, repo: Path, git: Run
) -> None:
    lines = "".join(f"{number:040x} {number + 1:040x}\n" for number in range(120_000))
    words = [str(repo / ".git/hooks/post-rewrite"), "rebase"]
    done = subprocess.run(words, input=lines, cwd=repo, text=True, capture_output=True, check=False)
    assert (done.returncode, len(started.read_text())) == (0, len(lines)), git("status")


def test_an_amend_of_a_commit_without_a_checkpoint_starts_python_for_an_active_task_only(
    started: Path, git: Run, ledgered: Workspace
) -> None:
    git("commit", "-q", "--amend", "-m", "mine")
    assert not started.exists()
    task_start.run(ledgered, task_start.Request("2", title="Go on"))
    git("commit", "-q", "--amend", "-m", "of task 2")
    assert len(started.read_text().splitlines()) == 1
