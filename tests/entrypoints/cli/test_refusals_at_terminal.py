"""A refusal fits the terminal, and the command that its hint names can be copied."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick
NO_TASK = ("task", "complete", "77", "-m", "This task was never begun")


def test_it_is_folded_at_words_to_the_width(initialised: Path) -> None:
    wide = at_terminal(initialised, *NO_TASK, size=(24, 400), env={"NO_COLOR": "1"})[1]
    shown = at_terminal(initialised, *NO_TASK, size=(24, 40), env={"NO_COLOR": "1"})[1]
    assert max(map(len, wide.splitlines())) > 40 >= max(map(len, shown.splitlines()))
    assert shown.split() == wide.split()


def test_the_command_at_its_end_stays_whole(initialised: Path) -> None:
    words = ("show", "task-77@123456")
    wide = at_terminal(initialised, *words, size=(24, 400))[1]
    command = wide.splitlines()[-1].rpartition(": ")[2]
    assert command.startswith("devs-git ")
    assert f"  {command}" in at_terminal(initialised, *words, size=(24, 20))[1].splitlines()


def test_in_a_file_each_sentence_is_one_line(initialised: Path) -> None:
    words = [sys.executable, "-m", "devs_git", *NO_TASK]
    done = subprocess.run(words, cwd=initialised, capture_output=True, text=True, check=False)
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["TASK_NOT_FOUND", "hint"]
