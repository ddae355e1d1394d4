"""Trees of forks as their clients write them: Claude Code copies the beginning into a fork, Codex names where it leaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

LONG = 700
START = "2026-02-01T00:{minute:02}:{second:02}.{rest:03}Z"


def moment(number: int) -> str:
    seconds, rest = divmod(number * 250, 1000)
    minute, second = divmod(seconds, 60)
    return START.format(minute=minute, second=second, rest=rest)


@dataclass
class Node:
    """A session. `point`: how many messages it has of its parent; then it says `words`, some of which are long results."""

    client: str
    number: int
    parent: Node | None
    point: int
    words: Sequence[tuple[str, bool]]
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def session(self) -> str:
        return f"{self.client}-{self.number}"

    @property
    def said(self) -> list[str]:
        """What its transcript says of it, from the beginning."""
        before = self.parent.said[: self.point] if self.parent else []
        return before + [word for word, _long in self.words]

    def transcript(self) -> bytes:
        write = claude_lines if self.client == "claude" else codex_lines
        return b"".join(json.dumps(line).encode() + b"\n" for line in write(self))


def spoken(node: Node) -> list[tuple[Node, int, str, bool]]:
    """Each message with the session that said it first, and its number there."""
    before = spoken(node.parent)[: node.point] if node.parent else []
    return before + [(node, at, word, is_long) for at, (word, is_long) in enumerate(node.words)]


def text(word: str, is_long: bool) -> str:
    return f"{word} " + "x" * (LONG if is_long else 1)


def ordinal(node: Node, at: int) -> int:
    """The number of a message's line in a Codex rollout: each message has another line before it."""
    return first_ordinal(node) + 2 * at + 2


def first_ordinal(node: Node) -> int:
    return 0 if node.parent is None else leaving(node)


def leaving(node: Node) -> int:
    before = spoken(node.parent)[: node.point] if node.parent else []
    return ordinal(before[-1][0], before[-1][1]) + 1 if before else 1


def claude_lines(node: Node) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"type": "mode", "sessionId": node.session}]
    for first, at, word, is_long in spoken(node):
        uuid = f"u-{first.session}-{at}"
        part = {"type": "tool_result", "tool_use_id": f"toolu-{uuid}", "content": text(word, is_long)}
        found.append(
            {
                "type": "user",
                "uuid": uuid,
                "sessionId": node.session,
                "timestamp": moment(first.number * 40 + at),
                "message": {"role": "user", "content": [part]},
            }
        )
    return found


def codex_lines(node: Node) -> list[dict[str, Any]]:
    meta: dict[str, Any] = {"id": node.session, "timestamp": moment(node.number * 40)}
    if node.parent:
        meta |= {"forked_from_id": node.parent.session, "forked_from_ordinal_exclusive": leaving(node)}
    time = moment(node.number * 40)
    found = [{"timestamp": time, "ordinal": first_ordinal(node), "type": "session_meta", "payload": meta}]
    for at, (word, is_long) in enumerate(node.words):
        time = moment(node.number * 40 + at)
        kept = {"timestamp": time, "ordinal": ordinal(node, at) - 1, "type": "turn_context"}
        found.append({**kept, "payload": {"turn_id": f"turn-{at}"}})
        item = {
            "type": "function_call_output",
            "call_id": f"call-{node.session}-{at}",
            "output": text(word, is_long),
        }
        found.append(
            {"timestamp": time, "ordinal": ordinal(node, at), "type": "response_item", "payload": item}
        )
    return found
