"""What `init --uninstall` leaves is told, and the commands that it prints delete all of it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devs_git.operations.setup import take_out
from tests.support.agent_calls import before, call
from tests.support.own_calls import devs_git

Run = Callable[..., str]
PAGE = Path(__file__).parents[2] / "docs/repository.md"
# The words of a person's own commits name devs-git, and these files hold what git's own commands left of them.
OF_GIT = (
    "objects",
    "logs/HEAD",
    "logs/refs/heads/main",
    "logs/refs/heads/snapshot",
    "FETCH_HEAD",
    "COMMIT_EDITMSG",
    "index",
    "worktrees/linked/index",
)


@pytest.fixture
def used(initialised: Path, git: Run) -> Path:
    """A repository in which all kinds of things were left: also of an agent, in a linked worktree and of a remote."""
    devs_git("init", "--strict")
    devs_git("agent", "install", "claude")
    git("add", "-A")
    git("commit", "-qm", "an agent")
    for task in ("10", "11"):
        devs_git("task", "start", task, "--title", "work")
        (initialised / f"{task}.txt").write_text(task)
        devs_git("task", "complete", "--all", "-m", "done")
    call(initialised, before("Write"))
    devs_git("snapshot", "create")
    devs_git("rewind", "task-10", "--yes")
    git("worktree", "add", "-q", "-b", "other", str(initialised.parent / "linked"))
    devs_git("task", "start", "12", "--title", "there", where=initialised.parent / "linked")
    git("init", "-q", "--bare", str(initialised.parent / "remote.git"))
    git("remote", "add", "origin", str(initialised.parent / "remote.git"))
    devs_git("sync", "origin")
    git("fetch", "-q", "origin")
    git("branch", "devs/mine")
    git("tag", "devs/mine")
    return initialised


def _left(top: Path) -> Iterator[str]:
    """Files below `.git` that have our name, or name us."""
    folder = top / ".git"
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(OF_GIT) or not path.is_file():
            continue
        # The folder of the tests may have our name.
        data = path.read_bytes().replace(os.fsencode(top.parent), b"")
        if re.search(r"devs(?!/mine)", name) or re.search(rb"devs(?!/mine)|[Dd]evs-git", data):
            yield name


@pytest.mark.quick
def test_the_printed_commands_delete_all_that_devs_git_left_and_nothing_else(used: Path, git: Run) -> None:
    head = git("rev-parse", "HEAD")
    assert "next: Commit the change" in devs_git("agent", "install", "claude", "--uninstall")
    git("commit", "-qam", "no agent")
    shown = devs_git("init", "--uninstall")
    assert git("for-each-ref", "refs/heads/devs/ledger", "refs/devs", "refs/heads/devs/preserved") != ""
    assert git("rev-parse", "HEAD~1") == head
    told = [line.strip() for line in shown.splitlines() if line.startswith("  ")]
    assert told == [take_out.DELETE_REFS, take_out.DELETE_FOLDERS, take_out.DELETE_POLICY]
    assert "git gc --prune=now. A remote keeps" in shown.splitlines()[-1]
    for command in told:
        subprocess.run(["sh", "-ec", command], cwd=used, check=True)
    assert [
        name
        for name in git("for-each-ref", "--format=%(refname)").split()
        if not name.startswith("refs/heads/snapshot/")
    ] == [
        "refs/heads/devs/mine",
        "refs/heads/main",
        "refs/heads/other",
        "refs/tags/devs/mine",
    ]
    assert list(_left(used)) == []
    assert not (used / ".devs").exists()
    assert git("status", "--porcelain") == ""
    assert git("ls-files").split() == ["10.txt", "a.txt", "f1.txt", "f2.txt", "f3.txt"]
    git("fsck", "--connectivity-only")


def test_a_repository_can_be_set_up_again_after_that(initialised: Path) -> None:
    devs_git("init", "--uninstall")
    for command in (take_out.DELETE_REFS, take_out.DELETE_FOLDERS, take_out.DELETE_POLICY):
        subprocess.run(["sh", "-ec", command], cwd=initialised, check=True)
    assert "created  ledger" in devs_git("init")
    devs_git("task", "start", "10", "--title", "again")


def test_the_page_has_the_same_commands() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for command in (take_out.DELETE_REFS, take_out.DELETE_FOLDERS, take_out.DELETE_POLICY):
        assert command in text
