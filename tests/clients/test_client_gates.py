"""What an open gate does to a client's tools."""

from __future__ import annotations

import pytest

from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


@pytest.fixture
def gate(workbench: Workbench) -> str:
    """The id of an open gate."""
    blocker = "Section 2.3 rules out what the task needs."
    asked = workbench.answer("gate", "request", "--type", "MANUAL", "--blocker", blocker)
    return str(asked["gate_id"])


def test_a_write_is_denied_while_a_gate_is_open(workbench: Workbench, gate: str) -> None:
    program = workbench.program
    run = workbench.run((program.write(workbench.top / "new.txt", "hello\n"),))
    assert not (workbench.top / "new.txt").exists()
    # The model is told why, and what to do.
    assert "GATE_BLOCKED" in run.results[0]
    assert f"devs-git gate wait {gate}" in run.results[0]
    # The client asked our hook, and told no hook of a result, for the tool never ran.
    assert len(run.payloads_of(program.before)) == 1
    assert not run.payloads_of(program.after)
    # The denial as Codex words it is so long that it is stored as what the tool printed.
    traces = workbench.answer("trace", "list")["traces"]
    stored = {"claude": [], "codex": [("apply_patch", False)], "codex-code": [("exec", False)], "gemini": []}
    assert [(one["tool_name"], one["is_error"]) for one in traces] == stored[program.name]


def test_a_shell_command_is_denied_while_a_gate_is_open(workbench: Workbench, gate: str) -> None:
    run = workbench.run((workbench.program.shell("echo hello >new.txt"),))
    assert not (workbench.top / "new.txt").exists()
    assert f"devs-git gate wait {gate}" in run.results[0]


def test_a_single_call_of_devs_git_is_not_denied_while_a_gate_is_open(
    workbench: Workbench, gate: str
) -> None:
    """The shell of Codex is a login shell, whose PATH may be another, so it may not find our program."""
    run = workbench.run((workbench.program.shell("devs-git gate list"),))
    assert len(run.payloads_of(workbench.program.after)) == 1
    assert "GATE_BLOCKED" not in run.results[0]
    if workbench.program.client != "codex":
        assert gate in run.results[0]


def test_work_goes_on_without_a_gate(workbench: Workbench) -> None:
    """What denied the same call was the gate."""
    program = workbench.program
    run = workbench.run((program.write(workbench.top / "new.txt", "hello\n"),))
    assert (workbench.top / "new.txt").read_text() == "hello\n"
    assert "GATE_BLOCKED" not in run.results[0]
