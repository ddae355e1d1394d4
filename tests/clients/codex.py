"""Codex, in `codex exec`. Its older models call each tool by its name; its newer ones write a program that calls them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.clients.program import Place, Program, Start
from tests.clients.responses_api import ResponsesApi
from tests.clients.script import Call

EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
)
_CONFIG: Final = """\
model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
"""


class Codex(Program):
    """See `program.Program`. Of Codex's models this one has no mode of code: its tools are called one by one."""

    name = "codex"
    client = "codex"
    package = "@openai/codex"
    version = ("codex", "--version")
    api = ResponsesApi()
    shell_tool = "Bash"
    model = "gpt-5.5"

    def variables(self, place: Place) -> Mapping[str, str]:
        return {"CODEX_HOME": str(place.home / ".codex")}

    def settle(self, place: Place) -> None:
        folder = place.home / ".codex"
        folder.mkdir(exist_ok=True)
        recorder = {"hooks": [{"type": "command", "command": place.recorder}]}
        (folder / "hooks.json").write_text(json.dumps({"hooks": {event: [recorder] for event in EVENTS}}))
        config = _CONFIG.format(model=self.model, address=place.address)
        self._config(place).write_text(config)

    def trust(self, place: Place) -> None:
        """Codex has two trusts: the project's, and each hook's, ours and the recording one."""
        self.trust_project(place)
        with self._config(place).open("a") as file:
            for hook in known_hooks(place):
                key, hashed = (json.dumps(hook[name]) for name in ("key", "currentHash"))
                file.write(f"[hooks.state.{key}]\ntrusted_hash = {hashed}\n")

    def trust_project(self, place: Place) -> None:
        with self._config(place).open("a") as file:
            file.write(f'[projects."{place.top}"]\ntrust_level = "trusted"\n')

    def _config(self, place: Place) -> Path:
        return place.home / ".codex" / "config.toml"

    def command(self, start: Start) -> Sequence[str]:
        # Codex waits for our server, or a script could call its tools before they are there.
        waiting = ("-c", "mcp_servers.devs-git.required=true") if start.trusted and start.waits else ()
        verb: tuple[str, ...] = ()
        if start.resume:
            verb = ("resume", start.resume)
        elif start.fork:
            verb = ("fork", start.fork)
        return ("codex", "exec", "--json", *waiting, *verb, start.prompt)

    def shell(self, command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    def write(self, file: Path, text: str) -> Call:
        return Call("apply_patch", source=_patch(file, text))

    def own(self, tool: str, **arguments: object) -> Call:
        return Call(tool, arguments, namespace="mcp__devs_git")

    def transcripts(self, home: Path) -> Sequence[Path]:
        return sorted((home / ".codex" / "sessions").rglob("rollout-*.jsonl"))


class CodexInCode(Codex):
    """Codex with a model that calls tools from a JavaScript program, as all of its newer models do."""

    name = "codex-code"
    model = "gpt-6.1-sol"

    def shell(self, command: str) -> Call:
        return _program("exec_command", {"cmd": command})

    def write(self, file: Path, text: str) -> Call:
        return _program("apply_patch", _patch(file, text))

    def own(self, tool: str, **arguments: object) -> Call:
        return _program(f"mcp__devs_git__{tool}", arguments)


def known_hooks(place: Place) -> Sequence[Mapping[str, Any]]:
    """Every hook that Codex sees in the repository, with its hash and whether it is trusted, as Codex itself says."""
    asked = (
        (
            "initialize",
            {"clientInfo": {"name": "devs-git", "version": "0"}, "capabilities": {"experimentalApi": True}},
        ),
        ("hooks/list", {"cwds": [str(place.top)]}),
    )
    with subprocess.Popen(
        ["codex", "app-server"],
        cwd=place.top,
        env=place.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin
        assert server.stdout
        answer: Mapping[str, Any] = {}
        for number, (method, params) in enumerate(asked):
            _send(server.stdin, {"id": number, "method": method, "params": params})
            answer = next(line for line in _lines(server.stdout) if line.get("id") == number)
        server.terminate()
    return [hook for place in answer["result"]["data"] for hook in place["hooks"]]


def _send(pipe: Any, message: Mapping[str, Any]) -> None:
    pipe.write(json.dumps(message) + "\n")
    pipe.flush()


def _lines(pipe: Any) -> Iterator[Mapping[str, Any]]:
    for line in pipe:
        yield json.loads(line)


def _patch(file: Path, text: str) -> str:
    added = "".join(f"+{line}\n" for line in text.splitlines())
    return f"*** Begin Patch\n*** Add File: {file}\n{added}*** End Patch\n"


def _program(tool: str, argument: object) -> Call:
    source = f"text(await tools.{tool}({json.dumps(argument)}));\n"
    return Call("exec", namespace="functions", source=source)
