"""The messages of a task or of a session, the newest first, each unpacked only when somebody reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from devs_git.domain.ledger import paging
from devs_git.domain.recall.conversation import Message
from devs_git.storage.catalog import bodies, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import ONE_PLACE

_COLUMNS: Final = (
    "SELECT p.session_id, m.message_id, m.role, m.body, m.rewound_by, "
    "coalesce((SELECT client FROM sessions s WHERE s.session_id = p.session_id), '') "
    "FROM messages m JOIN paths p ON p.number = m.number"
)


class Span(NamedTuple):
    """Selects messages of a task, or of a session if `task_id` is ''. Nothing of a subagent, and nothing that a client noted.

    Of `session_id` those up to the position `upto`, of all others those up to the time `until`; '' for all.
    """

    task_id: str = ""
    session_id: str = ""
    upto: int = paging.NO_END
    until: str = ""


class StoredMessage(NamedTuple):
    """A message as it is stored. `size`: bytes of its JSON."""

    session_id: str
    client: str
    rewound: bool
    size: int
    packed: tuple[str, str, bytes]

    @property
    def message(self) -> Message:
        return messages.message_in(*self.packed)


def read(catalog: Catalog, span: Span) -> Iterator[StoredMessage]:
    """The messages, the newest first."""
    condition, values = _in_task(span) if span.task_id else _in_session(span)
    query = f"{_COLUMNS} WHERE m.role <> 'system' AND {condition}"
    for session_id, message_id, role, body, rewound_by, client in catalog.rows(query, *values):
        size = len(bodies.unpack(body))
        yield StoredMessage(session_id, client, bool(rewound_by), size, (message_id, role, body))


def _in_task(span: Span) -> tuple[str, tuple[Any, ...]]:
    limit, values = "", list[Any]([span.task_id])
    if span.until:
        limit = "AND CASE WHEN p.session_id = ? THEN p.position <= ? ELSE m.created_at <= ? END"
        values += [span.session_id, span.upto, span.until]
    order = "ORDER BY m.created_at DESC, m.number DESC"
    return f"m.task_id = ? AND instr(p.session_id, '/') = 0 AND {ONE_PLACE} {limit} {order}", tuple(values)


def _in_session(span: Span) -> tuple[str, tuple[Any, ...]]:
    limit, values = "", list[Any]([span.session_id, span.upto])
    if span.until:
        limit = "AND m.created_at <= ?"
        values.append(span.until)
    return f"p.session_id = ? AND p.position <= ? {limit} ORDER BY p.position DESC", tuple(values)
