"""Claude Code, as https://code.claude.com/docs/en/hooks tells it. Its JSON files hold no comments: it refuses them."""

from __future__ import annotations

from typing import Final

from devs_git.domain.clients.dialects.dialect import Dialect

CLAUDE: Final = Dialect(
    name="claude",
    title="Claude Code",
    hooks_file=".claude/settings.json",
    server_file=".mcp.json",
    before="PreToolUse",
    after={"PostToolUse": False, "PostToolUseFailure": True},
    session=("Stop", "SessionEnd", "PreCompact"),
    # What changes nothing but the conversation counts as reading. A subagent's tools come by here one by one.
    reading=frozenset(
        {
            "Agent",
            "AskUserQuestion",
            "BashOutput",
            "EnterPlanMode",
            "ExitPlanMode",
            "Glob",
            "Grep",
            "KillBash",
            "KillShell",
            "LS",
            "LSP",
            "ListMcpResourcesTool",
            "NotebookRead",
            "Read",
            "ReadMcpResourceTool",
            "Task",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskStop",
            "TaskUpdate",
            "TodoRead",
            "TodoWrite",
            "ToolSearch",
            "WebFetch",
            "WebSearch",
        }
    ),
    shells=frozenset({"Bash"}),
    start='"${CLAUDE_PROJECT_DIR:-.}"',
)
