"""What an open gate does to a client's tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import CodexInCode
from tests.clients.script import Call
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
    assert f"git devs gate wait {gate}" in run.results[0]
    # The client asked our hook, and told no hook of a result, for the tool never ran.
    assert len(run.payloads_of(program.before)) == 1
    assert not run.payloads_of(program.after)
    # It is nothing that the tool printed, however long Codex makes it, and no success.
    assert workbench.answer("trace", "list")["traces"] == []
    messages = workbench.answer("conversation", "show")["messages"]
    assert [one["is_error"] for one in messages if one["role"] == "tool"] == [True]


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A folder for a workbench."""
    folder = tmp_path / "bench"
    folder.mkdir()
    return folder


# A tool of each client that changes nothing, and what its hooks call it.
HARMLESS = {
    "claude": (Call("ListAgents"), "ListAgents"),
    "codex": (Call("get_goal"), "get_goal"),
    "codex-code": (Call("list_agents", namespace="collaboration"), "collaborationlist_agents"),
    "gemini": (Call("glob", {"pattern": "*"}), "glob"),
    "opencode": (Call("glob", {"pattern": "*"}), "glob"),
}


def test_an_agent_can_still_read_in_a_shell_while_a_gate_is_open(workbench: Workbench, gate: str) -> None:
    program = workbench.program
    harmless, name = HARMLESS[program.name]
    commands = ("cat a.txt", "git log --oneline", "grep -rn begin .devs", "cat a.txt >new.txt", "cat *.txt")
    run = workbench.run(*((program.shell(command),) for command in commands), (harmless,))
    assert [f"git devs gate wait {gate}" in result for result in run.results] == [False] * 3 + [True] * 2 + [
        False
    ]
    assert not (workbench.top / "new.txt").exists()
    shown = [str(one["tool_response"]) for one in run.payloads_of(program.after)]
    assert "begin" in shown[1]
    # The hook was asked for each call, and its payload had the command alone or with what changes nothing.
    asked = run.payloads_of(program.before)
    assert [one["tool_name"] for one in asked] == [program.shell_tool] * len(commands) + [name]
    assert [one["tool_input"]["command"] for one in asked[:-1]] == list(commands)


def test_a_skill_runs_commands_of_its_file_without_a_hook_while_a_gate_is_open(empty: Path) -> None:
    """Only a person puts such a file there, or an agent before the gate. The page about gates says so."""
    with Workbench(ClaudeCode(), empty) as bench:
        file = bench.top / ".claude" / "skills" / "note" / "SKILL.md"
        file.parent.mkdir(parents=True)
        head = "---\nname: note\ndescription: Notes.\nallowed-tools: Bash(touch:*)\n---\n"
        file.write_text(f"{head}Result: !`touch new.txt`\n")
        allowed = {"permissions": {"allow": ["Skill(note)"]}}
        (bench.top / ".claude" / "settings.local.json").write_text(json.dumps(allowed))
        bench.devs_git("gate", "request", "--type", "MANUAL", "--blocker", "The note needs a decision.")
        run = bench.run((Call("Skill", {"skill": "note"}),))
        assert [one["tool_name"] for one in run.payloads_of("PreToolUse")] == ["Skill"]
        assert (bench.top / "new.txt").exists()


def test_a_shell_that_was_open_before_the_gate_is_written_to_without_a_hook(empty: Path) -> None:
    """The model's program knows the number of the shell, which a script cannot."""
    gate = {
        "agent_id": "developer",
        "task_id": "10",
        "blocker_description": "Section 2.3 rules out what the task needs.",
        "proposed_changes": {
            "sections_to_modify": ["2.3"],
            "rationale": "It wants two names, and most people gave one.",
            "risk_assessment": "Greetings without a family name are shorter.",
        },
    }
    source = (
        'const shell = await tools.exec_command({cmd: "sh", tty: true, yield_time_ms: 1000});\n'
        f"text(await tools.mcp__devs_git__request_tas_revision({json.dumps(gate)}));\n"
        'const given = {session_id: shell.session_id, chars: "echo late >late.txt\\n", yield_time_ms: 2000};\n'
        "text(await tools.write_stdin(given));\n"
    )
    with Workbench(CodexInCode(), empty) as bench:
        bench.devs_git("task", "start", "10", "--title", "Dates")
        run = bench.run((Call("exec", namespace="functions", source=source),))
        asked = [one["tool_name"] for one in run.payloads_of("PreToolUse")]
        assert asked == ["Bash", "mcp__devs_git__request_tas_revision"]
        assert len(bench.answer("gate", "list")["gates"]) == 1, run.results
        assert (bench.top / "late.txt").read_text() == "late\n"


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
