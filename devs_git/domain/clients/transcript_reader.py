"""Messages with ids from the lines of a transcript. Lines that are no JSON are counted, and are not an error."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from devs_git.domain.clients.client import Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_lines import (
    Answer,
    FinishedCall,
    Fork,
    Memory,
    UnnamedMessage,
    loads,
    text,
)
from devs_git.domain.ledger.events import one_line
from devs_git.domain.recall.conversation import Message, canonical, session_of_subagent
from devs_git.domain.recall.session_entries import Native
from devs_git.values import as_mapping, field, mutable, replace

# In how many lines a transcript must show which client wrote it.
LOOKED_AT: Final = 50
# Characters of a session's or a message's id.
_LONGEST: Final = 200
_BAD: Final = (TypeError, ValueError, KeyError, AttributeError, RecursionError)


class TranscriptMessage(NamedTuple):
    """One message of a transcript. `call_id` is the client's id of the call that it answers, `event` the event of the hook
    after such a call. `loose` counts tokens that belong to no message. `answer`: see there. `turn_id` and `ordinal` are the
    client's names of its turn and line; '' and None for none. `native`: see there.
    """

    message: Message
    call_id: str
    event: str
    loose: int
    answer: Answer = Answer()
    turn_id: str = ""
    ordinal: int | None = None
    native: Native = Native()


@mutable
class Reader:
    """Reads one transcript, from the state in `memory` on. `session_id` is the name for lines without one.

    `finished`: the calls of which the last line told how they ended.
    """

    client: Client
    session_id: str
    memory: Memory = field(default_factory=Memory)
    garbage: int = 0
    finished: tuple[FinishedCall, ...] = ()

    @property
    def session(self) -> str:
        """The session's id on one line, for trailers. It may be only the file's name."""
        own = one_line(text(self.memory.session_id) or text(self.session_id))[:_LONGEST] or "session"
        agent = one_line(text(self.memory.agent_id))[:_LONGEST]
        return session_of_subagent(own, agent) if agent else own

    @property
    def fork(self) -> Fork | None:
        """What the transcript says of the session that it is a fork of; None if it has all messages itself."""
        return Fork(*self.memory.fork) if self.memory.fork else None

    def read(self, line: bytes) -> list[TranscriptMessage]:
        """The messages of a line, none for a blank line or garbage. Garbage is counted."""
        self.finished = ()
        if not line.strip():
            return []
        try:
            found = parse_object(line)
            said = self.client.read(found, self.memory)
        except _BAD:
            self.garbage += 1
            return []
        finally:
            self.finished, self.memory.finished = tuple(self.memory.finished), []
        return [self._named(one, timed="timestamp" in found) for one in said]

    def _named(self, said: UnnamedMessage, *, timed: bool) -> TranscriptMessage:
        message = replace(said.message, id=said.own_id[:_LONGEST] or self._own_name(said, timed=timed))
        event = self.client.answered[bool(message.is_error)]
        loose, self.memory.loose = self.memory.loose, 0
        own = (self.memory.turn_id, self.memory.ordinal)
        native = said.native._replace(call_id=said.call_id)
        return TranscriptMessage(message, said.call_id, event, loose, said.answer, *own, native)

    def _own_name(self, said: UnnamedMessage, *, timed: bool) -> str:
        """An id made from the message, because the client has none. Without a time, also from the number of equal messages before."""
        record = said.message.record()
        kept = {
            name: record.get(name) for name in ("role", "content", "timestamp", "tool_calls", "tool_result")
        }
        name = hashlib.sha256(canonical([kept, said.call_id]).encode()).hexdigest()[:32]
        if timed:
            return name
        count = self.memory.seen[name] = self.memory.seen.get(name, 0) + 1
        return name if count == 1 else f"{name}.{count}"


def parse_object(line: bytes) -> dict[str, Any]:
    """The object in a line; ValueError or TypeError for anything else."""
    found = loads(line)
    if not isinstance(found, dict):
        raise TypeError("no object")
    return found


def is_complete(line: bytes) -> bool:
    """Whether a last line without a line end is complete."""
    try:
        parse_object(line)
    except _BAD:
        return False
    return True


def client_of(lines: Iterable[bytes]) -> str:
    """The client whose transcript begins with these lines; '' for none."""
    return next((name for line in lines for name in _clients(line)), "")


def _clients(line: bytes) -> Iterator[str]:
    try:
        found = parse_object(line)
    except _BAD:
        return
    yield from (name for name, client in CLIENTS.items() if client.knows(found))


def memory_text(memory: Memory) -> str:
    """The memory as text, for the next time."""
    return canonical(as_mapping(memory))


def memory_of(kept: str) -> Memory:
    """The memory in such a text; an empty one for ''."""
    return Memory(**json.loads(kept)) if kept else Memory()
