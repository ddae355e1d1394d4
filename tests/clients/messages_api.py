"""Anthropic's Messages API, streamed: what Claude Code speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.clients.script import Call, Thought, Turn

MODEL = "claude-sonnet-4-5"
_USAGE = {"input_tokens": 10, "output_tokens": 5}


class MessagesApi:
    """See `model_server.Api`."""

    path = "/v1/messages"

    def is_turn(self, body: Mapping[str, Any]) -> bool:
        """The client names a session with the same API; only the conversation itself offers tools."""
        return bool(body.get("tools"))

    def answer(self, turn: Turn, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        called = any(isinstance(block, Call) for block in turn)
        message: dict[str, Any] = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _USAGE,
        }
        events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
        for at, block in enumerate(turn):
            if isinstance(block, Call):
                begin = {
                    "type": "tool_use",
                    "id": f"toolu_{number}_{at}",
                    "name": f"{block.namespace}{block.tool}",
                    "input": {},
                }
                deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block.arguments)}]
            elif isinstance(block, Thought):
                begin = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": block.text},
                    {"type": "signature_delta", "signature": block.signature},
                ]
            else:
                begin = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": block.text}]
            events += [
                {"type": "content_block_start", "index": at, "content_block": begin},
                *({"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas),
                {"type": "content_block_stop", "index": at},
            ]
        reason = "tool_use" if called else "end_turn"
        events += [
            {
                "type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": _USAGE,
            },
            {"type": "message_stop"},
        ]
        return [(event["type"], event) for event in events]

    def results(self, body: Mapping[str, Any]) -> Sequence[str]:
        parts = [part for message in body["messages"] for part in _blocks(message["content"])]
        return [
            "\n".join(inner["text"] for inner in _blocks(part["content"]) if "text" in inner)
            for part in parts
            if part["type"] == "tool_result"
        ]


def _blocks(content: Any) -> Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
