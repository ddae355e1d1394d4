"""Claude Code, in print mode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.clients.messages_api import MessagesApi
from tests.clients.program import Place, Program, Start
from tests.clients.script import Call

EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
)


class ClaudeCode(Program):
    """See `program.Program`."""

    name = "claude"
    client = "claude"
    package = "@anthropic-ai/claude-code"
    version = ("claude", "--version")
    api = MessagesApi()
    shell_tool = "Bash"

    def variables(self, place: Place) -> Mapping[str, str]:
        return {
            "ANTHROPIC_BASE_URL": place.address,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_BUG_COMMAND": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def settle(self, place: Place) -> None:
        hook = {"hooks": [{"type": "command", "command": place.recorder}]}
        file = place.home / ".claude" / "settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"hooks": {event: [hook] for event in EVENTS}}))

    def trust(self, place: Place) -> None:
        """Without a person it asks for no trust."""

    def command(self, start: Start) -> Sequence[str]:
        # It waits for our server, or a script could call its tools before they are there.
        waiting = ("env", "MCP_CONNECTION_NONBLOCKING=0") if start.waits else ()
        return (
            *waiting,
            *("claude", "-p", start.prompt),
            *(("--resume", start.resume) if start.resume else ()),
            *(("--resume", start.fork, "--fork-session") if start.fork else ()),
            *("--permission-mode", "acceptEdits"),
            *("--allowedTools", "Bash,Write,Edit,Read,mcp__devs-git"),
            *("--output-format", "stream-json", "--verbose"),
        )

    def shell(self, command: str) -> Call:
        return Call("Bash", {"command": command, "description": "Run a command"})

    def write(self, file: Path, text: str) -> Call:
        return Call("Write", {"file_path": str(file), "content": text})

    def own(self, tool: str, **arguments: object) -> Call:
        return Call(tool, arguments, namespace="mcp__devs-git__")

    def transcripts(self, home: Path) -> Sequence[Path]:
        return sorted((home / ".claude" / "projects").glob("*/*.jsonl"))
