"""OpenAI's Responses API, streamed: what Codex speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.clients.script import Block, Call, Turn

_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15,
}


class ResponsesApi:
    """See `model_server.Api`."""

    path = "/v1/responses"

    def is_turn(self, body: Mapping[str, Any]) -> bool:
        """Newer models are offered their tools as an item of the conversation."""
        items = body.get("input") or ()
        return bool(body.get("tools")) or any(item.get("type") == "additional_tools" for item in items)

    def answer(self, turn: Turn, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        response = {"id": f"resp_{number}", "object": "response", "status": "in_progress", "output": []}
        events: list[dict[str, Any]] = [{"type": "response.created", "response": response}]
        for at, block in enumerate(turn):
            item = _item(block, f"{number}_{at}")
            events.append({"type": "response.output_item.done", "output_index": at, "item": item})
        events.append(
            {"type": "response.completed", "response": {**response, "status": "completed", "usage": _USAGE}}
        )
        return [(event["type"], event) for event in events]

    def results(self, body: Mapping[str, Any]) -> Sequence[str]:
        outputs = [item["output"] for item in body["input"] if item["type"].endswith("_call_output")]
        return [
            output if isinstance(output, str) else "".join(part.get("text", "") for part in output)
            for output in outputs
        ]


def _item(block: Block, number: str) -> dict[str, Any]:
    if not isinstance(block, Call):
        content = [{"type": "output_text", "text": block.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    call = {"call_id": f"call_{number}", "name": block.tool}
    if block.namespace:
        call["namespace"] = block.namespace
    if block.source is not None:
        return {"type": "custom_tool_call", "id": f"ctc_{number}", **call, "input": block.source}
    return {"type": "function_call", "id": f"fc_{number}", **call, "arguments": json.dumps(block.arguments)}
