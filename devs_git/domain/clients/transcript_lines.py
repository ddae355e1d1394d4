"""What the readers of all transcripts share: what earlier lines left to know, and the values of one line.

A client's `read` is one pure function: a parsed line in, messages out. What it has to remember is in `Memory`, plain JSON
values, so that a transcript read in two goes gives the same messages as one read at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from devs_git.domain.recall.conversation import Message
from devs_git.domain.text.times import stamp
from devs_git.values import field, mutable

# Calls without a result that are remembered; a session has a handful.
_CALLS: Final = 1000


@mutable
class Memory:
    """What the lines so far told. `calls`: name and input of each tool call that has no result yet.

    `usage`: what was counted last, and of what; `loose`: tokens that belong to no message that is kept.
    `seen`: how often a line stood here that names neither itself nor its time.
    """

    session_id: str = ""
    timestamp: str = ""
    calls: dict[str, list[Any]] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    loose: int = 0
    seen: dict[str, int] = field(default_factory=dict)

    def note_call(self, call_id: str, name: str, given: Any) -> None:
        self.calls[call_id] = [name, given]
        while len(self.calls) > _CALLS:
            del self.calls[next(iter(self.calls))]

    def take_call(self, call_id: str) -> tuple[str | None, Any]:
        """Name and input of the call, which is forgotten; None where nobody saw it."""
        name, given = self.calls.pop(call_id, (None, None))
        return name, given


class Said(NamedTuple):
    """A message before it has an id: `own_id` is the client's ('' where it has none), `call_id` the call it answers."""

    message: Message
    own_id: str = ""
    call_id: str = ""


def text(value: Any) -> str:
    """`value` where it is text, in a form that can be stored; '' for anything else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def loads(given: str | bytes) -> Any:
    """JSON as everybody reads it: what is no number (`NaN`), or above all of them (`1e400`), is null."""
    return json.loads(given, parse_constant=lambda _name: None, parse_float=_number)


def _number(written: str) -> float | None:
    value = float(written)
    return value if math.isfinite(value) else None


def whole_number(value: Any) -> int:
    """A count that somebody else wrote; 0 for what is none. So many can be added up for ever."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else 0


def money(value: Any) -> float | None:
    """What somebody else says that an answer cost; None for what no answer costs."""
    sensible = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
    return float(value) if sensible else None


def moment(value: Any, memory: Memory) -> str | None:
    """A line's time in the form that we write; that of the line before where it has none."""
    try:
        memory.timestamp = stamp(datetime.fromisoformat(value))
    except (TypeError, ValueError, OverflowError):
        return memory.timestamp or None
    return memory.timestamp


def blocks(content: Any) -> list[Mapping[str, Any]]:
    """The parts of a message's content; a text is one part."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def spoken(parts: Sequence[Mapping[str, Any]]) -> str:
    """The text of content parts; what is no text (an image, a document) is named in brackets."""
    found = [
        text(part.get("text")) if "text" in part else f"[{text(part.get('type')) or 'part'}]"
        for part in parts
    ]
    return "\n".join(found)
