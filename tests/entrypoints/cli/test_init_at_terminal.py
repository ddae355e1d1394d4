"""`init` at a terminal offers to commit the policy, and ends with the next commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.own_calls import devs_git
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick


def test_it_commits_the_policy_alone_and_what_was_staged_stays_staged(
    repo: Path, git: Callable[..., str]
) -> None:
    (repo / "mine.txt").write_text("mine\n")
    git("add", "mine.txt")
    status, shown = at_terminal(repo, "init", typed="y\n")
    assert status == 0
    assert git("show", "--format=%s", "--name-only").splitlines() == [
        "Set up devs-git",
        "",
        "devs-policy.yaml",
    ]
    assert git("diff", "--cached", "--name-only") == "mine.txt"
    after = shown.partition("The next commands:")[2]
    assert [line.split()[1] for line in after.splitlines() if line.startswith("  devs-git")] == [
        "task",
        "task",
        "rewind",
    ]


def test_without_a_yes_nothing_is_committed(repo: Path, git: Callable[..., str]) -> None:
    before = git("rev-parse", "HEAD")
    for words, typed in ((("init",), "\n"), (("init", "--yes"), "")):
        status, shown = at_terminal(repo, *words, typed=typed)
        assert (status, git("rev-parse", "HEAD")) == (0, before)
        assert "The next commands:" in shown


def test_only_after_a_no_it_is_told_how_to_commit(repo: Path) -> None:
    advice = "next: Commit the policy"
    shown = at_terminal(repo, "init", typed="n\n")[1]
    assert shown.count(advice) == 1
    assert shown.index("[y/N]") < shown.index(advice) < shown.index("The next commands:")
    assert advice in at_terminal(repo, "init", "--yes")[1]
    assert advice not in at_terminal(repo, "init", typed="y\n")[1]


def test_a_command_at_the_end_of_a_line_that_is_too_long_stays_whole(repo: Path) -> None:
    shown = at_terminal(repo, "init", typed="n\n", size=(24, 60))[1]
    assert (
        "next: Commit the policy, so that clones find the ledger:\n  git add devs-policy.yaml && git commit\n"
        in shown
    )


def test_the_id_that_it_proposes_is_free(initialised: Path) -> None:
    assert "devs-git task start 10 --title" in at_terminal(initialised, "init")[1]
    for number in range(10, 20):
        devs_git("task", "start", str(number), "--title", "x", where=initialised)
        devs_git("task", "abandon", "--yes", where=initialised)
        after = 100 if number == 19 else number + 1
        if number in (10, 19):
            shown = at_terminal(initialised, "init")[1]
            assert f"devs-git task start {after} --title" in shown
            assert f"devs-git rewind task-{after} " in shown


def test_a_hook_that_refuses_the_commit_is_told_and_the_index_is_as_before(
    repo: Path, git: Callable[..., str]
) -> None:
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no commits today' >&2\nexit 1\n")
    hook.chmod(0o755)
    status, shown = at_terminal(repo, "init", typed="y\n")
    assert status == 0
    assert "It was not committed" in shown
    assert git("ls-files", "devs-policy.yaml") == ""


def test_in_a_pipe_it_asks_nothing(repo: Path, git: Callable[..., str]) -> None:
    before = git("rev-parse", "HEAD")
    words = [sys.executable, "-m", "devs_git", "init"]
    done = subprocess.run(
        words, cwd=repo, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].startswith("next: Commit the policy")
    assert git("rev-parse", "HEAD") == before


def test_an_uninstallation_names_what_removes_the_lines_of_clients(initialised: Path) -> None:
    devs_git("agent", "install", "claude", where=initialised)
    shown = devs_git("init", "--uninstall", where=initialised)
    assert "The files of claude in this project stay, too: devs-git agent install claude --uninstall" in shown
