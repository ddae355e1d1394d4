"""Example payloads of clients, and calls of our client hook as a client makes them."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from tests.support.git_calls import git

EXAMPLES = {
    path.stem: json.loads(path.read_text())
    for path in Path(__file__).parent.parent.glob("examples/hooks/*.json")
}


@dataclass(frozen=True)
class HookAnswer:
    """What a hook answers to a client."""

    status: int
    out: str
    err: str

    @property
    def denied(self) -> str:
        """The reason why the tool may not run, as clients read it; '' if it may run."""
        if self.status == 2:
            return self.err
        output = json.loads(self.out) if self.out else {}
        if output.get("decision") == "deny":
            return str(output["reason"])
        output = output.get("hookSpecificOutput", {})
        return output["permissionDecisionReason"] if output.get("permissionDecision") == "deny" else ""


def install_hooks(top: Path) -> Path:
    """Install the hooks of all clients in a project, as `agent install` does it, and commit their files; the project."""
    for client in CLIENTS.values():
        client_files.install(locate(top), top, client)
    git("add", "-A", where=top)
    git("commit", "-qm", "agents", where=top)
    return top


def call(
    top: Path,
    payload: Any,
    *,
    client: str = "claude",
    event: str = "",
    where: Path | None = None,
    shell: str = "sh",
    **env: str,
) -> HookAnswer:
    """Run the line that the client's file of the project at `top` has for this event, in the folder `where`.

    An event of Claude Code around a tool stands for the client's own.
    """
    event = event_of(client, event or payload["hook_event_name"])
    line = _line(client, event, (top / CLIENTS[client].hooks_file).read_text())
    variables = {"CLAUDE_PROJECT_DIR": os.fspath(top)} if client == "claude" else {}
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    done = subprocess.run(
        [shell, "-c", line],
        cwd=where or top,
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, **variables, **env},
    )
    return HookAnswer(done.returncode, done.stdout.decode(), done.stderr.decode())


def _line(client: str, event: str, text: str) -> str:
    """Our line at an event in the client's file, or in our plug-in."""
    if not CLIENTS[client].plugin:
        return str(json.loads(text)["hooks"][event][0]["hooks"][0]["command"])
    begin = text.index("const LINES = ") + len("const LINES = ")
    lines, _ = json.JSONDecoder().raw_decode(text, begin)
    return str(lines[event])


def event_of(client: str, event: str) -> str:
    """The client's name of an event that Claude Code has before or after a tool, before a prompt, or when it stops."""
    known = CLIENTS[client]
    same = {
        "PreToolUse": known.before,
        "PostToolUse": next(iter(known.after)),
        "UserPromptSubmit": known.prompt,
        "Stop": known.session[0],
    }
    return same.get(event, event)


def before(tool: str, **given: Any) -> dict[str, Any]:
    return {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_use_id": "u",
        "tool_input": given,
    }


def after(number: int | str = 1, output: Any = "out", **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": f"u{number}",
        "tool_input": {"command": "make"},
        "tool_response": output,
        **more,
    }
