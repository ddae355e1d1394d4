"""What the readers of all transcripts share: the memory of earlier lines, and the values of one line.

A client's `read` is one pure function from a parsed line to messages. It remembers in `Memory`, which has plain JSON
values: a transcript that is read in parts gives the same messages as one that is read at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from devs_git.domain.recall.conversation import Message
from devs_git.domain.recall.session_entries import Native
from devs_git.domain.text.times import stamp
from devs_git.values import field, mutable

# How many calls without a result are remembered. A session has a few.
_CALLS: Final = 1000


@mutable
class Memory:
    """What is remembered of earlier lines. `calls`: name and input of each tool call that has no result yet.

    `agent_id`: the client's id of the subagent of the session, if the transcript is a subagent's.

    `usage`: the last count of tokens, and of what. `loose`: tokens of lines that gave no message. `seen`: how often each
    line without an id and a time was read. `fork`: the members of a `Fork`, if the transcript begins as one. `turn_id` and
    `ordinal`: the client's names of the turn and of the last line, if it has such names.

    `finished`: the calls of which the last line told how they ended. `ended`: whether each of them failed and is stored,
    until a message has its result. `processes`: id, command and whether it ended of the call that started each process.
    `tasks`: the other members of each `EndedTask` whose output was not taken yet, by `call_id`.

    `links`: the message before each line that is no message itself, by the client's id of the line. `thoughts`: the id of
    an answer, then the model's thoughts in it that no message has yet. `unknown`: what no form of a line that we know has.

    `version`: that of the client, until a message has it. `base`: the number of the line before which the next message
    goes on; None for the last line.
    """

    session_id: str = ""
    agent_id: str = ""
    timestamp: str = ""
    calls: dict[str, list[Any]] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    loose: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    finished: list[FinishedCall] = field(default_factory=list)
    ended: dict[str, list[bool]] = field(default_factory=dict)
    processes: dict[str, list[Any]] = field(default_factory=dict)
    tasks: dict[str, list[Any]] = field(default_factory=dict)
    fork: list[Any] = field(default_factory=list)
    turn_id: str = ""
    ordinal: int | None = None
    links: dict[str, str] = field(default_factory=dict)
    thoughts: list[Any] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    version: str = ""
    base: int | None = None

    def note_call(self, call_id: str, name: str, given: Any) -> None:
        note(self.calls, call_id, [name, given])

    def note_task(self, task: EndedTask) -> None:
        self.tasks[task.call_id] = list(task[1:])
        while len(self.tasks) > _CALLS:
            del self.tasks[next(iter(self.tasks))]

    def take_call(self, call_id: str) -> tuple[str | None, Any]:
        """Forget the call, and return its name and input; None if it is unknown."""
        name, given = self.calls.pop(call_id, (None, None))
        return name, given


def note(kept: dict[str, Any], key: str, value: Any) -> None:
    """Remember a value, and forget the oldest ones."""
    kept[key] = value
    while len(kept) > _CALLS:
        del kept[next(iter(kept))]


class FinishedCall(NamedTuple):
    """What a transcript tells of a tool call beside its messages. `call_id` is the id that the client's hooks have, too.

    `output` is what the tool printed; `exit_code` and `duration_ms` are None if nobody knows. `cut`: the client left
    something of the output out. `is_part`: the call has not ended, and this is one more part of its output.
    `is_last_part`: it has ended meanwhile. `raw` is the client's own record, as JSON.
    """

    call_id: str
    tool_name: str
    tool_input: Any
    output: str
    timestamp: str
    is_error: bool = False
    exit_code: int | None = None
    duration_ms: int | None = None
    cut: bool = False
    is_part: bool = False
    is_last_part: bool = False
    raw: str = ""


class Answer(NamedTuple):
    """How a tool's result in a message belongs to calls of which the transcript tells more. `calls` are their ids.

    `texts` are the parts of the result: as the model was told them, and without the client's words. A part is stored only
    if it is in no output of `calls`; without `texts` the result is the output of the only call. `kept`: a long result may
    be stored as a trace. `printed`: the result without the client's words, '' if there are none. `cut`: the client left
    something of it out; `full_bytes`, `path` and `characters` are those of a `Cut`. `part`: what this message adds to the output of a
    process.
    """

    calls: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    kept: bool = True
    printed: str = ""
    cut: bool = False
    full_bytes: int | None = None
    path: str = ""
    characters: int | None = None
    part: FinishedCall | None = None


class EndedTask(NamedTuple):
    """A command that ended in the background. `call_id` is the client's id of the call that started it as `task_id`.

    `path`: the client's file with all that it printed.
    """

    call_id: str
    task_id: str
    path: str
    is_error: bool


class Fork(NamedTuple):
    """The beginning of a transcript that has only a fork's new messages.

    The other messages are those of the session `source` before its line `ordinal`. `at` is the time of the fork.
    """

    source: str
    ordinal: int
    at: str


class UnnamedMessage(NamedTuple):
    """A message before it has an id. `own_id` is the client's id ('' for none), `call_id` that of the call that it answers."""

    message: Message
    own_id: str = ""
    call_id: str = ""
    answer: Answer = Answer()
    native: Native = Native()


def text(value: Any) -> str:
    """`value`, if it is text, in a form that can be stored; else ''."""
    if not isinstance(value, str):
        return ""
    # Most texts of a transcript are ASCII, and to ask for that takes no time.
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def loads(given: str | bytes) -> Any:
    """The value of a JSON text. `NaN` and numbers that are too large (`1e400`) become null."""
    return json.loads(given, parse_constant=lambda _name: None, parse_float=_number)


def _number(written: str) -> float | None:
    value = float(written)
    return value if math.isfinite(value) else None


def whole_number(value: Any) -> int:
    """A count from a transcript; 0 if it is not a sensible one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else 0


def money(value: Any) -> float | None:
    """The cost of an answer in a transcript; None if it is not a sensible one."""
    sensible = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
    return float(value) if sensible else None


def moment(value: Any, memory: Memory) -> str | None:
    """A line's time in our form, or that of the line before."""
    try:
        memory.timestamp = stamp(datetime.fromisoformat(value))
    except (TypeError, ValueError, OverflowError):
        return memory.timestamp or None
    return memory.timestamp


def blocks(content: Any) -> list[Mapping[str, Any]]:
    """The parts of a message's content. A text is one part."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def spoken(parts: Sequence[Mapping[str, Any]]) -> str:
    """The text of content parts. Other parts (an image, a document) are named in brackets."""
    found = [
        text(part.get("text")) if "text" in part else f"[{text(part.get('type')) or 'part'}]"
        for part in parts
    ]
    return "\n".join(found)
