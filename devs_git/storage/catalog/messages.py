"""Messages in the catalog. A session is a path: it names its messages in their order, and forks share their beginning.

Messages are appended to the path of their session, are stored once, and only a purge changes them.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from devs_git.domain.ledger import paging
from devs_git.domain.recall.conversation import (
    Message,
    main_session,
    message_of,
)
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable

_SESSION: Final = (
    "session_id, client, worktree, task_id, message_count, digest, token_count, cost_usd, seen_at, forked_from, "
    "fork_ordinal, forked_at, inherited"
)
_COLUMNS: Final = (
    "p.session_id, p.position, m.message_id, m.task_id, m.role, m.body, m.created_at, p.digest, m.rewound_by || p.cut_by "
    "FROM messages m JOIN paths p ON p.number = m.number"
)
# A message of several sessions is shown once: in the session in which it was first read, if that has it.
ONE_PLACE: Final = (
    "p.session_id = coalesce((SELECT session_id FROM paths WHERE number = m.number AND session_id = m.session_id), "
    "(SELECT min(session_id) FROM paths WHERE number = m.number))"
)
_IN_SESSION: Final = "number IN (SELECT number FROM paths WHERE session_id = ?)"


@immutable
class Session:
    """A session: its last worktree and task, and the count and digest of its messages so far.

    A fork whose transcript has only the new messages was `forked_from` another session, before the line `fork_ordinal`
    and at the time `forked_at`. Its first `inherited` messages are those of the other session.
    """

    session_id: str
    client: str = ""
    worktree: str = ""
    task_id: str = ""
    message_count: int = 0
    digest: str = ""
    token_count: int = 0
    cost_usd: float = 0.0
    seen_at: str = ""
    forked_from: str = ""
    fork_ordinal: int = 0
    forked_at: str = ""
    inherited: int = 0


@immutable
class Place:
    """A message and its position in a session. `digest` identifies the prefix that ends with it."""

    session_id: str
    position: int
    task_id: str
    rewound: bool
    digest: str
    message: Message


class OfTask(NamedTuple):
    """Selects messages of a task: of one session, or of all if it is '', up to the one with the number `upto`."""

    task_id: str
    session_id: str = ""
    upto: int = paging.NO_END


def session(catalog: Catalog, session_id: str) -> Session | None:
    found = catalog.rows(f"SELECT {_SESSION} FROM sessions WHERE session_id = ?", session_id)
    return Session(*found[0]) if found else None


def last_session(catalog: Catalog, worktree: str) -> Session | None:
    """The newest session of a worktree; if it has none, the newest session of all worktrees. No session of a subagent."""
    query = f"SELECT {_SESSION} FROM sessions WHERE instr(session_id, '/') = 0 ORDER BY worktree = ? DESC, seen_at DESC LIMIT 1"
    found = catalog.rows(query, worktree)
    return Session(*found[0]) if found else None


def session_of_task(catalog: Catalog, task_id: str) -> Session | None:
    """The session of the last message of a task. No session of a subagent."""
    query = (
        "SELECT session_id FROM messages WHERE task_id = ? AND instr(session_id, '/') = 0 "
        "ORDER BY created_at DESC, number DESC LIMIT 1"
    )
    found = catalog.rows(query, task_id)
    return session(catalog, found[0][0]) if found else None


def save_session(catalog: Catalog, known: Session) -> None:
    """Store a session, inside `fulltext.write_transaction`."""
    values = tuple(getattr(known, name) for name in _SESSION.split(", "))
    marks_ = ", ".join("?" * len(values))
    catalog.base.execute(f"INSERT OR REPLACE INTO sessions ({_SESSION}) VALUES ({marks_})", values)


def samples(catalog: Catalog, session_id: str) -> tuple[tuple[str, str], ...]:
    """The times when a hook reported a tool call of a session, each with the task that was active; oldest first."""
    query = "SELECT created_at, task_id FROM traces WHERE session_id = ? AND event <> '' ORDER BY created_at"
    return tuple(catalog.rows(query, main_session(session_id)))


def first_sample(catalog: Catalog, session_id: str) -> str:
    """The time of the oldest of these `samples`; '' if there is none."""
    query = "SELECT created_at FROM traces WHERE session_id = ? AND event <> '' ORDER BY created_at LIMIT 1"
    found = catalog.rows(query, main_session(session_id))
    return str(found[0][0]) if found else ""


def message_in(message_id: str, role: str, body: bytes) -> Message:
    """The message in a row."""
    return message_of({"id": message_id, "role": role, **json.loads(bodies.unpack(body))})


def _place(found: tuple[Any, ...]) -> Place:
    """The message in a row of _COLUMNS."""
    session_id, position, message_id, task_id, role, body, _created, digest, rewound_by = found
    return Place(session_id, position, task_id, bool(rewound_by), digest, message_in(message_id, role, body))


def place_of(catalog: Catalog, number: int, session_id: str = "") -> Place | None:
    """The message with this number: in this session, or in the one in which it was first read. None if it is not there."""
    condition, values = _placed(session_id)
    found = catalog.rows(f"SELECT {_COLUMNS} WHERE m.number = ? AND {condition}", number, *values)
    return _place(found[0]) if found else None


def _placed(session_id: str) -> tuple[str, tuple[str, ...]]:
    """The condition for one place of each message, and its values."""
    return ("p.session_id = ?", (session_id,)) if session_id else (ONE_PLACE, ())


def places(catalog: Catalog, session_id: str, upto: int, limit: int, *, offset: int = 0) -> tuple[Place, ...]:
    """The messages of a session in their order: of the first `upto`, without the last `offset`, the last `limit`."""
    query = f"SELECT {_COLUMNS} WHERE p.session_id = ? AND p.position <= ? ORDER BY p.position DESC LIMIT ? OFFSET ?"
    return tuple(map(_place, reversed(catalog.rows(query, session_id, upto, limit, offset))))


def of_task(catalog: Catalog, known: OfTask, limit: int, *, offset: int = 0) -> tuple[Place, ...]:
    """The messages of a task in their order: leave out the last `offset`, then take the last `limit`."""
    condition, values = _placed(known.session_id)
    query = (
        f"SELECT {_COLUMNS} WHERE m.task_id = ? AND m.number <= ? AND {condition} "
        "ORDER BY m.created_at DESC, m.number DESC LIMIT ? OFFSET ?"
    )
    found = catalog.rows(query, known.task_id, known.upto, *values, limit, offset)
    return tuple(map(_place, reversed(found)))


def tally(catalog: Catalog, known: OfTask) -> tuple[int, int]:
    """The count of a task's messages, and the number of the newest one."""
    query = "SELECT count(*), coalesce(max(number), 0) FROM messages WHERE task_id = ? AND number <= ?"
    values: tuple[Any, ...] = (known.task_id, known.upto)
    if known.session_id:
        query, values = f"{query} AND {_IN_SESSION}", (*values, known.session_id)
    count, newest = catalog.rows(query, *values)[0]
    return int(count), int(newest)


def find(catalog: Catalog, message_id: str, session_id: str = "") -> Place:
    """The message with this id, the newest one if several sessions have it; MESSAGE_NOT_FOUND."""
    condition, values = _placed(session_id)
    query = f"SELECT {_COLUMNS} WHERE m.message_id = ? AND {condition} ORDER BY m.number DESC LIMIT 1"
    found = catalog.rows(query, message_id, *values)
    if not found:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "There is no such message.",
            hint="Find it: devs-git trace search --in messages",
            message_id=message_id,
        )
    return _place(found[0])


def size_until(catalog: Catalog, session_id: str, message_id: str) -> tuple[int, int]:
    """How many messages a session has up to this one, and how many tokens; (0, 0) if it has no such message."""
    query = (
        "SELECT p.position, p.token_count FROM paths p JOIN messages m ON m.number = p.number "
        "WHERE p.session_id = ? AND m.message_id = ?"
    )
    found = catalog.rows(query, session_id, message_id)
    return (int(found[0][0]), int(found[0][1])) if found else (0, 0)


def last_time(catalog: Catalog, known: Session) -> str:
    """The time of the last message of a session."""
    query = "SELECT created_at FROM messages WHERE number = (SELECT number FROM paths WHERE session_id = ? AND position = ?)"
    found = catalog.rows(query, known.session_id, known.message_count)
    return str(found[0][0]) if found else ""
