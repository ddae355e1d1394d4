"""`status` says what is in progress, what is recorded, which hooks git does not call, and where undo would go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import restore, status
from devs_git.entrypoints.cli.texts import log_text
from devs_git.workspace import Workspace

Make = Callable[..., str]


def look(top: Path) -> status.Result:
    return status.run(Workspace.open(top), status.Request())


@pytest.mark.quick
@pytest.mark.usefixtures("ledgered")
def test_a_merge_in_progress_is_told_with_the_commands_that_end_it(git: Make, repo: Path) -> None:
    assert (look(repo).under_way, look(repo).undo) == ("", None)
    (repo / ".git/MERGE_HEAD").write_text(git("rev-parse", "HEAD") + "\n")
    found = look(repo)
    assert (found.under_way, found.under_way_end) == ("a merge", "git merge --continue or --abort")
    assert "A merge is in progress. To end it: git merge --continue or --abort" in log_text.status_text(found)


def test_a_hook_that_git_does_not_call_is_told_with_the_command_that_repairs_it(initialised: Path) -> None:
    assert look(initialised).hooks == ()
    (initialised / ".git/hooks/pre-commit").unlink()
    (gap,) = look(initialised).hooks
    assert "pre-commit" in gap.message
    assert gap.fix == "devs-git init"


@pytest.mark.usefixtures("ledgered")
def test_it_tells_what_undo_would_take_back(mark: Make, git: Make, repo: Path) -> None:
    mark(10)
    (repo / "f1.txt").write_text("changed\n")
    git("commit", "-qam", "later")
    head = git("rev-parse", "HEAD")
    restore.run(Workspace.open(repo), restore.Request("task-10@1"))
    goal = look(repo).undo
    assert goal is not None
    assert goal.commit == head
    assert "Undo would take back: " in log_text.status_text(look(repo))
