"""An agent's own MCP server: `devs-git mcp` on standard input and output, as a client starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self


class AgentServer:
    """A running server in the folder `top`. A call of a tool answers with the tool's JSON."""

    def __init__(self, top: Path, *, client: str, session: str) -> None:
        told = {
            "claude": {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session},
            "codex": {"CODEX_THREAD_ID": session},
        }
        environment = {**os.environ, **told[client]}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "devs_git", "mcp"],
            cwd=top,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.sent = 0
        about = {"name": client, "version": "1"}
        self._ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the tool answers; a refusal fails the test."""
        answer = self._ask("tools/call", name=tool, arguments=arguments)
        assert not answer.get("isError"), answer
        found: dict[str, Any] = answer["structuredContent"]
        return found

    def refused(self, tool: str, **arguments: Any) -> str:
        """The code of the error with which the tool answers."""
        answer = self._ask("tools/call", name=tool, arguments=arguments)
        assert answer.get("isError"), answer
        return str(answer["structuredContent"]["code"])

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.sent += 1
        self._send({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params})
        assert self.process.stdout
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.sent:
                result: dict[str, Any] = answer["result"]
                return result

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
