"""A transcript of Codex 0.169.0, line by line, as `tests/examples/clients/codex/0.169.0` has them; texts may be long here."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.support.agent_calls import after

SESSION: Final = "01a207a2-b93f-7361-9c15-b5cae54d5c92"
LONG: Final = "".join(f"{number}\n" for number in range(1000, 1300))
MARK: Final = "\n... command output truncated for persistence ...\n"


class Rollout:
    """The lines so far, each a second after the one before."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._add("session_meta", {"session_id": SESSION, "id": SESSION, "cli_version": "0.169.0"})

    @property
    def data(self) -> bytes:
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)

    def _add(self, kind: str, payload: dict[str, Any]) -> None:
        at = len(self.lines)
        time = f"2026-11-23T09:{at // 60:02d}:{at % 60:02d}.000Z"
        self.lines.append({"timestamp": time, "ordinal": at, "type": kind, "payload": payload})

    def turn(self, turn_id: str) -> None:
        self._add("turn_context", {"turn_id": turn_id})

    def message(self, role: str, *texts: str) -> None:
        content = [{"type": "input_text", "text": text} for text in texts]
        self._add("response_item", {"type": "message", "role": role, "content": content})

    def call(self, call_id: str, name: str, arguments: Any, namespace: str = "") -> None:
        called = {"name": name, "call_id": call_id} | ({"namespace": namespace} if namespace else {})
        if isinstance(arguments, str):
            self._add("response_item", {"type": "custom_tool_call", **called, "input": arguments})
        else:
            self._add(
                "response_item", {"type": "function_call", **called, "arguments": json.dumps(arguments)}
            )

    def result(self, call_id: str, told: str) -> None:
        self._add("response_item", {"type": "function_call_output", "call_id": call_id, "output": told})

    def patched(self, call_id: str, told: str) -> None:
        self._add("response_item", {"type": "custom_tool_call_output", "call_id": call_id, "output": told})

    def program(self, call_id: str, *parts: str, state: str = "completed") -> None:
        """What a program that called tools printed."""
        texts = (f"Script {state}\nWall time 0.5 seconds\nOutput:\n", *parts)
        output = [{"type": "input_text", "text": text} for text in texts]
        self._add("response_item", {"type": "custom_tool_call_output", "call_id": call_id, "output": output})

    def item(self, kind: str, call_id: str, **more: Any) -> None:
        item = {"type": kind, "id": call_id, "status": "completed", **more}
        self._add("event_msg", {"type": "item_completed", "item": item})

    def ended(self, call_id: str, command: str, output: str, code: int = 0, process: str = "90317") -> None:
        self.item(
            "CommandExecution",
            call_id,
            process_id=process,
            command=["/bin/bash", "-lc", command],
            source="unified_exec_startup",
            status="failed" if code else "completed",
            aggregated_output=output,
            exit_code=code,
            duration={"secs": 1, "nanos": 167206866},
        )

    def answered(self, call_id: str, text: str, *, failed: bool = False) -> None:
        """A tool of our MCP server answered."""
        self.item(
            "McpToolCall",
            call_id,
            server="devs-git",
            tool="rewind_to_task",
            arguments={"task_id": "10"},
            status="failed" if failed else "completed",
            result={"content": [{"type": "text", "text": text}], "isError": failed},
            duration={"secs": 0, "nanos": 37730868},
        )


def shell_result(output: str, state: str = "Process exited with code 0") -> str:
    """What the model is told of a command."""
    return f"Chunk ID: 846b68\nWall time: 0.1675 seconds\n{state}\nOriginal token count: 2\nOutput:\n{output}"


def shell_answer(output: str, **more: Any) -> str:
    """What a program gets of a command, as it hands it on."""
    told = {"chunk_id": "383ba8", "wall_time_seconds": 0.2, **(more or {"exit_code": 0})}
    return json.dumps({**told, "original_token_count": 2, "output": output}, separators=(",", ":"))


def cut_text(text: str) -> str:
    """A long text as the model and the hooks are told it."""
    count = -(-len(text) // 4)
    lines = text.count("\n")
    gap = f"…{count - 10000} tokens truncated…"
    top = f"Warning: truncated output (original token count: {count})\nTotal output lines: {lines}\n\n"
    return f"{top}{text[:20000]}{gap}{text[-20000:]}"


def told_hook(call_id: str, command: str, output: str) -> dict[str, Any]:
    """What Codex tells our hook after a command."""
    more = {"session_id": SESSION, "tool_use_id": call_id, "tool_input": {"command": command}}
    return after(call_id, output, **more)
