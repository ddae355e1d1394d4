"""The first `sync` with a remote asks at a terminal before it pushes. In a pipe, and of an agent, it asks nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.workspace import Workspace
from tests.support.clones import LEDGER, refs_of
from tests.support.git_calls import git
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal


@pytest.fixture
def top(initialised: Path, tmp_path: Path) -> Path:
    """A repository with a ledger and a task, and an empty remote that it never synced with."""
    git("init", "-q", "--bare", "empty.git", where=tmp_path)
    git("remote", "add", "origin", str(tmp_path / "empty.git"), where=initialised)
    Scene(Workspace.open(initialised)).task("10", {"a.txt": "a\n"})
    return initialised


@pytest.mark.quick
def test_the_first_sync_says_what_it_would_push_and_where_and_asks(top: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.git"
    status, shown = at_terminal(top, "sync", typed="n\n")
    assert status == 130
    assert f"origin ({empty}): would fetch 0 refs and push 3 refs" in shown
    assert f"  push            {LEDGER}" in shown
    assert "Continue? [y/N]" in shown
    assert "Nothing was done." in shown
    assert refs_of(empty) == {}
    status, shown = at_terminal(top, "sync", typed="y\n")
    assert (status, sorted(refs_of(empty))) == (0, sorted(refs_of(top)))
    Scene(Workspace.open(top)).task("11", {"b.txt": "b\n"})
    status, shown = at_terminal(top, "sync")
    assert status == 0
    assert "Continue?" not in shown


def test_the_question_counts_the_commits_that_the_remote_does_not_have(top: Path, tmp_path: Path) -> None:
    count = int(git("rev-list", "--count", "HEAD", where=top))
    shown = at_terminal(top, "sync", typed="n\n")[1]
    assert f"{count} commits go along with the checkpoints: origin does not have this work yet" in shown
    git("push", "-q", "origin", "HEAD~1:refs/heads/main", where=top)
    assert "1 commit goes along with the checkpoints" in at_terminal(top, "sync", "--dry-run")[1]
    git("push", "-q", "origin", "HEAD:refs/heads/main", where=top)
    assert "along with the checkpoints" not in at_terminal(top, "sync", "--dry-run")[1]
    assert LEDGER not in refs_of(tmp_path / "empty.git")


def test_a_commit_that_only_the_remote_has_is_no_obstacle(top: Path, tmp_path: Path) -> None:
    git("clone", "-q", str(top), "third", where=tmp_path)
    git("-C", "third", "commit", "-q", "--allow-empty", "-m", "theirs", where=tmp_path)
    git("-C", "third", "push", "-q", str(tmp_path / "empty.git"), "HEAD:refs/heads/main", where=tmp_path)
    assert at_terminal(top, "sync", "--dry-run")[0] == 0


@pytest.mark.parametrize("words", [("sync", "--yes"), ("sync", "--dry-run")])
def test_with_yes_and_in_a_dry_run_nobody_is_asked(words: tuple[str, ...], top: Path, tmp_path: Path) -> None:
    status, shown = at_terminal(top, *words)
    assert status == 0
    assert "Continue?" not in shown
    assert bool(refs_of(tmp_path / "empty.git")) == ("--yes" in words)


def test_in_a_pipe_and_of_an_agent_nobody_is_asked(top: Path, tmp_path: Path) -> None:
    status, shown = at_terminal(top, "sync", env={"CLAUDECODE": "1"})
    assert (status, "Continue?" in shown) == (0, False)
    git("init", "-q", "--bare", "second.git", where=tmp_path)
    git("remote", "add", "second", str(tmp_path / "second.git"), where=top)
    subprocess.run(
        [sys.executable, "-m", "devs_git", "sync", "second"], cwd=top, check=True, capture_output=True
    )
    assert LEDGER in refs_of(tmp_path / "second.git")


def test_a_new_url_is_asked_about_again(top: Path, tmp_path: Path) -> None:
    assert at_terminal(top, "sync", "--yes")[0] == 0
    git("clone", "-q", "--mirror", str(tmp_path / "empty.git"), "copy.git", where=tmp_path)
    git("remote", "set-url", "origin", str(tmp_path / "copy.git"), where=top)
    Scene(Workspace.open(top)).task("11", {"b.txt": "b\n"})
    status, shown = at_terminal(top, "sync", typed="y\n")
    assert status == 0
    assert "the URL of origin changed since the last sync; it was" in shown
    assert "Continue?" in shown
