"""Append messages of a transcript to the path of their session. A message that another session has is not stored again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from devs_git.domain.clients.transcript_lines import FinishedCall
from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.recall.conversation import Message, canonical, chain_digest, main_session, task_at
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session, first_sample, message_in
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.domain.recall.traces import Trace

# Only lines with a time of their own say that a message with the same id and time is the same message.
_TOLD: Final = (
    "SELECT number, session_id, message_id, task_id, role, body, created_at FROM messages "
    "WHERE message_id = ? AND created_at = ? AND role = ? ORDER BY number LIMIT 1"
)

_ADD: Final = "INSERT INTO paths (session_id, position, number, digest, token_count, cost_usd) VALUES (?, ?, ?, ?, ?, ?)"


class About(NamedTuple):
    """What we know about messages beyond their content. `samples` are times, each with the task that was active then.

    `transcript`: the file that has the messages. `hurried`: see `transcripts.ReadContext`. `is_stored`: another catalog
    stored the messages, with their traces.
    """

    agent: str
    now: str
    samples: tuple[tuple[str, str], ...]
    transcript: Path
    hurried: bool
    is_stored: bool = False


def append(catalog: Catalog, known: Session, read: TranscriptMessage, about: About) -> Session:
    """Append a message to a session, inside `fulltext.write_transaction`, and return the session.

    If the session has the message already, nothing changes. If another session has it, it is not stored again.
    """
    base, message = catalog.base, read.message
    there = base.execute(
        "SELECT 1 FROM messages m JOIN paths p ON p.number = m.number WHERE m.message_id = ? AND p.session_id = ?",
        (message.id, known.session_id),
    )
    if there.fetchone():
        return known
    told = base.execute(_TOLD, (message.id, message.timestamp, message.role)).fetchone()
    if told:
        number, kept = int(told[0]), message_in(told[2], *told[4:6])
        _claim(catalog, known, told, about)
    else:
        task_id = task_at(about.samples, message.timestamp)
        kept = read.message if about.is_stored else _with_trace(catalog, known, read, about, task_id)
        number = _insert(catalog, known.session_id, read._replace(message=kept), task_id, about)
    grown = replace(
        known,
        message_count=known.message_count + 1,
        digest=chain_digest(known.digest, kept),
        token_count=known.token_count + read.loose + (kept.token_count or 0),
        cost_usd=known.cost_usd + (kept.cost_usd or 0.0),
    )
    step = (grown.message_count, number, grown.digest, grown.token_count, grown.cost_usd)
    base.execute(_ADD, (grown.session_id, *step))
    if told:
        from devs_git.storage.catalog.sessions import rewound_messages

        rewound_messages.show_again(catalog, number)
    return grown


def _claim(catalog: Catalog, known: Session, told: tuple[Any, ...], about: About) -> None:
    """A fork was read before its source: the message belongs to the source, for which hooks reported calls earlier."""
    number, first, _id, _task, _role, _body, created_at = told
    # This runs for each message of a fork, so it reads one sample of a session and not all.
    here = first_sample(catalog, known.session_id) if first != known.session_id else ""
    there = first_sample(catalog, first) if here else ""
    if not here or (there and there <= here):
        return
    task_id = task_at(about.samples, created_at)
    catalog.base.execute(
        "UPDATE messages SET session_id = ?, task_id = ?, agent = ?, rewound_by = ? WHERE number = ?",
        (known.session_id, task_id, about.agent, traces.rewound_by(catalog, task_id, created_at), number),
    )


def _with_trace(
    catalog: Catalog, known: Session, read: TranscriptMessage, about: About, task_id: str
) -> Message:
    """The message as it is stored. A long result of a tool is stored as a trace, if the hook has not stored it before."""
    if not read.message.tool_result:
        return read.message
    from devs_git.domain.recall.long_results import with_trace
    from devs_git.domain.recall.traces import shorten
    from devs_git.storage.catalog.sessions import finished_calls, unnamed_calls

    if read.answer.part:
        keep_call(catalog, known, read.answer.part, about)
    call = _call(known, read.message.timestamp or about.now, task_id, about)
    kept, trace = with_trace(
        read,
        call,
        partial(finished_calls.output_of, catalog),
        partial(unnamed_calls.join, catalog),
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
    from devs_git.storage.catalog.sessions import session_files

    answer = read.answer
    cut = Cut(answer.full_bytes, answer.path, answer.characters) if answer.cut else None
    longest = session_files.LITTLE if about.hurried else session_files.MOST
    made, whole = session_files.with_whole(trace, cut, about.transcript, longest)
    traces.put(catalog, made, packed=whole)
    return made.cut_by_client


def keep_call(catalog: Catalog, known: Session, call: FinishedCall, about: About) -> None:
    """Store what a transcript tells of a call beside its messages, inside `fulltext.write_transaction`."""
    from devs_git.domain.clients.known_clients import CLIENTS
    from devs_git.storage.catalog.sessions import finished_calls

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


def _insert(catalog: Catalog, session_id: str, read: TranscriptMessage, task_id: str, about: About) -> int:
    message = read.message
    body = bodies.pack(canonical(_body(message)).encode())
    created_at = message.timestamp or about.now
    done = catalog.base.execute(
        "INSERT INTO messages (session_id, message_id, turn_id, ordinal, task_id, agent, role, tool_name, is_error, body, "
        "created_at, rewound_by, recorded_at, native) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session_id,
            message.id,
            read.turn_id,
            read.ordinal,
            task_id,
            about.agent,
            message.role,
            message.tool_name or "",
            bool(message.is_error),
            body,
            created_at,
            traces.rewound_by(catalog, task_id, created_at),
            about.now,
            bodies.pack(canonical(read.native.record()).encode()),
        ),
    )
    assert done.lastrowid is not None
    fulltext.add(catalog, fulltext.MESSAGES, done.lastrowid, bodies.message(body))
    return done.lastrowid


def _body(message: Message) -> dict[str, Any]:
    """The message without its id and role, which are columns of the row."""
    return {name: value for name, value in message.record().items() if name not in ("id", "role")}
