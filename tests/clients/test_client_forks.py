"""A fork of a session: which id it has, and what its transcript repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.clients.conftest import PROGRAMS
from tests.clients.program import Program
from tests.clients.workbench import Run, Workbench

pytestmark = pytest.mark.thorough

FIRST, OTHER = "Do as planned.", "Go another way."


@dataclass(frozen=True)
class Fork:
    """A session, and the fork that was made of it."""

    bench: Workbench
    origin: Run
    fork: Run

    def messages(self, run: Run) -> Sequence[Mapping[str, Any]]:
        shown = self.bench.answer("conversation", "show", "--session", session(run))
        return [one for one in shown["messages"] if one["role"] != "system"]


@pytest.fixture(
    scope="module", params=[one for one in PROGRAMS if one.forks], ids=lambda program: program.name
)
def program(request: pytest.FixtureRequest) -> Program:
    """Each client that can fork a session."""
    found: Program = request.param
    return found


@pytest.fixture(scope="module")
def forked(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Fork:
    with Workbench(program, tmp_path_factory.mktemp(program.name)) as bench:
        origin = bench.run((program.shell("echo one"),), prompt=FIRST)
        return Fork(
            bench, origin, bench.run((program.shell("echo two"),), prompt=OTHER, fork=session(origin))
        )


def session(run: Run) -> str:
    return str(run.payloads[0]["session_id"])


def test_a_fork_is_a_session_of_its_own_that_goes_on_from_the_first(forked: Fork) -> None:
    assert session(forked.fork) != session(forked.origin)
    assert forked.fork.payloads[0]["source"] == "fork"
    assert len(forked.fork.results) == 2
    assert len(forked.bench.program.transcripts(forked.bench.home)) == 2
    assert [one["content"] for one in forked.messages(forked.origin) if one["role"] == "user"] == [FIRST]


def test_the_conversation_of_a_fork_is_what_its_transcript_has(forked: Fork) -> None:
    """Claude Code copies the whole conversation into it, so that we have it twice; Codex writes only what is new."""
    said = [one["content"] for one in forked.messages(forked.fork) if one["role"] == "user"]
    assert said == {"claude": [FIRST, OTHER], "codex": [OTHER]}[forked.bench.program.client]


def test_a_tool_result_after_a_fork_stands_once_in_the_conversation(forked: Fork) -> None:
    """Claude Code also writes what it sends (`api-request-blob`). That is no message."""
    results = [one["tool_result"] for one in forked.messages(forked.fork) if one["role"] == "tool"]
    twos = [one for one in results if "two" in one]
    assert len(twos) == 1
