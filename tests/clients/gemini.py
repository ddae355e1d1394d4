"""Gemini CLI, with a prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.clients.gemini_api import GeminiApi
from tests.clients.program import Place, Program, Start
from tests.clients.script import Call

EVENTS: Final = (
    "SessionStart",
    "BeforeAgent",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
    "Notification",
    "PreCompress",
    "SessionEnd",
)


class Gemini(Program):
    """See `program.Program`."""

    name = "gemini"
    client = "gemini"
    package = "@google/gemini-cli"
    version = ("gemini", "--version")
    api = GeminiApi()
    shell_tool = "run_shell_command"
    before = "BeforeTool"
    after = "AfterTool"
    forks = False

    def variables(self, place: Place) -> Mapping[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": place.address,
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def settle(self, place: Place) -> None:
        hook = {"hooks": [{"type": "command", "command": place.recorder}]}
        settings = {
            "general": {"disableAutoUpdate": True, "disableUpdateNag": True, "enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "hooks": {event: [hook] for event in EVENTS},
        }
        file = place.home / ".gemini" / "settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(settings))

    def trust(self, place: Place) -> None:
        """A variable says that the folder is trusted."""

    def command(self, start: Start) -> Sequence[str]:
        # A variable says that the folder is trusted; the option lets it work without saying so.
        doubted = () if start.trusted else ("env", "--unset=GEMINI_CLI_TRUST_WORKSPACE")
        return (
            *doubted,
            *("gemini", "--prompt", start.prompt, "--model", "gemini-2.5-pro"),
            *(("--resume", start.resume) if start.resume else ()),
            *(() if start.trusted else ("--skip-trust",)),
            *("--yolo", "--output-format", "stream-json"),
        )

    def shell(self, command: str) -> Call:
        return Call("run_shell_command", {"command": command, "description": "Run a command"})

    def write(self, file: Path, text: str) -> Call:
        return Call("write_file", {"file_path": str(file), "content": text})

    def own(self, tool: str, **arguments: object) -> Call:
        return Call(tool, arguments, namespace="mcp_devs-git_")

    def transcripts(self, home: Path) -> Sequence[Path]:
        return sorted((home / ".gemini" / "tmp").glob("*/chats/session-*.jsonl"))
