"""What a scripted model answers: turns of texts and tool calls, in no API's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Text:
    """The model says something. A turn without a call ends the client's run."""

    text: str


@dataclass(frozen=True)
class Thought:
    """The model thinks before it says something. Only Claude Code's API has it, signed."""

    text: str
    signature: str = "c2lnbmVk"


@dataclass(frozen=True)
class Call:
    """The model calls a tool by the name that the client offers. `source` is for tools that take text instead of JSON."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    namespace: str = ""
    source: str | None = None


Block = Text | Thought | Call
Turn = tuple[Block, ...]
# What the model does next may depend on what it was told of its calls.
Reply = Callable[[Sequence[str]], Turn]

END: Turn = (Text("All is done."),)
