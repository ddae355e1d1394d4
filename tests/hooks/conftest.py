"""Fixtures for the tests of hooks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from devs_git.domain.text.hook_script import render
from devs_git.storage.hooks import installation
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.agent_calls import install_hooks
from tests.support.trailers import WORK, Commit, Run


@pytest.fixture
def tip(ledgered: Workspace, repo: Path, git: Run) -> str:
    """The ledger's tip in a repository with our hooks and an active task. No checkpoints are recorded."""
    active_task.write(ledgered.places, WORK.lines())
    for name, source in installation.hook_sources().items():
        hook = repo / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(render(source, "/bin/true", chained=False))
        hook.chmod(0o755)
    return git("rev-parse", "refs/heads/devs/ledger")


@pytest.fixture
def commit(repo: Path) -> Commit:
    """`commit("--amend", editor="sed -i s/a/b/")`: commit one more change and return the exit status."""

    def run(*args: str, editor: str = "false", change: bool = True) -> int:
        if change:
            with (repo / "a.txt").open("a") as stream:
                stream.write("more\n")
        words = ["git", "commit", "-q", "-a", *args]
        env = os.environ | {"GIT_EDITOR": editor}
        return subprocess.run(words, cwd=repo, env=env, capture_output=True, check=False).returncode

    return run


@pytest.fixture
def project(initialised: Path) -> Path:
    """A repository with the agent hook installed for all clients."""
    return install_hooks(initialised)
