"""What a client's transcript shows of texts that were put before the model: by a hook, or as a prompt.

A tool's output never counts, because a command may print any text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final


def _texts(content: Any) -> Iterator[str]:
    """The texts of a content: text itself, or a list of texts and of blocks of text."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("type") in ("text", "input_text"):
            yield from _texts(part.get("text"))


def _of_claude(line: Mapping[str, Any]) -> str:
    attachment, message = line.get("attachment"), line.get("message")
    if line.get("type") == "attachment" and isinstance(attachment, dict):
        if attachment.get("type") == "hook_additional_context":
            return "\n".join(_texts(attachment.get("content")))
    elif line.get("type") == "user" and isinstance(message, dict):
        return "\n".join(_texts(message.get("content")))
    return ""


def _of_codex(line: Mapping[str, Any]) -> str:
    payload = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(payload, dict):
        return ""
    is_told = payload.get("type") == "message" and payload.get("role") in ("developer", "user")
    return "\n".join(_texts(payload.get("content"))) if is_told else ""


# The text of a parsed line for the model, '' for another line. The transcripts of other clients do not show what hooks tell.
READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {"claude": _of_claude, "codex": _of_codex}
