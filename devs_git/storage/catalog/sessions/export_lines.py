"""Sessions in an export: a line for each session, then a line for each of its messages, in their order.

With them a session can be shown, searched and written for its client on another machine. A message has its long results
shortened, as the catalog has them; the whole is in the traces of the same export.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from devs_git.domain.recall.conversation import Message, canonical, message_of
from devs_git.storage.catalog import bodies, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session
from devs_git.values import replace

_SESSIONS: Final = (
    "SELECT session_id, client, seen_at, message_count FROM sessions WHERE message_count > 0 AND (? = '' OR session_id IN "
    "(SELECT p.session_id FROM paths p JOIN messages m ON m.number = p.number WHERE m.task_id = ?)) "
    "ORDER BY seen_at, session_id"
)
_MESSAGES: Final = (
    "SELECT m.message_id, m.role, m.task_id, m.agent, m.turn_id, m.ordinal, m.created_at, m.body, m.native "
    "FROM paths p JOIN messages m ON m.number = p.number WHERE p.session_id = ? ORDER BY p.position"
)
# The types of what a message may have beside its id and role. JSON has one type for whole numbers and others.
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("content", "timestamp", "tool_name", "tool_result", "trace_id"), (str,)),
    **dict.fromkeys(("tool_calls", "trace_ids"), (list,)),
    "is_error": (bool,),
    "token_count": (int,),
    "cost_usd": (int, float),
    "tool_input": (object,),
}


def lines(catalog: Catalog, task_id: str = "", *, whole: bool = False) -> Iterator[dict[str, Any]]:
    """The sessions, oldest first; with a `task_id` those in which something was said for this task.

    Unless they are to be `whole`, what looks like a secret is masked; INVALID_ARGUMENTS if the detector is not installed.
    """
    for session_id, client, seen_at, count in catalog.rows(_SESSIONS, task_id, task_id):
        yield {"session_id": session_id, "client": client, "seen_at": seen_at, "messages": count}
        for message_id, role, task, agent, turn_id, ordinal, created_at, body, native in catalog.base.execute(
            _MESSAGES, (session_id,)
        ):
            told = json.loads(bodies.unpack(body))
            beside = json.loads(bodies.unpack(native)) if native else {}
            if not whole:
                told, beside = _masked(told, beside)
            yield {
                "message_id": message_id,
                "role": role,
                "task_id": task,
                "agent": agent,
                "turn_id": turn_id,
                "ordinal": ordinal,
                "created_at": created_at,
                "body": canonical(told),
                "native": canonical(beside),
            }


def _masked(told: dict[str, Any], beside: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both without secrets. A signed thought cannot be changed, so it goes whole."""
    hidden = _mask(beside)
    if hidden.get("thoughts") != beside.get("thoughts"):
        del hidden["thoughts"]
    return _mask(told), hidden


def _mask(value: Any) -> Any:
    from devs_git.storage.documents import secrets

    if isinstance(value, str):
        return secrets.mask(value)
    if isinstance(value, list):
        return [_mask(one) for one in value]
    return {name: _mask(one) for name, one in value.items()} if isinstance(value, dict) else value


def begin(catalog: Catalog, record: Mapping[str, Any], now: str) -> Session:
    """The session of a line, inside `fulltext.write_transaction`; the one that is here, if there is one. ValueError."""
    # Late: most exports have no sessions, and no export needs this.
    from devs_git.domain.clients.known_clients import CLIENTS
    from devs_git.domain.ledger.events import one_line

    name = record["session_id"]
    if record["client"] not in CLIENTS or one_line(name) != name:
        raise ValueError("a session of no known client")
    known = messages.session(catalog, name)
    return known or Session(name, record["client"], seen_at=record["seen_at"] or now)


def add(catalog: Catalog, known: Session, record: Mapping[str, Any], now: str) -> Session:
    """Append the message of a line to the session, and return the session. One that it has already stays. ValueError."""
    # Late, as above.
    from devs_git.domain.clients.transcript_reader import TranscriptMessage
    from devs_git.domain.recall.session_entries import native_of
    from devs_git.storage.catalog.append_messages import About, append

    message = _message(record)
    native = native_of(_object(record["native"]))
    if not (native.parent is None or isinstance(native.parent, str)):
        raise ValueError("a message without a place")
    read = TranscriptMessage(
        message, native.call_id, "", 0, turn_id=record["turn_id"], ordinal=record["ordinal"], native=native
    )
    about = About(record["agent"], now, (("", record["task_id"]),), Path(), hurried=False, is_stored=True)
    grown = append(catalog, known, read, about)
    if grown is not known:
        messages.save_session(catalog, grown)
    return replace(grown, task_id=grown.task_id or record["task_id"])


def _message(record: Mapping[str, Any]) -> Message:
    body = _object(record["body"])
    if any(name not in _TYPES or not isinstance(value, _TYPES[name]) for name, value in body.items()):
        raise ValueError("no message")
    calls = body.get("tool_calls", [])
    if not all(isinstance(call, dict) and isinstance(call.get("id"), str) for call in calls):
        raise ValueError("no calls")
    if not all(isinstance(name, str) for name in body.get("trace_ids", [])):
        raise ValueError("no traces")
    try:
        return message_of({"id": record["message_id"], "role": record["role"], **body})
    except TypeError as error:
        raise ValueError("no message") from error


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError("no object")
    return found
