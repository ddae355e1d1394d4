"""What a rollout of Codex has beside its messages: the form of each item, items that are no message, counts of tokens.

`thread/revert` begins another file with the same session. Its first line names the line of the session from which it goes
on, so the messages from there on are no part of the conversation any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from devs_git.domain.clients.transcript_lines import (
    Memory,
    UnnamedMessage,
    blocks,
    spoken,
    text,
    whole_number,
)
from devs_git.domain.recall.session_entries import Native

# What Codex itself adds at the beginning of a conversation as the user.
INJECTED: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
)
# The types of items that follow from what we store of the message anyway.
_PLAIN: Final = ("message", "function_call")
# The client makes these anew for each model and each folder.
_TOLD_ANEW: Final = frozenset({"additional_tools", "ghost_snapshot"})
# A longer item that is no message (a picture) is only named. Characters.
_LONGEST: Final = 1 << 16
# More of them before one message are only named, too.
_MOST: Final = 100
_KEPT: Final = ("namespace", "phase")


def with_forms(
    line: Mapping[str, Any], said: Sequence[UnnamedMessage], memory: Memory
) -> Sequence[UnnamedMessage]:
    """The messages of a line with what its item has beside them."""
    kind, payload = line.get("type"), line.get("payload")
    item: Mapping[str, Any] = payload if isinstance(payload, dict) else line
    if kind == "session_meta":
        _note_session(item, memory)
    elif kind == "response_item" and not said:
        _note_hidden(item, memory)
    return [one._replace(native=_native(item, one, memory)) for one in said]


def _note_session(meta: Mapping[str, Any], memory: Memory) -> None:
    memory.version = text(meta.get("cli_version"))
    base = meta.get("history_base")
    if isinstance(base, dict) and base.get("thread_id") == meta.get("id"):
        memory.base = whole_number(base.get("end_ordinal_exclusive"))


def _note_hidden(item: Mapping[str, Any], memory: Memory) -> None:
    """Keep an item that is no message for the next message: what the model thought, encrypted, or a search for tools."""
    kind = text(item.get("type"))
    if kind in _TOLD_ANEW or kind == "message":
        return
    kept = _without_notes(item)
    short = len(memory.thoughts) < _MOST and len(json.dumps(kept)) <= _LONGEST
    memory.thoughts.append(kept if short else kind)


def _native(item: Mapping[str, Any], one: UnnamedMessage, memory: Memory) -> Native:
    kind = text(item.get("type"))
    version, base, hidden = memory.version, memory.base, list[Any]()
    memory.version, memory.base = "", None
    if one.message.role != "system":
        hidden, memory.thoughts = memory.thoughts, []
    history = _history(item)
    is_output = one.message.role == "tool"
    return Native(
        parent="" if history else None,
        base=base,
        call_id=one.call_id,
        kind="" if kind in _PLAIN or is_output or not kind.endswith("_call") else kind,
        version=version,
        thoughts=tuple(each for each in hidden if isinstance(each, dict)),
        omitted=(*(each for each in hidden if isinstance(each, str)), *_only_named(item)),
        form=_form(item, is_output=is_output) | ({"history": history} if history else {}),
    )


def _form(item: Mapping[str, Any], *, is_output: bool) -> dict[str, Any]:
    found = {name: text(item[name]) for name in _KEPT if isinstance(item.get(name), str)}
    output = item.get("output")
    if is_output and isinstance(output, list):
        return {**found, "parts": [len(spoken([part])) for part in blocks(output)]}
    return found


def _history(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the model was told instead of all messages before, after a compaction."""
    history = item.get("replacement_history")
    return [
        _without_notes(each)
        for each in (history if isinstance(history, list) else ())
        if isinstance(each, dict) and not is_injected(each)
    ]


def is_injected(item: Mapping[str, Any]) -> bool:
    """Whether an item is one that Codex adds itself, from its settings and the folder it runs in."""
    if text(item.get("type")) in _TOLD_ANEW:
        return True
    said = spoken(blocks(item.get("content"))).lstrip()
    return (
        item.get("type") == "message"
        and (item.get("role") != "assistant")
        and (item.get("role") != "user" or said.startswith(INJECTED))
    )


def _without_notes(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if not name.startswith("internal_")}


def _only_named(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of the parts of a message or an output of which we keep only the name."""
    parts = item.get("content") if item.get("type") == "message" else item.get("output")
    listed = parts if isinstance(parts, list) else ()
    return tuple(text(part.get("type")) for part in blocks(listed) if "text" not in part)


def count_tokens(payload: Mapping[str, Any], memory: Memory) -> None:
    """Count the tokens since the last time: `total_token_usage` counts from the session's beginning."""
    info = payload.get("info") if payload.get("type") == "token_count" else None
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if not isinstance(total, dict):
        return
    given, cached, out = (
        whole_number(total.get(name)) for name in ("input_tokens", "cached_input_tokens", "output_tokens")
    )
    counted = max(0, given - cached) + out
    memory.loose += max(0, counted - memory.usage.get("tokens", 0))
    memory.usage = {"of": "session", "tokens": counted}
