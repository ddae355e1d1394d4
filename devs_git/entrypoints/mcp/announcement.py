"""What our MCP server says of itself: its instructions and its tools, as plain JSON, over both transports."""

from __future__ import annotations

from typing import Any, Final

from devs_git.entrypoints.tools.results import announced_schema
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Tool

NAME: Final = "devs-git"
# A model of Codex sees the first 247 characters only: what devs-git is for, the first call, and how a gate shows.
INSTRUCTIONS: Final = (
    "devs-git keeps checkpoints, gates and outputs of tools for this git repository. Call git_status first: it shows the "
    "active task and open gates. While a gate is open, tools that write answer GATE_BLOCKED: stop, tell the person, and wait. "
    "No tool decides a gate. start_task begins a task, commit_task completes it. Call preview_rewind before rewind_to_task. "
    "Where hooks are installed, they store what your tools print: search_traces finds it, get_task_trace returns it. "
    "In a shell, run git devs; devs-git may not be on its PATH."
)


def listed_tools() -> list[dict[str, Any]]:
    """All tools as `tools/list` shows them."""
    return [listed_tool(tool) for tool in TOOLS.values()]


def listed_tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.meaning,
        "inputSchema": tool.input_schema(),
        "outputSchema": announced_schema(tool),
        "annotations": {
            "readOnlyHint": tool.reads,
            "destructiveHint": tool.moves_tree,
            # No idempotentHint: of a tool that only reads it says nothing, and of the others it is false by default.
            "openWorldHint": False,
        },
    }
