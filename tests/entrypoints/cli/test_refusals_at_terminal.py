"""Refusals, plans and questions fit the terminal. The command that a hint names can be copied. Nothing is asked for nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.workspace import Workspace
from tests.support.own_calls import devs_git
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick
KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIIalwj7rgwtUOooSKtgC6Q8ZBKcrHKiTzBhkaShAQGlI"
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


def test_a_plan_that_cannot_be_carried_out_says_the_reason_once_and_fits(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.task("10", {"a.txt": "a\n"})
    scene.task("11", {"b.txt": "b\n"})
    (initialised / "a.txt").write_text("not committed\n")
    status, shown = at_terminal(initialised, "rewind", "task-10", size=(24, 60), env={"NO_COLOR": "1"})
    assert status == 4
    assert shown.startswith("Rewind to task-10")
    assert " ".join(shown.split()).count("Tracked files have uncommitted changes") == 1
    assert max(map(len, shown.splitlines())) <= 60
    dry = at_terminal(initialised, "rewind", "task-10", "--dry-run", size=(24, 60))[1]
    assert "\n  BLOCKED         GIT_RESET_FAILED: Tracked files have" in dry
    assert max(map(len, dry.splitlines())) <= 60


def test_a_question_fits_and_ends_where_the_answer_is_typed(initialised: Path) -> None:
    asked = "The new format breaks old readers, and nobody knows who reads the old one today."
    words = ("gate", "request", "--type", "MANUAL", "--blocker", asked, "--json")
    gate = json.loads(devs_git(*words, where=initialised))["gate_id"]
    status, shown = at_terminal(initialised, "gate", "approve", gate, typed="n\n", size=(24, 60))
    assert status == 130
    assert asked in " ".join(shown.split())
    assert "\nApprove it? [y/N] You did not answer yes." in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_the_lines_of_a_change_in_a_question_stay_as_they_are(
    initialised: Path, git: Callable[..., str]
) -> None:
    policy = initialised / "devs-policy.yaml"
    name = f"approvers:\n  - principal: ada@example.org\n    key: ssh-ed25519 {KEY}"
    policy.write_text(policy.read_text().replace("approvers: []", name))
    git("commit", "-qam", "Name an approver")
    words = ("gate", "request", "--type", "POLICY_CHANGE", "--blocker", "Ada is to decide now.", "--json")
    gate = json.loads(devs_git(*words, where=initialised))["gate_id"]
    shown = at_terminal(initialised, "gate", "approve", gate, typed="n\n", size=(24, 40))[1]
    assert f"+    key: ssh-ed25519 {KEY}" in shown.splitlines()


@pytest.mark.parametrize(
    "words",
    [("prune",), ("snapshot", "prune", "--older-than", "30d"), ("trace", "prune", "--older-than", "30d")],
)
def test_where_nothing_would_be_deleted_nothing_is_asked(words: tuple[str, ...], initialised: Path) -> None:
    status, shown = at_terminal(initialised, *words)
    assert status == 0
    assert "[y/N]" not in shown


def test_in_a_file_each_sentence_is_one_line(initialised: Path) -> None:
    words = [sys.executable, "-m", "devs_git", *NO_TASK]
    done = subprocess.run(words, cwd=initialised, capture_output=True, text=True, check=False)
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["TASK_NOT_FOUND", "hint"]
