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
LONG = "i=0; while [ $i -lt 100 ]; do echo number $i; i=$((i+1)); done"


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
        origin = bench.run((program.shell(LONG),), prompt=FIRST)
        return Fork(
            bench, origin, bench.run((program.shell("echo two"),), prompt=OTHER, fork=session(origin))
        )


def session(run: Run) -> str:
    return str(run.payloads[0]["session_id"])


def test_a_fork_is_a_session_of_its_own_that_goes_on_from_the_first(forked: Fork) -> None:
    assert session(forked.fork) != session(forked.origin)
    if forked.bench.program.tells_payloads:
        assert forked.fork.payloads[0]["source"] == "fork"
    assert len(forked.fork.results) == 2
    assert len(forked.bench.program.transcripts(forked.bench.home)) == 2
    assert [one["content"] for one in forked.messages(forked.origin) if one["role"] == "user"] == [FIRST]


def test_the_conversation_of_a_fork_begins_at_the_beginning(forked: Fork) -> None:
    """Claude Code copies the beginning into the fork's transcript; Codex only names where the fork leaves its source."""
    said = [one["content"] for one in forked.messages(forked.fork) if one["role"] == "user"]
    assert said == [FIRST, OTHER]
    roles = [one["role"] for one in forked.messages(forked.fork)]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2


def test_the_results_of_a_fork_and_its_beginning_stand_once(forked: Fork) -> None:
    """Claude Code also writes what it sends (`api-request-blob`), with the results and its own reminders."""
    results = [one["tool_result"] for one in forked.messages(forked.fork) if one["role"] == "tool"]
    assert ["number 99" in results[0], "two" in results[1], len(results)] == [True, True, 2]
    for words in (f'"{FIRST}"', '"number 99"'):
        hits = forked.bench.answer("trace", "search", "--in", "messages", words)["hits"]
        assert len([hit for hit in hits if hit["role"] != "assistant"]) == 1
        # A call's input and a program's result are JSON; a snippet of them is text.
        assert not [hit["snippet"] for hit in hits if '{"' in hit["snippet"] or "\\n" in hit["snippet"]]
    assert len([one for one in results if "two" in one]) == 1
    traces = forked.bench.answer("trace", "search", '"number 99"')["hits"]
    assert len(traces) == 1
    assert traces[0]["session_id"] == session(forked.origin)
