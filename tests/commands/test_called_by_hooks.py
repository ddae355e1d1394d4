"""A person's own git hook calls us while we commit: what reads is answered, what writes is BUSY at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devs_git.commands import task_start
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.hook_stage import script

DEVS = f"{sys.executable} -m devs_git"


@pytest.fixture
def at_work(initialised: Path) -> Path:
    router.call("task start", Workspace.open(), task_start.Request("1"))
    (initialised / "new.txt").write_text("new\n")
    subprocess.run(["git", "add", "-A"], check=True)
    return initialised


def with_hook(top: Path, body: str) -> subprocess.CompletedProcess[str]:
    """A checkpoint, with a pre-commit hook of its user's that does `body` first."""
    script(top / ".git/hooks/pre-commit.before-devs", f"#!/bin/sh\n{body}\n")
    words = [sys.executable, "-m", "devs_git", "checkpoint", "-m", "work", "--json"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "verb", ["status", "log", "show task-1@1", "gate list", "task status", "doctor", "diff --against HEAD"]
)
def test_what_reads_is_answered_in_a_hook_of_our_own_commit(verb: str, at_work: Path, tmp_path: Path) -> None:
    if "@1" in verb:
        subprocess.run(["git", "commit", "-qm", "first"], check=True)
        (at_work / "new.txt").write_text("newer\n")
        subprocess.run(["git", "add", "-A"], check=True)
    done = with_hook(at_work, f"{DEVS} {verb} --json >'{tmp_path}/said' || exit 1")
    assert done.returncode == 0, done.stdout
    said = json.loads((tmp_path / "said").read_text())
    assert "error" not in said
    assert said.get("journals", []) == []  # the operation under way is none that was left
    assert "JOURNAL_OPEN" not in str(said)


def test_what_writes_is_busy_at_once_and_is_told_why(at_work: Path, tmp_path: Path) -> None:
    begun = time.monotonic()
    done = with_hook(at_work, f"{DEVS} checkpoint >'{tmp_path}/said' 2>&1; echo $? >>'{tmp_path}/said'")
    assert done.returncode == 0, done.stdout
    *said, status = (tmp_path / "said").read_text().splitlines()
    assert status == "4"
    assert said[0].startswith("BUSY: 'checkpoint' was called by a git hook of another devs-git command")
    assert time.monotonic() - begun < 2  # it does not wait for itself


def test_a_shell_that_outlives_an_operation_works_as_any_other(at_work: Path) -> None:
    env = os.environ | {"DEVS_GIT_OP": "20010203T040506-1a2b3c4d"}
    words = [sys.executable, "-m", "devs_git", "checkpoint"]
    assert subprocess.run(words, env=env, capture_output=True, check=False, cwd=at_work).returncode == 0
