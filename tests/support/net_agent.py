"""An agent that runs commands in a real shell, under the real hook of its client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devs_git.domain.clients.known_clients import CLIENTS
from tests.support.agent_calls import HookAnswer, after, before, call
from tests.support.own_calls import devs_git


@dataclass
class Agent:
    """A session of a client in the project at `top`, which works in the folder `where`."""

    top: Path
    client: str = "claude"
    where: Path | None = None
    # What the hook said before the last command.
    said: HookAnswer | None = None

    @property
    def folder(self) -> Path:
        return self.where or self.top

    def run(self, command: str) -> int:
        """Run a command: its exit status; -1 if the hook refused it."""
        tool = min(CLIENTS[self.client].shells)
        given: dict[str, Any] = {"cwd": os.fspath(self.folder)}
        self.said = call(
            self.top,
            before(tool, command=command) | given,
            client=self.client,
            where=self.folder,
        )
        assert self.said.err == "", self.said.err
        if self.said.denied:
            return -1
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, check=False, capture_output=True)
        where = self.folder if self.folder.is_dir() else self.top
        payload = after(tool_name=tool, tool_input={"command": command}) | given
        self.answer = call(self.top, payload, client=self.client, where=where)
        return done.returncode

    @property
    def warned(self) -> str:
        """What the agent was told before the last command ran."""
        assert self.said
        return context(self.said)

    def prompt(self, session: str = "s") -> str:
        """What the next prompt of a session tells the agent."""
        payload = {
            "session_id": session,
            "hook_event_name": "UserPromptSubmit",
            "prompt": "go on",
            "cwd": os.fspath(self.folder),
        }
        return context(call(self.top, payload, client=self.client, where=self.folder))

    def status(self) -> list[str]:
        """The lines of `status` about work that is gone."""
        out = devs_git("status", "--json", where=self.folder)
        return list(json.loads(out)["lost"])

    def bring_back(self, line: str) -> str:
        """Run the one command that a line names, in a shell, as a person does."""
        command = line.partition("bring it back: ")[2].partition(" (not kept")[0]
        assert command
        folder = Path(sys.executable).parent
        env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
        words = ["bash", "-c", f"{command} --yes" if "rewind" in command else command]
        done = subprocess.run(words, cwd=self.folder, check=False, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr + done.stdout
        return command


def context(answer: HookAnswer) -> str:
    """The text that a hook puts before the model."""
    assert (answer.status, answer.err) == (0, ""), answer
    return (
        str(json.loads(answer.out)["hookSpecificOutput"].get("additionalContext", "")) if answer.out else ""
    )
