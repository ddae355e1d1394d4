"""A moment that cannot be made stops no tool and no prompt, and is told."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git import locks
from devs_git.storage.moments import gaps
from tests.support.agent_calls import after, before, call
from tests.support.hook_moments import devs, kinds, prompt, silent

Run = Callable[..., str]
pytestmark = pytest.mark.quick(1)


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_a_moment_that_cannot_be_made_stops_nothing_and_is_told_once_to_the_agent(
    client: str, project: Path
) -> None:
    shell, own = min(CLIENTS[client].shells), project / ".git/devs/moments"
    (own / "lock").mkdir(parents=True)
    said = call(project, before(shell, command="make"), client=client)
    assert (said.status, said.err, said.denied) == (0, "", "")
    (own / "lock").rmdir()
    event = CLIENTS[client].before
    if not CLIENTS[client].tells_before:
        assert said.out == ""
        event = min(CLIENTS[client].after)
        said = call(project, after(tool_name=shell), client=client)
    told = json.loads(said.out)["hookSpecificOutput"]
    assert told["hookEventName"] == event
    assert "the state of the worktree was not kept at" in told["additionalContext"]
    assert "because 'lock' in devs/moments of the git directory is not a file" in told["additionalContext"]
    assert silent(call(project, prompt(), client=client))
    assert [gap.kind for gap in gaps.since(own, "")] == ["call"]
    assert kinds(project) == ["prompt" if CLIENTS[client].tells_before else "after"]


def test_what_could_not_be_told_before_a_call_is_told_after_it_though_nothing_changed(project: Path) -> None:
    shell, own = min(CLIENTS["gemini"].shells), project / ".git/devs/moments"
    assert silent(call(project, before(shell, command="make"), client="gemini"))
    (own / "lock").unlink()
    (own / "lock").mkdir()
    (project / "new.txt").write_text("new\n")
    assert silent(call(project, before(shell, command="make"), client="gemini"))
    (own / "lock").rmdir()
    (project / "new.txt").unlink()
    said = call(project, after(tool_name=shell), client="gemini")
    assert "the state of the worktree was not kept at" in said.out
    assert silent(call(project, after(tool_name=shell), client="gemini"))


def test_doctor_says_that_moments_could_not_be_made_and_agent_list_whether_they_are(project: Path) -> None:
    assert "moments: kept in this clone" in devs("agent", "list")
    own = project / ".git/devs/moments"
    (own / "lock").mkdir(parents=True)
    call(project, before("Bash", command="make"))
    assert "(call), because 'lock' in devs/moments of the git directory is not a file." in devs("doctor")
    shutil.rmtree(own)
    own.write_text("")
    assert "devs/moments is a file" in devs("doctor")


@pytest.mark.thorough
def test_a_call_waits_five_seconds_for_another_moment_and_then_runs(project: Path) -> None:
    own = project / ".git/devs/moments"
    with locks.hold(own / "lock", wait=0):
        begun = time.monotonic()
        said = call(project, before("Bash", command="make"))
        assert 4.5 < time.monotonic() - begun < 7
    assert "it took more than 5 seconds" in said.out
    assert said.status == 0
