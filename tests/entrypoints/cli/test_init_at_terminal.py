"""`init` at a terminal asks nothing, and ends with the next commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.own_calls import devs_git
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick


def test_it_asks_nothing_so_the_next_line_of_a_pasted_block_is_no_answer(
    repo: Path, git: Callable[..., str]
) -> None:
    before = git("rev-parse", "HEAD")
    status, shown = at_terminal(repo, "init", typed="y\n")
    assert (status, git("rev-parse", "HEAD")) == (0, before)
    assert "[y/N]" not in shown
    assert shown.count("next: Commit the policy") == 1
    after = shown.partition("The next commands:")[2]
    assert [line.split()[1] for line in after.splitlines() if line.startswith("  devs-git")] == [
        "task",
        "task",
        "rewind",
    ]


def test_the_command_that_it_names_commits_the_policy(repo: Path, git: Callable[..., str]) -> None:
    shown = at_terminal(repo, "init", size=(24, 200))[1]
    command = shown.partition("clones find the ledger: ")[2].splitlines()[0]
    subprocess.run(["sh", "-c", command], cwd=repo, check=True, capture_output=True)
    assert git("show", "--format=", "--name-only") == "devs-policy.yaml"
    assert "next: Commit" not in at_terminal(repo, "init")[1]


def test_a_command_at_the_end_of_a_line_that_is_too_long_stays_whole(repo: Path) -> None:
    shown = at_terminal(repo, "init", size=(24, 60))[1]
    assert (
        "next: Commit the policy, so that clones find the ledger:\n"
        '  git add devs-policy.yaml && git commit -m "Set up devs-git"\n' in shown
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
