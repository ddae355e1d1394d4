"""Who has a role: an agent, and whoever was given one. A person has none that nobody chose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import fork, task_complete, task_start
from devs_git.entrypoints import router
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.workspace import Workspace

Run = Callable[..., str]
pytestmark = pytest.mark.usefixtures("ledgered")


def finished(workspace: Workspace, git: Run, **more: str) -> str:
    """The trailers of the commit, of the tag and of the events of a task that was started and completed."""
    task_start.run(workspace, task_start.Request("10", **more))
    (workspace.top / "new.txt").write_text("new\n")
    task_complete.run(workspace, task_complete.Request("10", "done", everything=True))
    events = git("log", "-2", "--format=%(trailers)", "refs/heads/devs/ledger")
    return "\n".join((git("log", "-1", "--format=%B"), git("cat-file", "tag", "devs/task-10"), events))


@pytest.mark.quick
def test_a_task_of_a_person_has_no_role_and_no_phase(workspace: Workspace, git: Run) -> None:
    shown = finished(workspace, git)
    assert "Devs-Task: task-10" in shown
    assert "Devs-Agent" not in shown
    assert "Devs-Phase" not in shown


def test_a_role_that_was_given_is_in_commit_tag_and_events(workspace: Workspace, git: Run) -> None:
    assert finished(workspace, git, agent="reviewer").count("Devs-Agent: reviewer") == 4


@pytest.mark.quick
def test_where_a_client_runs_the_role_is_a_developers(
    repo: Path, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert finished(Workspace.open(repo), git).count("Devs-Agent: developer") == 4


def test_a_client_that_was_named_and_a_tool_have_the_role_of_a_developer(workspace: Workspace) -> None:
    assert task_start.run(workspace, task_start.Request("10", client="my-agent")).agent == "developer"
    task_complete.run(workspace, task_complete.Request("10"))
    fixed = TOOLS["start_task"].fixed
    assert task_start.run(workspace, task_start.Request("11", **fixed)).agent == "developer"


def test_a_fork_has_the_role_of_its_task_or_none(workspace: Workspace, git: Run) -> None:
    finished(workspace, git)
    router.call("fork", workspace, fork.Request("10", name="11", no_worktree=True))
    assert "Devs-Agent" not in git("log", "-1", "--format=%B", "refs/heads/devs/ledger")
