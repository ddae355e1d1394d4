"""The tree of a transcript of Claude Code: which message each message follows.

Each line names the line before it. Many lines are no message of ours (notes of hooks, reminders, thoughts), so we remember
which message such a line leads back to. A line that only one other line follows is forgotten after that; one that a prompt
follows stays, because a person who goes back begins another branch there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from devs_git.domain.clients.transcript_lines import Memory, UnnamedMessage, blocks, note, text
from devs_git.domain.recall.session_entries import Native

_THOUGHTS: Final = ("thinking", "redacted_thinking")
# What marks a line with the type `user` that no person wrote.
_KINDS: Final = ("isCompactSummary", "isSidechain", "isMeta")


def with_places(
    line: Mapping[str, Any], said: Sequence[UnnamedMessage], memory: Memory
) -> list[UnnamedMessage]:
    """The messages of a line with their places in the tree."""
    uuid, parent = text(line.get("uuid")), text(line.get("parentUuid"))
    if not uuid:
        return list(said)
    # Who made a transcript without the key did not say what follows what.
    before = memory.links.get(parent, parent) if "parentUuid" in line else None
    if not any(one.message.role == "user" for one in said):
        memory.links.pop(parent, None)
    thoughts = _thoughts(line, memory, taken=bool(said))
    found: list[UnnamedMessage] = []
    for one in said:
        native = _native(line, one, before)
        found.append(one._replace(native=native._replace(thoughts=thoughts, omitted=_omitted(line, one))))
        before = one.own_id
    if before is not None and before != uuid:
        note(memory.links, uuid, before)
    return found


def _native(line: Mapping[str, Any], one: UnnamedMessage, parent: str | None) -> Native:
    message = line.get("message")
    told = message if isinstance(message, dict) and line.get("type") == "assistant" else {}
    kind = next((name for name in _KINDS if line.get(name) is True), "user")
    return Native(
        parent=parent,
        call_id=one.call_id,
        answer=text(told.get("id")),
        kind=kind if line.get("type") == "user" and one.message.role == "system" else "",
        model=text(told.get("model")),
        version=text(line.get("version")),
        form=_kept(line),
    )


def _kept(line: Mapping[str, Any]) -> dict[str, Any]:
    """Of a compaction: which messages from before it the client goes on to tell its model, and after which message."""
    told = line.get("compactMetadata")
    kept = told.get("preservedMessages") if isinstance(told, dict) else None
    if not isinstance(kept, dict) or not isinstance(kept.get("uuids"), list):
        return {}
    ids, after = [one for one in kept["uuids"] if isinstance(one, str)], text(kept.get("anchorUuid"))
    return {"kept": ids, "after": after} if ids and after else {}


def _omitted(line: Mapping[str, Any], one: UnnamedMessage) -> tuple[str, ...]:
    """The kinds of the parts of a message of which we keep only the name."""
    message = line.get("message")
    parts = blocks(message.get("content")) if isinstance(message, dict) else []
    if one.call_id:
        results = [part for part in parts if part.get("tool_use_id") == one.call_id]
        parts = [inner for part in results for inner in blocks(part.get("content"))]
    kinds = (text(part.get("type")) for part in parts if "text" not in part and "tool_use_id" not in part)
    return tuple(kind for kind in kinds if kind not in _THOUGHTS and not kind.endswith("tool_use"))


def _thoughts(line: Mapping[str, Any], memory: Memory, *, taken: bool) -> tuple[Mapping[str, Any], ...]:
    """What the model thought before this part of its answer. Without a message here, it is kept for the next part."""
    message = line.get("message")
    if line.get("type") != "assistant" or not isinstance(message, dict):
        return ()
    answer = text(message.get("id"))
    held = memory.thoughts[1:] if memory.thoughts[:1] == [answer] else []
    here = [part for part in blocks(message.get("content")) if part.get("type") in _THOUGHTS]
    memory.thoughts = [] if taken else [answer, *held, *here]
    return (*held, *here) if taken else ()
