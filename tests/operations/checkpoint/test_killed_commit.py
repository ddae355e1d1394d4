"""A completion that is killed at any step: the next command restores the index or records the commit, and leaves no lock."""

from __future__ import annotations

import contextlib
import shutil
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import task_complete, task_start, task_status
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import killed_work, repository_copy
from tests.support.clones import Clone

pytestmark = pytest.mark.thorough


def complete(workspace: Workspace, *, everything: bool) -> None:
    with contextlib.suppress(DevsError):
        router.call("task complete", workspace, task_complete.Request(message="two", everything=everything))


@pytest.mark.parametrize("refused", [True, False])
@pytest.mark.parametrize("how", ["everything", "what is staged", "without an index"])
def test_a_completion_that_is_killed_at_any_step(
    initialised: Path, tmp_path: Path, how: str, refused: bool
) -> None:
    clone = Clone(initialised)
    clone.call("task start", task_start.Request("10"))
    (clone.top / "a.txt").write_text("changed\n")
    (clone.top / "new.txt").write_text("new\n")
    clone.git("add", "new.txt")
    if refused:
        (clone.top / ".git/hooks/pre-commit").write_text("#!/bin/sh\nexit 1\n")
    if how == "without an index":
        (clone.top / ".git/index").unlink()
    before, head = clone.git("status", "--porcelain"), clone.git("rev-parse", "HEAD")
    at, killed = 0, True
    while killed:
        copy = Clone(tmp_path / f"copy-{at}")
        repository_copy.folder(clone.top, copy.top)
        work = partial(complete, copy.opened, everything=how != "what is staged")
        killed = killed_work.run(work, at)
        router.call("task status", Workspace.open(copy.top), task_status.Request("10"))
        if copy.git("rev-parse", "HEAD") == head:
            assert copy.git("status", "--porcelain") == before, at
        else:
            assert len(copy.opened.ledger.tip().history.of_task("task-10")) == 1, at
        assert [*(copy.top / ".git").glob("*.lock")] == [], at
        assert [*(copy.top / ".git/devs/journal").glob("2*")] == [], at
        shutil.rmtree(copy.top)
        at += 1
    assert at > 100
