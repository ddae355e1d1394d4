"""Worktrees that a command removes, run by a real shell under the real hook."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.moments import behind
from devs_git.workspace import Workspace
from tests.support.agent_calls import before, call, install_hooks
from tests.support.git_calls import git as run_git
from tests.support.net_agent import Agent
from tests.support.net_scene import Picture, dirty, picture
from tests.support.own_calls import devs_git

Run = Callable[..., str]
Moulded = Callable[[str, Callable[[], object]], Path]
pytestmark = pytest.mark.quick(1)


@pytest.fixture
def project(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with the hooks."""

    def make() -> None:
        install_hooks(request.getfixturevalue("initialised"))

    return moulded("worktrees under the net", make)


@pytest.fixture
def linked(project: Path) -> Path:
    """A linked worktree with dirty files of each kind."""
    folder = project.parent / "linked"
    run_git("worktree", "add", "-q", "-b", "topic", os.fspath(folder), where=project)
    dirty(folder)
    return folder


def bring_back(agent: Agent, linked: Path, before: Picture, line: str) -> None:
    """Run what the line says, and compare files, branch and index."""
    agent.bring_back(line)
    assert picture(linked) == before
    assert agent.status() == []


@pytest.mark.parametrize(
    "command",
    [
        "git worktree remove --force linked",
        "git worktree remove -f ../linked",
        "rm -rf ../linked",
        "rm -rf {}",
        "sh x.sh",
    ],
)
def test_a_worktree_that_is_removed_from_another_one_comes_back(
    command: str, project: Path, linked: Path
) -> None:
    (project / "x.sh").write_text(f"git worktree remove --force {linked}\n")
    run_git("add", "x.sh", where=project)
    run_git("commit", "-qm", "script", where=project)
    before = picture(linked)
    agent = Agent(project)
    agent.run(command.format(linked))
    assert not linked.exists()
    (line,) = agent.status()
    assert f"the worktree {linked} with" in line
    assert agent.prompt() == line
    assert agent.prompt() == ""
    bring_back(agent, linked, before, line)


def test_a_session_that_removes_its_own_worktree_is_told_in_the_main_one(project: Path, linked: Path) -> None:
    before = picture(linked)
    Agent(project, where=linked).run("git worktree remove --force ../linked")
    agent = Agent(project)
    (line,) = agent.status()
    assert f"the worktree {linked} with" in line
    assert agent.prompt("another session") == line
    bring_back(agent, linked, before, line)


# https://github.com/anthropics/claude-code/issues/58885: the client ran `git worktree remove --force`, which failed in the
# middle because files were still written there, and then `rm -rf`.
def test_accident_58885_a_cleanup_that_goes_on_with_rm(project: Path, linked: Path) -> None:
    before = picture(linked)
    agent = Agent(project)
    agent.run(f"git worktree remove --force {linked} || true; rm -rf {linked}; git worktree prune")
    (line,) = agent.status()
    bring_back(agent, linked, before, line)


# https://github.com/anthropics/claude-code/issues/79899: at the end of a session the client removed a worktree and its
# branch, which had five commits that were nowhere else.
def test_accident_79899_a_worktree_with_unpushed_commits_and_its_branch(project: Path, linked: Path) -> None:
    for number in range(5):
        run_git("commit", "-q", "--allow-empty", "-m", f"work {number}", where=linked)
    run_git("clean", "-fdxq", where=linked)
    before = picture(linked)
    agent = Agent(project)
    agent.run(f"git worktree remove --force {linked} && git branch -D topic")
    (line,) = agent.status()
    assert "1 branch (topic)" in line
    bring_back(agent, linked, before, line)


# The same accident, with the client's own removal at the end of a session: no command of the agent says it.
def test_a_worktree_that_a_client_removes_after_the_session_is_known_in_the_main_one(
    project: Path, linked: Path
) -> None:
    run_git("clean", "-fdqX", where=linked)
    before = picture(linked)
    ended = {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "exit", "cwd": os.fspath(linked)}
    assert call(project, ended, where=linked).status == 0
    workspace = Workspace.open(linked)
    while behind.is_at_work(workspace.places.own / "moments"):
        time.sleep(0.02)
    agent = Agent(project)
    assert agent.status() == []
    assert agent.prompt() == ""
    run_git("worktree", "remove", "--force", os.fspath(linked), where=project)
    (line,) = agent.status()
    assert agent.prompt() == line
    bring_back(agent, linked, before, line)


def test_a_clean_worktree_that_is_removed_is_no_loss(project: Path, git: Run) -> None:
    git("worktree", "add", "-q", "-b", "clean", os.fspath(project.parent / "clean"))
    agent = Agent(project)
    agent.run("git worktree remove ../clean")
    assert not (project.parent / "clean").exists()
    assert agent.status() == []


def test_a_tool_of_a_client_that_removes_worktrees_makes_a_moment_of_each_one(
    project: Path, linked: Path, git: Run
) -> None:
    git("worktree", "add", "-q", "-b", "other", os.fspath(project.parent / "other"))
    payload = before("ExitWorktree", action="remove", discard_changes=True) | {"cwd": os.fspath(linked)}
    assert call(project, payload, where=linked).denied == ""
    listed = devs_git("log", "--moments", "--json", where=project)
    for name in (".", "linked", "other"):
        assert f'"worktree": "{name}"' in listed or f'"worktree":"{name}"' in listed
    was = picture(linked)
    git("worktree", "remove", "--force", os.fspath(linked))
    agent = Agent(project)
    (line,) = agent.status()
    assert f"the worktree {linked} with" in line
    bring_back(agent, linked, was, line)
