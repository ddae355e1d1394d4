"""Command line, MCP and HTTP are doors to the same verbs: for the same call each of them gives the same JSON.

Two things differ on purpose. A refusal names a tool where the command line names a command. And a dry run that says that the
real run is refused is an answer like any other, but its command exits with 1.
"""

from __future__ import annotations

import pytest

from devs_git.domain.verbs import VERBS
from devs_git.entrypoints.cli.main import command
from devs_git.entrypoints.http.routes import ROUTES
from devs_git.entrypoints.tools import hints
from devs_git.entrypoints.tools.table import TOOLS
from tests.support import recall_calls, task_calls, tree_calls
from tests.support.doors import Case, World, answers, same

CASES = (*task_calls.CASES, *tree_calls.CASES, *recall_calls.CASES)


# Arguments that the command line has not, and why.
TOOLS_ALONE = {
    ("git_checkout", "repo_path"): "its option --repo does the same for each command",
    (
        "fork_task",
        "create_branch",
    ): "no command makes a worktree without a branch: a person has `git worktree add --detach`",
}


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path_factory.getbasetemp() / "doors" / "world", monkeypatch)


@pytest.mark.quick(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_door_gives_the_same_answer(
    case: Case, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *others = answers(world, case, capsys)
    assert (first.well, first.value.get("code", "")) == (not case.code, case.code), first
    refused = case.code or first.value.get("blocked_by")
    expected = hints.translate_answer(TOOLS[case.tool], first.value) if refused else first.value
    for other in others:
        assert other.well == first.well, other
        assert same(other.value) == same(expected), other.door


@pytest.mark.quick
def test_each_tool_each_argument_and_each_route_is_in_a_call() -> None:
    called = {(case.tool, name) for case in CASES for name in case.arguments}
    known = {(name, param.name) for name, tool in TOOLS.items() for param in tool.params}
    assert known - called == set(TOOLS_ALONE)
    assert {case.tool for case in CASES} == set(TOOLS)
    assert {case.route for case in CASES} - {""} == {f"{route.method} {route.path}" for route in ROUTES}


@pytest.mark.quick
def test_the_words_of_a_call_are_of_the_verb_of_its_tool_and_each_verb_is_a_command() -> None:
    for case in CASES:
        assert " ".join(case.words).startswith(TOOLS[case.tool].verb_name), case.name
        route = next((one for one in ROUTES if f"{one.method} {one.path}" == case.route), None)
        assert route is None or route.tool_name == case.tool, case.name
    assert [name for name in VERBS if command(name) is None] == []
