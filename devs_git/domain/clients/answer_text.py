"""A tool's answer as text, in each form that a client gives it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def text_of(response: Any) -> str:
    """The whole output, if it is text in a form of a client; else the response as canonical JSON."""
    if response is None:
        return ""
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        texts = [_block(part) for part in response]
        return "\n".join(texts) if texts and None not in texts else canonical(response)  # type: ignore[arg-type]
    if isinstance(response, dict):
        found = _of_mapping(response)
        if found is not None:
            return found
    return canonical(response)


def _block(part: Any) -> str | None:
    """The text of one content block of an MCP tool's answer, None for another block."""
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _of_mapping(response: Mapping[str, Any]) -> str | None:
    out, error = response.get("stdout"), response.get("stderr")
    if isinstance(out, str) and isinstance(error, str | None):
        between = "\n" if out and error and not out.endswith("\n") else ""
        return out + between + (error or "")
    if isinstance(response.get("output"), str):
        return str(response["output"])
    file = response.get("file")
    if isinstance(file, dict) and isinstance(file.get("content"), str):
        return str(file["content"])
    return text_of(response["content"]) if isinstance(response.get("content"), list) else None


def canonical(value: Any) -> str:
    """JSON with sorted keys and without spaces. Equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
