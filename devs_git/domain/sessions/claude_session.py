"""A session in the form of Claude Code's transcript, as 2.1.330 resumes it: one chain of lines, without any branch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.domain.sessions.new_session import NewSession

# Of a model's answer that another client or an older devs-git took in, the model is unknown. Claude Code then goes on with
# the one that is set.
_UNKNOWN: Final = "unknown"
# Characters of a folder's name. A longer one is cut, and a hash of the whole path follows.
_LONGEST: Final = 200


def place(new: NewSession) -> str:
    """The file's path below the client's folder."""
    return f"projects/{folder_of(new.cwd)}/{new.session_id}.jsonl"


def folder_of(cwd: str) -> str:
    """The name of the folder in which Claude Code looks for the sessions of a worktree. It counts in units of UTF-16."""
    data = cwd.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
    name = "".join(chr(one) if one < 128 and chr(one).isalnum() else "-" for one in units)
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}-{_base36(_hash(units))}"


def _hash(units: Sequence[int]) -> int:
    """The program's own hash of a text: 31 times the value so far, in 32 bits with a sign; then without the sign."""
    value = 0
    for one in units:
        value = (value * 31 + one) & 0xFFFFFFFF
    return min(value, 0x100000000 - value)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"


def for_model(entries: Sequence[SessionEntry]) -> list[SessionEntry]:
    """The entries that the client tells its model. Its other notes are for the person."""
    return [entry for entry in entries if entry.message.role != "system" or entry.native.kind]


def lines(entries: Sequence[SessionEntry], new: NewSession) -> Iterator[dict[str, Any]]:
    """The lines of the transcript. `entries` are those `for_model`, and each call in them has its answer."""
    before: str | None = None
    for entry in entries:
        uuid = new.new_id()
        yield {
            "parentUuid": before,
            "isSidechain": False,
            "userType": "external",
            "cwd": new.cwd,
            "sessionId": new.session_id,
            "version": new.version,
            "gitBranch": new.branch,
            **_said(entry),
            "uuid": uuid,
            "timestamp": entry.message.timestamp or "1970-01-01T00:00:00.000Z",
            "forkedFrom": {"sessionId": new.source, "messageUuid": entry.message.id},
        }
        before = uuid
    if new.title:
        yield {"type": "custom-title", "customTitle": new.title, "sessionId": new.session_id}


def _said(entry: SessionEntry) -> dict[str, Any]:
    message, native = entry.message, entry.native
    if message.role == "assistant":
        return {"type": "assistant", "message": _answer(entry)}
    if message.role == "tool":
        result: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": native.call_id,
            "content": message.tool_result or message.content or "",
        }
        if message.is_error:
            result["is_error"] = True
        return {"type": "user", "message": {"role": "user", "content": [result]}}
    marks = {native.kind: True} if native.kind.startswith("is") else {}
    return {"type": "user", "message": {"role": "user", "content": message.content or ""}, **marks}


def _answer(entry: SessionEntry) -> dict[str, Any]:
    message, native = entry.message, entry.native
    calls = message.tool_calls or ()
    content: list[dict[str, Any]] = [dict(block) for block in native.thoughts]
    if message.content:
        content.append({"type": "text", "text": message.content})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input or {}} for call in calls
    ]
    return {
        "id": native.answer or f"msg_{message.id}",
        "type": "message",
        "role": "assistant",
        "model": native.model or _UNKNOWN,
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": message.token_count or 0},
    }
