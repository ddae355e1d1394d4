"""The messages of all sessions in the order in which they were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devs_git.domain.recall.conversation import Message
from devs_git.storage.catalog import steering
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import message_in
from devs_git.values import immutable

_AT_ONCE: Final = 200
_CONTRACT: Final = steering.CONTRACT.format(task="m.task_id")
_PHASE: Final = steering.PHASE.format(task="m.task_id", at="m.created_at", contract=_CONTRACT)
_QUERY: Final = (
    "SELECT m.number, m.session_id, coalesce(s.client, ''), m.task_id, m.agent, m.created_at, m.recorded_at, "
    f"m.rewound_by <> '', {_CONTRACT} AS contract, {_PHASE} AS phase, m.message_id, m.role, m.body "
    "FROM messages m LEFT JOIN sessions s ON s.session_id = m.session_id WHERE m.number {place} ?1 "
    "AND ?2 IN ('', m.task_id) AND ?3 IN ('', contract) AND ?4 IN ('', phase) AND ?5 IN ('', m.agent) "
    "AND m.created_at >= ?6 AND (?7 = '' OR m.created_at <= ?7) ORDER BY m.number {order} LIMIT ?8"
)
_BACK: Final = _QUERY.format(place="<", order="DESC")
_ONWARD: Final = _QUERY.format(place=">", order="ASC")


@immutable
class MessageFilter:
    """Which messages: '' for any. The times are stamps; both ends belong to the range."""

    task_id: str = ""
    contract: str = ""
    phase: str = ""
    agent: str = ""
    since: str = ""
    until: str = ""


@immutable
class RecordedMessage:
    """A message, when it was recorded, and to what it belongs."""

    message: Message
    number: int
    session_id: str
    client: str
    task_id: str
    agent: str
    created_at: str
    recorded_at: str
    rewound: bool
    contract: str
    phase: str


def newest(catalog: Catalog) -> int:
    """The number of the message that was recorded last, 0 for none."""
    return int(catalog.rows("SELECT coalesce(max(number), 0) FROM messages")[0][0])


def newest_before(catalog: Catalog, at: str) -> int:
    """The number of the last message that was recorded before a time, 0 for none."""
    return int(catalog.rows("SELECT coalesce(max(number), 0) FROM messages WHERE recorded_at < ?", at)[0][0])


def back(catalog: Catalog, before: int, wanted: MessageFilter) -> Iterator[RecordedMessage]:
    """The messages with a number below `before`, the newest first, read as they are needed."""
    yield from _read(catalog, _BACK, before, wanted)


def onward(catalog: Catalog, after: int, wanted: MessageFilter) -> Iterator[RecordedMessage]:
    """The messages with a number above `after`, the oldest first, read as they are needed."""
    yield from _read(catalog, _ONWARD, after, wanted)


def _read(catalog: Catalog, query: str, place: int, wanted: MessageFilter) -> Iterator[RecordedMessage]:
    asked = (wanted.task_id, wanted.contract, wanted.phase, wanted.agent, wanted.since, wanted.until)
    while True:
        found = catalog.rows(query, place, *asked, _AT_ONCE)
        for row in found:
            yield RecordedMessage(message_in(*row[10:]), *row[:10])
        if len(found) < _AT_ONCE:
            return
        place = found[-1][0]
