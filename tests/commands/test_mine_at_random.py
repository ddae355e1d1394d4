"""Two agents and a person work in one worktree at random, one after the other. `--mine` commits what a list of all writes says.

The seed of a run is in the name of its test. `DEVS_TEST_COUNT_MINE_STEPS` makes the runs longer.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, status, task_start
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.agent_calls import install_hooks
from tests.support.two_agents import Agent

Run = Callable[..., str]
pytestmark = pytest.mark.thorough

STEPS = int(os.environ.get("DEVS_TEST_COUNT_MINE_STEPS", "12"))
FILES = ("a.txt", "f1.txt", "f2.txt", "new.txt", "d/new.txt", "d/e/new.txt")
PERSON = "a person"


@dataclass
class Written:
    """Who wrote each file since it was as in HEAD, whatever is staged."""

    top: Path
    git: Run
    writers: dict[str, set[str]] = field(default_factory=dict)

    def note(self, who: str, *names: str) -> None:
        for name in names:
            self.writers.setdefault(name, set()).add(who)
        self.forget_unchanged()

    def forget_unchanged(self) -> None:
        changed = self.git("diff", "--name-only", "--no-renames", "HEAD")
        dirty = {*changed.split("\n"), *self.git("ls-files", "-o", "--exclude-standard").split("\n")}
        self.writers = {name: who for name, who in self.writers.items() if name in dirty}

    def alone(self, who: str) -> set[str]:
        return {name for name, writers in self.writers.items() if writers == {who}}

    def shared(self, who: str) -> set[str]:
        return {name for name, writers in self.writers.items() if who in writers and len(writers) > 1}


def work(dice: random.Random, number: int, agents: tuple[Agent, ...], written: Written) -> None:
    """One step: a command of an agent's shell, an edit of an agent, or, with the next command between, a person's edit."""
    agent, names = dice.choice(agents), dice.sample(FILES, dice.randint(1, 2))
    what = dice.choice(("shell", "shell", "edit", "person", "stage"))
    script = "; ".join(f"mkdir -p $(dirname {name}); echo {number} >> {name}" for name in names)
    if what == "edit":
        agent.edit(names[0], f"{number}\n")
        written.note(agent.session, names[0])
    elif what == "person":
        # A person's edit of a file is not told from an agent's edit of the same file since the last moment.
        agent.shell("true > ../outside")
        for name in names:
            (written.top / name).parent.mkdir(parents=True, exist_ok=True)
            (written.top / name).write_text(f"a person's {number}\n")
        written.note(PERSON, *names)
        agent.shell("true > ../outside")
    elif what == "stage":
        written.git("add", "-A", "--", ".")
    else:
        there = [name for name in names if (written.top / name).exists()]
        gone = there[0] if there and dice.random() < 0.3 else ""
        agent.shell(f"{script}; rm -f {gone}" if gone else script)
        written.note(agent.session, *names)


def commit(agent: Agent, written: Written, git: Run) -> None:
    """Commit the files of an agent, and compare with the list."""
    alone, shared = written.alone(agent.session), written.shared(agent.session)
    request = checkpoint.Request("mine", mine=True, session=agent.session)
    if not alone:
        with pytest.raises(DevsError, match="There is no file here"):
            router.call("checkpoint", Workspace.open(), request)
        return
    done: checkpoint.Result = router.call("checkpoint", Workspace.open(), request)
    found = git("show", "--format=", "--name-only", "--no-renames", "HEAD").split("\n")
    assert (set(found), {one.path for one in done.left_out}) == (alone, shared)
    written.forget_unchanged()


@pytest.mark.parametrize("seed", range(3))
def test_mine_commits_exactly_the_files_that_one_agent_wrote_alone(
    seed: int, initialised: Path, git: Run
) -> None:
    dice = random.Random(seed)
    install_hooks(initialised)
    router.call("task start", Workspace.open(), task_start.Request("1", title="Parse dates"))
    agents = Agent(initialised, "session-a"), Agent(initialised, "session-b", "opencode")
    written = Written(initialised, git)
    for agent in agents:
        agent.prompt()
    for number in range(STEPS):
        work(dice, number, agents, written)
        both = {name for name, who in written.writers.items() if len(who - {PERSON}) > 1}
        assert {one.path for one in status.run(Workspace.open(), status.Request()).shared} == both
        if dice.random() < 0.3:
            commit(dice.choice(agents), written, git)
    for agent in agents:
        commit(agent, written, git)
