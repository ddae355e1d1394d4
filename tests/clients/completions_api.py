"""OpenAI's older API of chat completions, streamed: what OpenCode speaks with a model of one's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.clients.script import Call, Turn

_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class CompletionsApi:
    """See `model_server.Api`."""

    path = "/v1/chat/completions"

    def is_turn(self, body: Mapping[str, Any]) -> bool:
        """The client names a session with the same API; only the conversation itself offers tools."""
        return bool(body.get("tools"))

    def answer(self, turn: Turn, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        calls = [block for block in turn if isinstance(block, Call)]
        said = "".join(block.text for block in turn if not isinstance(block, Call))
        delta: dict[str, Any] = {"role": "assistant", "content": said}
        if calls:
            delta["tool_calls"] = [_call(block, at, f"call_{number}_{at}") for at, block in enumerate(calls)]
        reason = "tool_calls" if calls else "stop"
        return [
            ("", _chunk(number, {"index": 0, "delta": delta, "finish_reason": None})),
            ("", {**_chunk(number, {"index": 0, "delta": {}, "finish_reason": reason}), "usage": _USAGE}),
        ]

    def results(self, body: Mapping[str, Any]) -> Sequence[str]:
        told = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        return [
            content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
            for content in told
        ]


def _chunk(number: int, choice: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [choice],
    }


def _call(block: Call, at: int, call_id: str) -> Mapping[str, Any]:
    function = {"name": f"{block.namespace}{block.tool}", "arguments": json.dumps(block.arguments)}
    return {"index": at, "id": call_id, "type": "function", "function": function}
