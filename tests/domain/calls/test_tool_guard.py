"""What may run while a gate is open."""

from __future__ import annotations

import pytest

from devs_git.domain.calls.tool_guard import is_own_call, may_run, reads_back
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.known_clients import CLIENTS

pytestmark = pytest.mark.quick

OWN = (
    "devs-git",
    "git devs",
    "devs-git gate list",
    "git devs status",
    " devs-git task result 10 ",
    "devs-git 'log' --json",
)
NOT_OWN = (
    "",
    "git",
    "make",
    "git commit -m x",
    "devs-gitx status",
    "git -c alias.devs=!sh devs status",
    "PATH=. devs-git status",
    "./devs-git status",
    "devs-git status; rm -r .",
    "devs-git status & rm x",
    "devs-git status | sh",
    "devs-git log < x",
    "devs-git log > x",
    "devs-git log $(rm x)",
    "devs-git log $HOME",
    "devs-git log `rm x`",
    "devs-git log\nrm x",
    "devs-git log\r\nrm x",
    "(devs-git log)",
    "devs-git log 'unclosed",
    None,
    ["devs-git", "log"],
)


@pytest.mark.parametrize("command", OWN)
def test_one_single_call_of_ours_may_run_for_there_our_own_guard_decides(command: str) -> None:
    assert is_own_call(command)
    assert may_run(CLAUDE, "Bash", {"command": command})
    assert may_run(CODEX, "shell_command", {"command": command})


@pytest.mark.parametrize("command", NOT_OWN)
def test_any_other_shell_command_counts_as_writing(command: object) -> None:
    assert not is_own_call(command)
    assert not may_run(CLAUDE, "Bash", {"command": command})


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_unknown_tools_count_as_writing_and_reading_ones_and_ours_do_not(name: str) -> None:
    client = CLIENTS[name]
    for tool in ("Write", "Edit", "apply_patch", "mcp__other__read", "mcp__devs-gitx__read", "", "read "):
        assert not may_run(client, tool, {})
    for tool in (*client.reading, f"{client.ours[0]}commit_task"):
        assert may_run(client, tool, {})
    for start in client.ours:
        for rest in ("evil", "evil_write", "", "Commit_task", "commit_task ", "other__commit_task"):
            assert not may_run(client, start + rest, {})
    for shell in client.shells:
        assert not may_run(client, shell, "devs-git log")
        assert shell not in client.reading


@pytest.mark.parametrize(
    ("tool", "given", "only_shows"),
    [
        ("mcp__devs-git__get_task_trace", {"traceId": "t"}, True),
        ("mcp__devs-git__search_traces", {}, True),
        ("mcp__devs-git__preview_rewind", {"task_id": "10"}, True),
        ("mcp__devs-git__rewind_to_task", {"dry_run": True}, True),
        ("mcp__devs-git__rewind_to_task", {"task_id": "10"}, False),
        ("mcp__devs-git__list_checkpoints", {}, True),
        ("mcp__devs-git__commit_task", {"message": "m"}, False),
        ("Bash", {"command": "devs-git trace get t-1"}, True),
        ("Bash", {"command": "git devs trace get t-1"}, True),
        ("Bash", {"command": "git devs trace search TypeError --json"}, True),
        ("Bash", {"command": "devs-git trace get t-1 --raw | grep '(error;'"}, True),
        ("Bash", {"command": "devs-git rewind task-9 --dry-run"}, True),
        ("Bash", {"command": "devs-git status"}, False),
        ("Bash", {"command": "make; devs-git trace get t-1"}, False),
        ("Bash", {"command": "make | devs-git trace put"}, False),
        ("Bash", {"command": "grep -- --dry-run README.md"}, False),
        ("Bash", "devs-git trace get t-1", False),
        ("Read", {"command": "devs-git trace get t-1"}, False),
    ],
)
def test_reading_traces_searching_and_dry_runs_are_told_from_work(
    tool: str, given: object, only_shows: bool
) -> None:
    assert reads_back(CLAUDE, tool, given) is only_shows
