"""A ledger that a newer devs-git wrote: each entry point refuses with the code, and with what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints.tools import calling
from devs_git.errors import EXIT_CONFLICT, DevsError

Run = Callable[..., str]
START = ("task", "start", "1", "--title", "x")


@pytest.fixture
def newer(initialised: Path, git: Run) -> Path:
    """A repository whose ledger ends in an event of a format that does not exist yet."""
    message = "task: something new\n\nDevs-Event: task.merged\nDevs-Format: 3\n"
    event = git("commit-tree", "-p", LEDGER, "-m", message, f"{LEDGER}^{{tree}}")
    git("update-ref", LEDGER, event)
    return initialised


def devs(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "devs_git", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_ledger_of_a_newer_devs_git_is_refused_with_its_code_and_the_way_out(newer: Path) -> None:
    done = devs(*START)
    assert (done.returncode, done.stdout) == (EXIT_CONFLICT, "")
    first, second = done.stderr.splitlines()
    assert first.startswith("FORMAT_TOO_NEW: ")
    assert "Install a newer devs-git" in second
    as_json = devs(*START, "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)["code"]) == (EXIT_CONFLICT, "FORMAT_TOO_NEW")
    answer = calling.call("start_task", {"task_id": "1", "title": "x"}, newer)
    assert (answer.is_error, answer.value["code"]) == (True, "FORMAT_TOO_NEW")


@pytest.mark.quick
def test_a_code_that_no_table_has_is_a_bug_where_it_is_made_and_not_at_the_door() -> None:
    with pytest.raises(ValueError, match="NO_SUCH_CODE"):
        DevsError("NO_SUCH_CODE", "x")
    with pytest.raises(ValueError, match="NO_SUCH_CODE"):
        Finding("NO_SUCH_CODE", "error", "x")
