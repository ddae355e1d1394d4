"""Work of others that an agent claims as its own, so that it commits it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_start
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.agent_calls import install_hooks
from tests.support.two_agents import Agent

Run = Callable[..., str]
pytestmark = pytest.mark.quick


def test_an_edit_of_a_persons_file_that_an_agents_shell_tells_the_hook(initialised: Path, git: Run) -> None:
    install_hooks(initialised)
    router.call("task start", Workspace.open(), task_start.Request("1", title="Work"))
    agent = Agent(initialised, "session-a")
    agent.prompt()
    agent.edit("own.txt", "own")
    (initialised / "theirs.txt").write_text("a person's")
    call_id = agent.begins("forge")
    agent.claims_edit("theirs.txt", "a person's", 3600)
    agent.ends(call_id, "forge")
    # A later claim, with another text, explains no earlier change either.
    agent.claims_edit("theirs.txt", "something else", 3600)
    router.call("checkpoint", Workspace.open(), checkpoint.Request("mine", mine=True, session="session-a"))
    assert git("show", "--format=", "--name-only", "HEAD") == "own.txt"
    assert (initialised / "theirs.txt").read_text() == "a person's"
