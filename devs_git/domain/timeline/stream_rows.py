"""One row of the stream, and which rows a reader wants."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_names import Data
from devs_git.domain.recall.conversation import Message
from devs_git.domain.timeline import kinds
from devs_git.values import immutable

LONGEST: Final = 2_000  # characters of a message in a row; `conversation show` has the whole
_SUBJECT: Final = 100


@immutable
class Row:
    """What happened. `contract`, `task_id`, `phase`: to what it belongs, '' for nothing.

    `id`: the oid of an event; with `:` and a path for a file that its task's commit changed; `message-` and a number for a
    message, whose id in its client is in `event_data`. `created_at`: when it happened, which for a message may be long before
    it was recorded.
    """

    id: str
    actor: str
    contract: str
    task_id: str
    event_type: str
    event_subtype: str
    phase: str
    subject: str
    event_data: Data
    created_at: str


@immutable
class Filter:
    """The rows that a reader wants: '' and () for any. `since` and `until` are stamps, and belong to the range."""

    types: tuple[str, ...] = ()
    subtypes: tuple[str, ...] = ()
    task_id: str = ""
    contract: str = ""
    phase: str = ""
    agent: str = ""
    actor: str = ""
    since: str = ""
    until: str = ""

    def has_type(self, name: str) -> bool:
        """Whether rows of this type are wanted."""
        return not self.types or name in self.types

    @property
    def wants_files(self) -> bool:
        """Whether the files of a commit may be wanted: to find them takes long."""
        known = kinds.SUBTYPES[kinds.FILE]
        return self.has_type(kinds.FILE) and (not self.subtypes or any(one in known for one in self.subtypes))

    def takes(self, row: Row) -> bool:
        """Whether type, subtype, actor and time of a row are wanted."""
        return (
            self.has_type(row.event_type)
            and (not self.subtypes or row.event_subtype in self.subtypes)
            and self.actor.lower() in row.actor.lower()
            and self.since <= row.created_at
            and (not self.until or row.created_at <= self.until)
        )


def subject_of(message: Message) -> str:
    """One line that says what a message is."""
    calls = ", ".join(call.name for call in message.tool_calls or ())
    text = message.content or (f"calls {calls}" if calls else "") or message.tool_result or ""
    line = " ".join(text[: 4 * _SUBJECT].split())
    return f"{message.role}: {line if len(line) <= _SUBJECT else line[:_SUBJECT] + '…'}"


def said_in(message: Message) -> Data:
    """The content of a message as fields of a row."""
    content = message.content or ""
    found: Data = {"message_id": message.id, "role": message.role, "content": content[:LONGEST]}
    if len(content) > LONGEST:
        found["characters"] = len(content)
    if message.tool_calls:
        found["tools"] = [call.name for call in message.tool_calls]
    if message.tool_name:
        found["tool_name"] = message.tool_name
    if message.trace_id:
        found["trace_id"] = message.trace_id
    return found
