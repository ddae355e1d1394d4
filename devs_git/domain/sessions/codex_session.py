"""A session in the form of a rollout of Codex, as 0.169.0 resumes it.

It has the items that the model is told. The events beside them are what the client shows to the person, and what
`thread/read` reads. The client adds its own instructions and the folder anew when the session goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from devs_git.domain.recall.conversation import ToolCall, canonical
from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.domain.sessions.new_session import NewSession

_CUSTOM: Final = "custom_tool_call"
# Codex's own, where its settings name none.
_PROVIDER: Final = "openai"
_UNTIMED: Final = "1970-01-01T00:00:00.000Z"


def place(new: NewSession) -> str:
    """The file's path below the client's folder, with the day and time at which it is written."""
    day, time = new.at[:10], new.at[:19].replace(":", "-")
    return f"sessions/{day.replace('-', '/')}/rollout-{time}-{new.session_id}.jsonl"


def for_model(entries: Sequence[SessionEntry]) -> list[SessionEntry]:
    """The entries that the client does not tell its model anew. The client's summary of what was before is one of them."""
    return [entry for entry in entries if entry.message.role != "system" or entry.native.form.get("history")]


def lines(entries: Sequence[SessionEntry], new: NewSession) -> Iterator[dict[str, Any]]:
    """The lines of the rollout. `entries` are those `for_model`, and each call in them has its answer."""
    meta = {
        "id": new.session_id,
        "timestamp": new.at,
        "cwd": new.cwd,
        "originator": "codex_cli_rs",
        "cli_version": new.version,
        "source": "cli",
        # At a terminal, Codex goes on with no session that lacks it.
        "model_provider": provider(new.settings),
        **({"git": {"branch": new.branch}} if new.branch else {}),
    }
    yield {"timestamp": new.at, "type": "session_meta", "payload": meta}
    custom: set[str] = set()
    for entry in entries:
        time = entry.message.timestamp or _UNTIMED
        for kind, payload in _said(entry, custom):
            yield {"timestamp": time, "type": kind, "payload": payload}


def provider(settings: str) -> str:
    """The provider of models that the text of `config.toml` names, for itself or in the profile that it names."""
    import tomllib

    try:
        found = tomllib.loads(settings)
    except (tomllib.TOMLDecodeError, RecursionError):
        return _PROVIDER
    profiles, name = found.get("profiles"), found.get("profile")
    profile = profiles.get(name) if isinstance(profiles, dict) and isinstance(name, str) else None
    named = [one.get("model_provider") for one in (profile, found) if isinstance(one, dict)]
    return next((one for one in named if isinstance(one, str) and one), _PROVIDER)


def _said(entry: SessionEntry, custom: set[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The types and payloads of the lines of an entry. `custom`: the calls so far whose input is a text."""
    message, native = entry.message, entry.native
    yield from (("response_item", hidden) for hidden in native.thoughts)
    if history := native.form.get("history"):
        yield "compacted", {"message": message.content or "", "replacement_history": history}
    elif message.role == "tool":
        yield "response_item", _output(entry, is_custom=native.call_id in custom)
    elif message.role == "user":
        yield "response_item", _text(entry, "user", "input_text")
        yield (
            "event_msg",
            _shown("user_message", message.content, images=[], local_images=[], text_elements=[]),
        )
    elif message.content:
        yield "event_msg", _shown("agent_message", message.content)
        yield "response_item", _text(entry, "assistant", "output_text")
    for call in message.tool_calls or ():
        item = _call(call, entry)
        if item["type"] == _CUSTOM:
            custom.add(call.id)
        yield "response_item", item


def _text(entry: SessionEntry, role: str, kind: str) -> dict[str, Any]:
    phase = entry.native.form.get("phase")
    return {
        "type": "message",
        "role": role,
        "content": [{"type": kind, "text": entry.message.content or ""}],
        **({"phase": phase} if phase else {}),
    }


def _shown(kind: str, said: str | None, **more: Any) -> dict[str, Any]:
    return {"type": kind, "message": said or "", **more}


def _call(call: ToolCall, entry: SessionEntry) -> dict[str, Any]:
    kind, space = entry.native.kind, entry.native.form.get("namespace", "")
    if kind in ("web_search_call", "local_shell_call"):
        named = {} if kind == "web_search_call" else {"call_id": call.id}
        return {"type": kind, **named, "status": "completed", "action": call.input}
    known = {
        "name": call.name.removeprefix(f"{space}__") if space else call.name,
        "call_id": call.id,
        **({"namespace": space} if space else {}),
    }
    if kind == _CUSTOM or isinstance(call.input, str):
        given = call.input if isinstance(call.input, str) else json.dumps(call.input)
        return {"type": _CUSTOM, **known, "input": given}
    return {"type": "function_call", **known, "arguments": canonical(call.input or {})}


def _output(entry: SessionEntry, *, is_custom: bool) -> dict[str, Any]:
    told = entry.message.tool_result or entry.message.content or ""
    return {
        "type": "custom_tool_call_output" if is_custom else "function_call_output",
        "call_id": entry.native.call_id,
        "output": _parts(told, entry.native.form.get("parts")),
    }


def _parts(told: str, lengths: Sequence[int] | None) -> str | list[dict[str, Any]]:
    """The output, in the parts that it had. One part, if it is not whole any more."""
    if lengths is None:
        return told
    if sum(lengths) + max(0, len(lengths) - 1) != len(told):
        lengths = [len(told)]
    found, at = list[dict[str, Any]](), 0
    for length in lengths:
        found.append({"type": "input_text", "text": told[at : at + length]})
        at += length + 1
    return found


def is_read_back(thread: Any, entries: Sequence[SessionEntry]) -> bool:
    """Whether the client's answer to `thread/read` has what the person and the model said after the last compaction."""
    turns = thread.get("turns") if isinstance(thread, dict) else None
    items = [
        item
        for turn in (turns if isinstance(turns, list) else ())
        if isinstance(turn, dict)
        for item in turn.get("items") or ()
        if isinstance(item, dict)
    ]
    read = [said for item in items if (said := _said_in(item))]
    wanted = [
        (entry.message.role, entry.message.content)
        for entry in entries
        if entry.message.role in ("user", "assistant") and entry.message.content
    ]
    return read == wanted


def _said_in(item: Mapping[str, Any]) -> tuple[str, str] | None:
    if item.get("type") == "userMessage":
        parts = item.get("content")
        return "user", "".join(
            str(part.get("text", "")) for part in (parts if isinstance(parts, list) else ())
        )
    return ("assistant", str(item.get("text"))) if item.get("type") == "agentMessage" else None
