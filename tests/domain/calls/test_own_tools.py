"""Which of our tools a client called, and which task a call completed."""

from __future__ import annotations

import pytest

from devs_git.domain.calls.own_tools import completed_task, own_tool
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.gemini import GEMINI
from devs_git.domain.clients.opencode import OPENCODE

pytestmark = pytest.mark.quick

PRINTED = "task-10 completed as devs/task-10, checkpoint 3 at 0123456789 (1 file, +1 -0): Dates are parsed\n"
RESULT = '{"task_id": "task-10", "status": "completed"}'


def test_a_tool_of_ours_has_our_name_whatever_the_client_calls_it() -> None:
    assert own_tool(CLAUDE, "mcp__devs-git__commit_task") == "commit_task"
    assert own_tool(CODEX, "mcp__devs_git__commit_task") == "commit_task"
    assert own_tool(CODEX, "mcp__other__commit_task") == ""


def test_a_tool_of_a_server_whose_name_begins_as_ours_is_not_ours() -> None:
    assert own_tool(GEMINI, "mcp_devs-git_commit_task") == "commit_task"
    assert own_tool(GEMINI, "mcp_devs-git_evil_write") == ""
    assert own_tool(OPENCODE, "devs-git_commit_task") == "commit_task"
    assert own_tool(OPENCODE, "devs-git_evil") == ""
    assert own_tool(CODEX, "mcp__devs_git__evil") == ""


@pytest.mark.parametrize(
    ("client", "tool", "given", "output", "task"),
    [
        (CLAUDE, "mcp__devs-git__commit_task", {"message": "m"}, RESULT, "task-10"),
        (CODEX, "mcp__devs_git__commit_task", {}, f"Wall time: 1 s\nOutput:\n{RESULT}", "task-10"),
        (CLAUDE, "mcp__devs-git__commit_task", {}, '{"error": "x", "code": "C", "task_id": "task-1"}', ""),
        (CLAUDE, "mcp__devs-git__commit_task", {}, "no JSON", ""),
        (CLAUDE, "mcp__devs-git__start_task", {}, RESULT, ""),
        (CLAUDE, "Bash", {"command": "make && devs-git task complete -m x"}, f"ok\n{PRINTED}", "task-10"),
        (CODEX, "exec_command", {"cmd": "git devs task complete --json"}, RESULT, "task-10"),
        (CLAUDE, "Bash", {"command": "devs-git task complete"}, "TASK_NOT_FOUND: …", ""),
        (CLAUDE, "Bash", {"command": "cat log"}, PRINTED, ""),
        (CLAUDE, "Bash", "devs-git task complete", PRINTED, ""),
        (CLAUDE, "Read", {"command": "devs-git task complete"}, PRINTED, ""),
    ],
)
def test_the_call_that_completes_a_task_says_which(
    client: Client, tool: str, given: object, output: str, task: str
) -> None:
    assert completed_task(client, tool, given, output) == task
