"""OpenCode, in `opencode run`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.clients.completions_api import CompletionsApi
from tests.clients.program import Place, Program, Start
from tests.clients.script import Call

# It has no hooks but plug-ins. This one hands on what OpenCode tells of tools, and when a session has nothing to do.
_RECORDER: Final = """\
import { spawnSync } from "node:child_process"
const tell = (name, session, told) => {
  spawnSync("sh", ["-c", %s], { input: JSON.stringify({ hook_event_name: name, session_id: session, ...told }) })
}
export const Recorder = async () => ({
  "chat.message": async (input, output) => tell("chat.message", input.sessionID, { input, output }),
  "tool.execute.before": async ({ tool, sessionID }, { args }) =>
    tell("tool.execute.before", sessionID, { tool_name: tool, tool_input: args }),
  "tool.execute.after": async ({ tool, sessionID, args }, answer) =>
    tell("tool.execute.after", sessionID, { tool_name: tool, tool_input: args, tool_response: answer }),
  event: async ({ event }) => {
    if (event.type === "session.idle") tell("session.idle", event.properties.sessionID, {})
  },
})
"""


class OpenCode(Program):
    """See `program.Program`."""

    name = "opencode"
    client = "opencode"
    package = "opencode-ai"
    version = ("opencode", "--version")
    api = CompletionsApi()
    shell_tool = "bash"
    before = "tool.execute.before"
    after = "tool.execute.after"
    tells_payloads = False

    def variables(self, place: Place) -> Mapping[str, str]:
        return {
            # It takes the project's folder from here.
            "PWD": str(place.top),
            # It asks npm for the types of plug-ins at each start.
            "npm_config_fetch_retries": "0",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            # Accounts and copies of files, which no case needs, take long.
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        }

    def settle(self, place: Place) -> None:
        folder = place.home / ".config" / "opencode"
        (folder / "plugin").mkdir(parents=True, exist_ok=True)
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 200000, "output": 32000}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"{place.address}/v1", "apiKey": "none"},
            "models": {"scripted": model},
        }
        settings = {
            "provider": {"scripted": provider},
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "share": "disabled",
            "autoupdate": False,
            "snapshot": False,
        }
        (folder / "opencode.json").write_text(json.dumps(settings))
        (folder / "plugin" / "recorder.js").write_text(_RECORDER % json.dumps(place.recorder))

    def trust(self, place: Place) -> None:
        """It asks for no trust."""

    def command(self, start: Start) -> Sequence[str]:
        return (
            *("opencode", "run", "--format", "json"),
            *(("--session", start.resume) if start.resume else ()),
            *(("--session", start.fork, "--fork") if start.fork else ()),
            # It puts quotes around a word with spaces.
            *start.prompt.split(" "),
        )

    def shell(self, command: str) -> Call:
        return Call("bash", {"command": command, "description": "Run a command"})

    def write(self, file: Path, text: str) -> Call:
        return Call("write", {"filePath": str(file), "content": text})

    def own(self, tool: str, **arguments: object) -> Call:
        return Call(tool, arguments, namespace="devs-git_")

    def transcripts(self, home: Path) -> Sequence[Path]:
        # It keeps none. Our plug-in writes them in the repository, which stands beside HOME.
        return sorted((home.parent / "repo/.git/devs/transcripts").glob("*.jsonl"))
