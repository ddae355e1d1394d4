"""Agents at work in one worktree: their clients call the real hook with payloads as real clients sent them."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.text.times import stamp
from devs_git.storage.moments import behind
from devs_git.workspace import Workspace
from tests.support import client_examples
from tests.support.agent_calls import call

# The recorded payloads are of a repository in this folder.
_RECORDED = "/work/repo"


def _recorded(client: str) -> list[dict[str, Any]]:
    lines = client_examples.newest(client, "hooks").read_text().splitlines()
    return [json.loads(line) for line in lines]


@dataclass
class Agent:
    """One session of a client in the worktree `top`. It works as fast as the test: times are those of the machine."""

    top: Path
    session: str
    client: str = "claude"
    calls: int = 0
    # The id of the last message in the transcript.
    said: str = ""
    began: dict[str, float] = field(default_factory=dict)

    @property
    def transcript(self) -> Path:
        return self.top.parent / f"{self.session}.jsonl"

    def prompt(self, words: str = "Go on.") -> None:
        if self.client == "claude":
            said = {"role": "user", "content": words}
            line: dict[str, Any] = {
                "type": "user",
                "uuid": f"{self.session}-{time.time_ns()}",
                "sessionId": self.session,
            }
            line |= {"timestamp": stamp(datetime.now(UTC)), "message": said, "parentUuid": self.said or None}
            self.said = line["uuid"]
            with self.transcript.open("a") as stream:
                stream.write(json.dumps(line) + "\n")
        self._tell(CLIENTS[self.client].prompt, "", prompt=words)

    def begins(self, command: str) -> str:
        """The client begins a call of its shell; returns the id of the call."""
        return self._begins("shell", {"command": command})

    def ends(self, call_id: str, command: str = "make") -> None:
        self._ends("shell", call_id, {"command": command})

    def shell(self, command: str) -> None:
        """A whole call of the client's shell, which runs in the worktree."""
        call_id = self.begins(command)
        subprocess.run(["sh", "-c", command], cwd=self.top, check=True)
        self.ends(call_id, command)

    def edit(self, name: str, text: str) -> None:
        """Write a file with the client's own tool for editing."""
        given = self._input(name, text)
        call_id = self._begins("edit", given)
        place = self.top / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        self._ends("edit", call_id, given)

    def denied(self, name: str) -> str:
        """The reason why the client's own tool may not write a file now; '' if it may."""
        known = CLIENTS[self.client]
        payload = self._payload(known.before, "edit", f"{self.session}-denied", self._input(name, "x"))
        return call(self.top, payload, client=self.client, event=known.before).denied

    def claims_edit(self, name: str, text: str, seconds: float) -> None:
        """Tell the hook of an edit that never was, as a shell can that pipes JSON into it."""
        self.began["forged"] = time.monotonic() - seconds
        self._ends("edit", "forged", self._input(name, text))

    def patch(self, text: str, command: str) -> None:
        """A patch of Codex or OpenCode, and the shell command that does the same."""
        field_ = CLIENTS[self.client].patches["apply_patch"]
        call_id = self._begins("edit", {field_: text})
        subprocess.run(["sh", "-c", command], cwd=self.top, check=True)
        self._ends("edit", call_id, {field_: text}, tool="apply_patch")

    def stops(self) -> None:
        self._tell(next(iter(CLIENTS[self.client].session)), "")

    def quits(self) -> None:
        """The client tells the end of the session."""
        self._tell(CLIENTS[self.client].end, "")

    def _input(self, name: str, text: str) -> dict[str, Any]:
        known = CLIENTS[self.client]
        if self.client == "codex":
            return {"command": f"*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch\n"}
        return {known.edits[_tool(self.client, "edit")]: str(self.top / name), "content": text}

    def _begins(self, kind: str, given: dict[str, Any]) -> str:
        self.calls += 1
        call_id = f"{self.session}-{self.calls}"
        self.began[call_id] = time.monotonic()
        self._tell(CLIENTS[self.client].before, kind, call_id, given)
        return call_id

    def _ends(self, kind: str, call_id: str, given: dict[str, Any], tool: str = "") -> None:
        took = round(1000 * (time.monotonic() - self.began.pop(call_id)))
        more = {"duration_ms": took} if self.client in ("claude", "opencode") else {}
        self._tell(next(iter(CLIENTS[self.client].after)), kind, call_id, given, tool=tool, **more)

    def _tell(
        self,
        event: str,
        kind: str,
        call_id: str = "",
        given: dict[str, Any] | None = None,
        tool: str = "",
        **more: Any,
    ) -> None:
        """Run the hook; it must not deny."""
        payload = self._payload(event, kind, call_id, given, tool, **more)
        answer = call(self.top, payload, client=self.client, event=event)
        assert answer.status == 0, answer
        assert not answer.denied, answer
        # A slow machine makes some moments behind the client.
        while behind.is_at_work(Workspace.open(self.top).places.own / "moments"):
            time.sleep(0.02)

    def _payload(
        self,
        event: str,
        kind: str,
        call_id: str = "",
        given: dict[str, Any] | None = None,
        tool: str = "",
        **more: Any,
    ) -> dict[str, Any]:
        """The recorded payload of this event, with our own session, call and folder."""
        fields = CLIENTS[self.client].fields
        tool = tool or (_tool(self.client, kind) if kind else "")
        found = next(
            (
                one
                for one in _recorded(self.client)
                if one["hook_event_name"] == event and one.get(fields.tool, "") == tool
            ),
            {"hook_event_name": event, fields.tool: tool} if tool else {"hook_event_name": event},
        )
        payload: dict[str, Any] = json.loads(json.dumps(found).replace(_RECORDED, str(self.top)))
        payload |= {
            fields.session: self.session,
            fields.folder: str(self.top),
            fields.transcript: str(self.transcript),
            **more,
        }
        if given is not None:
            payload[fields.tool_input] = given
        if fields.use_id and call_id:
            payload[fields.use_id] = call_id
        return payload


def _tool(client: str, kind: str) -> str:
    shells = {"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command", "opencode": "bash"}
    edits = {"claude": "Write", "codex": "apply_patch", "gemini": "write_file", "opencode": "write"}
    return {"shell": shells, "edit": edits}[kind][client]
