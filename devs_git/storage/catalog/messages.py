"""Messages in the catalog. They are appended to their session, are read in their order, and only a purge changes them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from devs_git.domain.clients.transcript_lines import FinishedCall
from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.ledger import paging
from devs_git.domain.recall.conversation import (
    Message,
    canonical,
    chain_digest,
    main_session,
    message_of,
    task_at,
)
from devs_git.errors import DevsError
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.recall.traces import Trace

_SESSION: Final = (
    "session_id, client, worktree, task_id, message_count, digest, token_count, cost_usd, seen_at"
)
_OF_TASK: Final = "task_id = ? AND ? IN ('', session_id) AND number <= ?"
COLUMNS: Final = "session_id, position, message_id, task_id, role, body, created_at, digest, rewound_by"


@immutable
class Session:
    """A session: its last worktree and task, and the count and digest of its messages so far."""

    session_id: str
    client: str = ""
    worktree: str = ""
    task_id: str = ""
    message_count: int = 0
    digest: str = ""
    token_count: int = 0
    cost_usd: float = 0.0
    seen_at: str = ""


@immutable
class Place:
    """A message and its position in a session. `digest` identifies the prefix that ends with it."""

    session_id: str
    position: int
    task_id: str
    rewound: bool
    digest: str
    message: Message


class About(NamedTuple):
    """What we know about messages beyond their content. `samples` are times, each with the task that was active then.

    `transcript`: the file that has the messages.
    """

    agent: str
    now: str
    samples: tuple[tuple[str, str], ...]
    transcript: Path


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
    marks_ = ", ".join("?" * 9)
    values = (known.session_id, known.client, known.worktree, known.task_id, known.message_count)
    more = (known.digest, known.token_count, known.cost_usd, known.seen_at)
    catalog.base.execute(f"INSERT OR REPLACE INTO sessions ({_SESSION}) VALUES ({marks_})", (*values, *more))


def samples(catalog: Catalog, session_id: str) -> tuple[tuple[str, str], ...]:
    """The times when a hook reported a tool call of a session, each with the task that was active; oldest first."""
    query = "SELECT created_at, task_id FROM traces WHERE session_id = ? AND event <> '' ORDER BY created_at"
    return tuple(catalog.rows(query, main_session(session_id)))


def append(catalog: Catalog, known: Session, read: TranscriptMessage, about: About) -> Session:
    """Append a message to a session, inside `fulltext.write_transaction`, and return the session.

    If the session has the message already, nothing changes.
    """
    base, message = catalog.base, read.message
    there = base.execute(
        "SELECT 1 FROM messages WHERE session_id = ? AND message_id = ?", (known.session_id, message.id)
    )
    if there.fetchone():
        return known
    task_id = task_at(about.samples, message.timestamp)
    kept = _with_trace(catalog, known, read, about, task_id)
    grown = replace(
        known,
        message_count=known.message_count + 1,
        digest=chain_digest(known.digest, kept),
        token_count=known.token_count + read.loose + (kept.token_count or 0),
        cost_usd=known.cost_usd + (kept.cost_usd or 0.0),
    )
    _insert(catalog, grown, kept, task_id, about)
    return grown


def _with_trace(
    catalog: Catalog, known: Session, read: TranscriptMessage, about: About, task_id: str
) -> Message:
    """The message as it is stored. A long result of a tool is stored as a trace, if the hook has not stored it before."""
    if not read.message.tool_result:
        return read.message
    from devs_git.domain.recall.long_results import with_trace
    from devs_git.domain.recall.traces import shorten
    from devs_git.storage.catalog import finished_calls, unnamed_calls

    if read.answer.part:
        keep_call(catalog, known, read.answer.part, about)
    call = _call(known, read.message.timestamp or about.now, task_id, about)
    kept, trace = with_trace(
        read,
        call,
        partial(finished_calls.output_of, catalog),
        partial(unnamed_calls.join_hook, catalog),
    )
    if trace is None:
        return kept
    stored = traces.row(catalog, trace.trace_id)
    cut = stored.cut_by_client if stored else _put(catalog, trace, read, about)
    # The trace may have the whole, though the message has not.
    result = shorten(read.message.tool_result, trace.trace_id, cut_by_client=cut)
    return replace(kept, tool_result=result)


def _put(catalog: Catalog, trace: Trace, read: TranscriptMessage, about: About) -> bool:
    """Store the trace of a result, the whole if the client keeps it. Returns whether it is cut."""
    from devs_git.domain.recall.traces import Cut
    from devs_git.storage.catalog import session_files

    cut = Cut(read.answer.full_bytes, read.answer.path) if read.answer.cut else None
    made, whole = session_files.with_whole(trace, cut, about.transcript)
    traces.put(catalog, made, packed=whole)
    return made.cut_by_client


def keep_call(catalog: Catalog, known: Session, call: FinishedCall, about: About) -> None:
    """Store what a transcript tells of a call beside its messages, inside `fulltext.write_transaction`."""
    from devs_git.domain.clients.known_clients import CLIENTS
    from devs_git.storage.catalog import finished_calls

    trace = _call(known, call.timestamp or about.now, task_at(about.samples, call.timestamp or None), about)
    event = CLIENTS[known.client].answered[call.is_error]
    finished_calls.keep(catalog, call, trace, event)


def _call(known: Session, created_at: str, task_id: str, about: About) -> Trace:
    """What is known of any call of a session's tools."""
    from devs_git.domain.recall.traces import Trace

    return Trace(
        trace_id="",
        created_at=created_at,
        output=b"",
        task_id=task_id,
        session_id=main_session(known.session_id),
        agent=about.agent,
        client=known.client,
    )


def _insert(catalog: Catalog, grown: Session, message: Message, task_id: str, about: About) -> None:
    body = bodies.pack(canonical(_body(message)).encode())
    created_at = message.timestamp or about.now
    done = catalog.base.execute(
        "INSERT INTO messages (session_id, position, message_id, task_id, agent, role, tool_name, is_error, body, "
        "created_at, digest, token_count, cost_usd, rewound_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            grown.session_id,
            grown.message_count,
            message.id,
            task_id,
            about.agent,
            message.role,
            message.tool_name or "",
            bool(message.is_error),
            body,
            created_at,
            grown.digest,
            grown.token_count,
            grown.cost_usd,
            traces.rewound_by(catalog, task_id, created_at),
        ),
    )
    assert done.lastrowid is not None
    fulltext.add(catalog, fulltext.MESSAGES, done.lastrowid, bodies.message(body))


def _body(message: Message) -> dict[str, Any]:
    """The message without its id and role, which are columns of the row."""
    return {name: value for name, value in message.record().items() if name not in ("id", "role")}


def place_of(found: tuple[Any, ...]) -> Place:
    """The message in a row of COLUMNS."""
    session_id, position, message_id, task_id, role, body, _created, digest, rewound_by = found
    record = {"id": message_id, "role": role, **json.loads(bodies.unpack(body))}
    return Place(session_id, position, task_id, bool(rewound_by), digest, message_of(record))


def places(catalog: Catalog, session_id: str, upto: int, limit: int, *, offset: int = 0) -> tuple[Place, ...]:
    """The messages of a session in their order: of the first `upto`, without the last `offset`, the last `limit`."""
    query = (
        f"SELECT {COLUMNS} FROM messages WHERE session_id = ? AND position <= ? "
        "ORDER BY position DESC LIMIT ? OFFSET ?"
    )
    return tuple(map(place_of, reversed(catalog.rows(query, session_id, upto, limit, offset))))


def of_task(catalog: Catalog, known: OfTask, limit: int, *, offset: int = 0) -> tuple[Place, ...]:
    """The messages of a task in their order: leave out the last `offset`, then take the last `limit`."""
    query = f"SELECT {COLUMNS} FROM messages WHERE {_OF_TASK} ORDER BY created_at DESC, number DESC LIMIT ? OFFSET ?"
    return tuple(map(place_of, reversed(catalog.rows(query, *known, limit, offset))))


def tally(catalog: Catalog, known: OfTask) -> tuple[int, int]:
    """The count of a task's messages, and the number of the newest one."""
    query = f"SELECT count(*), coalesce(max(number), 0) FROM messages WHERE {_OF_TASK}"
    count, newest = catalog.rows(query, *known)[0]
    return int(count), int(newest)


def find(catalog: Catalog, message_id: str, session_id: str = "") -> Place:
    """The message with this id, the newest one if several sessions have it; MESSAGE_NOT_FOUND."""
    query = f"SELECT {COLUMNS} FROM messages WHERE message_id = ? AND ? IN ('', session_id) ORDER BY number DESC LIMIT 1"
    found = catalog.rows(query, message_id, session_id)
    if not found:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "There is no such message.",
            hint="Find it: devs-git trace search --in messages",
            message_id=message_id,
        )
    return place_of(found[0])


def last_time(catalog: Catalog, known: Session) -> str:
    """The time of the last message of a session."""
    query = "SELECT created_at FROM messages WHERE session_id = ? AND position = ?"
    found = catalog.rows(query, known.session_id, known.message_count)
    return str(found[0][0]) if found else ""
