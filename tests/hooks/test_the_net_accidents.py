"""Accidents that people told of in public, each with its source, under the real hook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.agent_calls import install_hooks
from tests.support.net_agent import Agent
from tests.support.net_scene import Picture, picture, shell

Run = Callable[..., str]
Moulded = Callable[[str, Callable[[], object]], Path]
pytestmark = pytest.mark.quick(1)


@pytest.fixture
def project(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with the hooks, and with 170 tracked files."""

    def make() -> None:
        top = install_hooks(request.getfixturevalue("initialised"))
        shell(
            top,
            "mkdir src && for n in $(seq 170); do echo $n >src/$n.ts; done && git add -A && git commit -qm files",
        )

    return moulded("accidents", make)


def comes_back(agent: Agent, before: Picture, *besides: str) -> str:
    """Run what status and the next prompt say; the line. `besides`: what may have changed."""
    (line,) = agent.status()
    assert agent.prompt() == line
    agent.bring_back(line)
    now = picture(agent.top)
    assert {name: value for name, value in now.items() if name not in besides} == {
        name: value for name, value in before.items() if name not in besides
    }
    return line


# https://github.com/anthropics/claude-code/issues/84660: after a reset to HEAD^ the agent went to a commit of unfinished
# work with `git reset --hard`, which took what had been changed since.
def test_accident_84660_reset_hard_to_a_commit_of_unfinished_work(project: Path, git: Run) -> None:
    shell(
        project,
        "for n in $(seq 150); do echo wip >>src/$n.ts; done && GIT_COMMITTER_DATE='2001-02-03 04:05:06' git commit -qam WIP",
    )
    wip = git("rev-parse", "HEAD")
    shell(
        project,
        "git reset -q HEAD^ && for n in $(seq 150); do echo more >>src/$n.ts; done && echo new >src/new.ts",
    )
    before = picture(project)
    agent = Agent(project)
    agent.run(f"git reset --hard {wip}")
    assert "150 uncommitted files" in comes_back(agent, before)


# https://github.com/anthropics/claude-code/issues/70363: to take files out of the index, the agent ran this in a worktree
# with two hours of uncommitted work.
def test_accident_70363_reset_and_checkout_of_everything(project: Path) -> None:
    shell(
        project,
        "for n in $(seq 9); do echo work >>src/$n.ts; done && git add src/1.ts src/2.ts && echo again >>src/2.ts",
    )
    before = picture(project)
    agent = Agent(project)
    agent.run("git reset HEAD && git checkout -- .")
    comes_back(agent, before)


# https://github.com/anthropics/claude-code/issues/85879: a stash that no call in any transcript ran took the changes of
# 170 tracked files out of the worktree; 350 untracked files stayed. Two sessions worked in the repository.
def test_accident_85879_a_stash_that_no_traced_call_ran(project: Path) -> None:
    shell(
        project,
        "for n in $(seq 170); do echo work >>src/$n.ts; done && for n in $(seq 350); do echo u >u$n; done",
    )
    before = picture(project)
    agent = Agent(project)
    agent.run("true")
    shell(project, "git stash")
    agent.run("make")
    line = comes_back(agent, before, "git stash")
    assert "170 uncommitted files" in line


# https://github.com/github/copilot-cli/issues/1675: to restore a checkpoint, the client ran `git checkout --force`,
# `git reset --hard` and `git clean -fd`, which deleted outputs of evaluations that it had only read.
def test_accident_copilot_1675_a_checkpoint_that_cleans_the_worktree(project: Path, git: Run) -> None:
    shell(
        project,
        "mkdir -p output/a && head -c 3000000 /dev/urandom >output/a/runs.jsonl && echo x >output/sheet.xlsx",
    )
    before = picture(project)
    agent = Agent(project)
    commit = git("rev-parse", "HEAD")
    agent.run(f"git checkout --force main && git reset --hard {commit} && git clean -fd")
    assert not (project / "output").exists()
    assert "2 uncommitted files" in comes_back(agent, before)
