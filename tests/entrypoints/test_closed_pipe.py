"""An answer that cannot be printed: the command has run, and the exit status reports the failure."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.workspace import Workspace

pytestmark = pytest.mark.thorough

SAYS = "The answer could not be printed: No space left on device. The command itself has run.\n"


def full(*words: str, stderr: int | None = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    with Path("/dev/full").open("w") as device:
        line = [sys.executable, "-m", "devs_git", *words]
        return subprocess.run(line, stdout=device, stderr=stderr or device, text=True, check=False)


@pytest.mark.usefixtures("ledgered")
@pytest.mark.parametrize("words", [("--help",), ("log", "--json"), ("show", "nope", "--json")])
def test_a_full_disk_behind_a_redirection_is_told_in_one_line(words: tuple[str, ...]) -> None:
    said = full(*words)
    assert (said.returncode, said.stderr) == (4, SAYS)
    assert full(*words, stderr=None).returncode == 4


def test_what_was_done_stands(ledgered: Workspace, mark: Callable[..., str]) -> None:
    mark(1)
    said = full("branch", "task-1@1", "-b", "try")
    assert (said.returncode, said.stderr) == (4, SAYS)
    assert ledgered.git.text("rev-parse", "--verify", "try")


def test_a_disk_that_fails_while_a_verb_works_is_not_told_as_a_failure_of_printing(
    ledgered: Workspace,
) -> None:
    ledgered.places.active_task.mkdir(parents=True)
    said = subprocess.run(
        [sys.executable, "-m", "devs_git", "status"], capture_output=True, text=True, check=False
    )
    assert "could not be printed" not in said.stderr
    assert said.returncode != 0
