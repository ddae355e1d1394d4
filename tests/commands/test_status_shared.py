"""`status` names the files that two live sessions wrote."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from devs_git.commands import status
from devs_git.commands.status import Request, Shared
from devs_git.entrypoints.cli.texts import log_text
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.agent_calls import install_hooks
from tests.support.two_agents import Agent

Run = Callable[..., str]
BOTH = ("session-a", "session-b")


@pytest.fixture
def agents(initialised: Path) -> tuple[Agent, Agent]:
    """Two sessions at work in one worktree."""
    install_hooks(initialised)
    first, second = Agent(initialised, "session-a"), Agent(initialised, "session-b")
    first.prompt()
    second.prompt()
    return first, second


def shared() -> tuple[Shared, ...]:
    return status.run(Workspace.open(), Request()).shared


@pytest.mark.quick
def test_files_that_two_live_sessions_wrote_are_named_in_text_and_values(agents: tuple[Agent, Agent]) -> None:
    first, second = agents
    first.shell("echo A > a.txt; echo A > f1.txt; mkdir d; echo A > d/new.txt")
    second.shell("echo B >> a.txt; echo B > f2.txt; echo B >> d/new.txt")
    found = status.run(Workspace.open(), Request())
    assert found.shared == (Shared("a.txt", BOTH), Shared("d/new.txt", BOTH))
    assert log_text.status_text(found).endswith(
        "Written by several sessions that are at work (2):\n"
        "  a.txt: sessions session-a, session-b\n  d/new.txt: sessions session-a, session-b"
    )


def test_edits_after_the_newest_moment_count_too(agents: tuple[Agent, Agent]) -> None:
    first, second = agents
    first.edit("a.txt", "A")
    first.edit("d/new.txt", "A")
    second.edit("a.txt", "B")
    second.edit("d/new.txt", "B")
    assert shared() == (Shared("a.txt", BOTH), Shared("d/new.txt", BOTH))


def test_a_file_is_not_named_once_it_is_committed_or_as_before(agents: tuple[Agent, Agent], git: Run) -> None:
    first, second = agents
    first.shell("echo A >> a.txt; echo A >> f1.txt")
    second.shell("echo B >> a.txt; echo B >> f1.txt")
    git("commit", "-qm", "a", "a.txt")
    assert shared() == (Shared("f1.txt", BOTH),)
    git("checkout", "f1.txt")
    assert shared() == ()


def test_a_session_that_ended_is_not_live_unless_it_goes_on(
    agents: tuple[Agent, Agent], initialised: Path
) -> None:
    first, second = agents
    first.shell("echo A >> a.txt")
    second.shell("echo B >> a.txt")
    # The moment that is made at the end is no sign of more work.
    (initialised / "mine.txt").write_text("a person's\n")
    first.quits()
    assert shared() == ()
    first.shell("echo again >> f1.txt")
    assert shared() == (Shared("a.txt", BOTH),)


def test_a_session_that_was_not_seen_for_a_day_is_not_live(agents: tuple[Agent, Agent]) -> None:
    first, second = agents
    first.shell("echo A >> a.txt")
    second.shell("echo B >> a.txt")
    now = Workspace.open()
    assert status.run(now, Request()).shared == (Shared("a.txt", BOTH),)
    later = replace(now, clock=lambda: now.clock() + timedelta(hours=12, minutes=1))
    assert status.run(later, Request()).shared == ()


@pytest.mark.quick
def test_without_moments_or_with_a_damaged_catalog_status_still_answers(
    agents: tuple[Agent, Agent], initialised: Path
) -> None:
    first, second = agents
    first.shell("echo A >> a.txt")
    second.shell("echo B >> a.txt")
    (initialised / ".git/devs/moments-on").unlink()
    assert shared() == ()
    (initialised / ".git/devs/moments-on").touch()
    (initialised / ".git/devs/catalog.db").write_bytes(b"no database" * 500)
    assert shared() == ()
