"""Calls of our own MCP tools, as clients report them: which of them only read, and which task a call completed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.clients.client import Client


# The tools whose verbs have tier 0. The table of tools is an entry point's, and a test compares both.
READING: Final = frozenset(
    {
        "checkpoint_diff",
        "get_conversation",
        "get_gate",
        "get_history",
        "get_task_trace",
        "git_diff",
        "git_status",
        "list_checkpoints",
        "list_conversation_snapshots",
        "list_gates",
        "list_snapshots",
        "preview_rewind",
        "search_traces",
        "show_checkpoint",
        "show_contract",
        "task_status",
    }
)
COMPLETING: Final = "commit_task"
# All others.
WRITING: Final = frozenset(
    {
        COMPLETING,
        "branch_from_checkpoint",
        "create_checkpoint",
        "create_conversation_snapshot",
        "create_snapshot",
        "drop_task",
        "fork_task",
        "git_checkout",
        "request_tas_revision",
        "restore_files",
        "resume_task",
        "rewind_conversation",
        "rewind_to_task",
        "start_task",
        "store_trace",
        "undo_rewind",
        "write_task_result",
    }
)
# A shell command that may complete a task, and what `devs-git task complete` prints, as text and with --json.
_COMMAND: Final = re.compile(r"\b(?:devs-git|git\s+devs)\b.*\btask\s+complete\b", re.DOTALL)
_PRINTED: Final = re.compile(
    r"^(task-\S+) completed as devs/\1, checkpoint \d+ at |\"task_id\": ?\"(task-[^\"\s]+)\"", re.MULTILINE
)


def own_tool(client: Client, tool: str) -> str:
    """Our name of the tool that a client calls by its own name; '' if it is not one of ours.

    The whole name has to be known: another server's name may begin as ours does (`mcp_devs-git_evil_…` in Gemini CLI).
    """
    for start in client.ours:
        name = tool.removeprefix(start)
        if name != tool and (name in READING or name in WRITING):
            return name
    return ""


def completed_task(client: Client, tool: str, tool_input: Any, output: str) -> str:
    """The task that a call completed, as its output says; '' if it completed none."""
    if own_tool(client, tool) == COMPLETING:
        return _task_in(output)
    given = tool_input if isinstance(tool_input, dict) else {}
    command = given.get("command", given.get("cmd"))
    if tool not in client.shells or not isinstance(command, str) or not _COMMAND.search(command):
        return ""
    found = _PRINTED.search(output)
    return (found[1] or found[2]) if found else ""


def _task_in(output: str) -> str:
    """The task in the result of our tool. A client may write text around the result."""
    try:
        result, _end = json.JSONDecoder().raw_decode(output[max(output.find("{"), 0) :])
    except (ValueError, RecursionError):
        return ""
    task = result.get("task_id") if isinstance(result, dict) and "error" not in result else ""
    return task if isinstance(task, str) and task.isprintable() else ""
