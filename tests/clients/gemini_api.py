"""Google's Gemini API, streamed: what Gemini CLI speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.clients.script import Block, Call, Turn

_USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}


class GeminiApi:
    """See `model_server.Api`."""

    path = ":streamGenerateContent"

    def is_turn(self, body: Mapping[str, Any]) -> bool:
        """The client also asks for a title, a route or a summary, without tools."""
        return bool(body.get("tools"))

    def answer(self, turn: Turn, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        content = {
            "role": "model",
            "parts": [_part(block, f"call_{number}_{at}") for at, block in enumerate(turn)],
        }
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        return [("", {"candidates": [candidate], "usageMetadata": _USAGE, "modelVersion": "gemini-2.5-pro"})]

    def results(self, body: Mapping[str, Any]) -> Sequence[str]:
        parts = [part for content in body["contents"] for part in content["parts"]]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        return [str(answer.get("output", answer.get("error", json.dumps(answer)))) for answer in answers]


def _part(block: Block, number: str) -> Mapping[str, Any]:
    if not isinstance(block, Call):
        return {"text": block.text}
    return {
        "functionCall": {
            "id": number,
            "name": f"{block.namespace}{block.tool}",
            "args": dict(block.arguments),
        }
    }
