"""The line that names a list's next page has all options of this page, so that it can be run as it is."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.entrypoints.cli.texts import next_page
from tests.support import gate_scene
from tests.support.own_calls import devs_git

pytestmark = pytest.mark.quick

Mark = Callable[..., str]


def follow(top: Path, *words: str) -> list[str]:
    """Run a list and then each command that it names, until there are no more; the outputs without that line."""
    pages = []
    while words:
        shown = devs_git(*words, where=top).splitlines()
        more = next((line for line in shown if line.startswith("There are more: ")), "")
        pages.append("\n".join(line for line in shown if line != more))
        words = tuple(shlex.split(more.partition(": ")[2])[1:])
    return pages


def test_log_of_one_task_goes_on_with_that_task(repo: Path, mark: Mark) -> None:
    for number in (1, 2, 3):
        mark(10, number)
        mark(11, number)
    pages = follow(repo, "log", "--task", "10", "-n", "1")
    assert len(pages) == 3
    assert all("task-10@" in page and "task-11" not in page for page in pages)


def test_history_keeps_filters_that_have_spaces_and_those_that_come_twice(repo: Path, mark: Mark) -> None:
    mark(10)
    mark(11)
    words = ("--type", "checkpoint", "--type", "repository", "--from", "900 days ago", "--limit", "1")
    pages = follow(repo, "history", *words)
    rows = json.loads(devs_git("history", "--json", *words[:-1], "200", where=repo))["events"]
    assert len(pages) == len(rows) > 2
    assert all(("checkpoint" in page) or ("repository" in page) for page in pages)


def test_gates_of_all_statuses_go_on_with_all(initialised: Path) -> None:
    from devs_git.workspace import Workspace

    for text in ("one", "two"):
        gate_id = gate_scene.ask(
            Workspace.open(initialised), kind="MANUAL", agent_id="architect", task_id=text
        )
        gate_scene.approve(Workspace.open(initialised), gate_id)
    pages = follow(initialised, "gate", "list", "--status", "ALL", "--limit", "1")
    assert len(pages) == 2


def test_without_a_command_line_it_has_the_usual_options() -> None:
    assert (
        next_page.line("log", "abc", ["--moments"]) == "\nThere are more: devs-git log --moments --cursor abc"
    )


def test_a_colour_that_was_chosen_is_no_option_of_the_next_page(repo: Path, mark: Mark) -> None:
    mark(10, 1)
    mark(10, 2)
    shown = devs_git("log", "-n", "1", "--color", "never", where=repo)
    assert "There are more: devs-git log --limit 1 --cursor" in shown
