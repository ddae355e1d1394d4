"""The name of a ledger event on a stream of events, and its JSON there."""

from __future__ import annotations

from typing import Any, Final

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event

# Names that are not the type in capitals. The name in an event's own `Devs-Event-Name` comes first.
NAMES: Final = {
    "gate.requested": "HITL_GATE_REQUIRED",
    "checked-out": "CHECKED_OUT",
    "": "LEDGER_COMMIT",  # a commit that devs-git did not write
}
JSON_FIELDS: Final = {
    "task_id": Key.TASK,
    "gate_type": Key.GATE_TYPE,
    "gate_id": Key.GATE,
    "agent_id": Key.AGENT,
    "actor": Key.ACTOR,
    "outcome": Key.OUTCOME,
    "created_at": Key.FINISHED,
}


def name_of(event: Event) -> str:
    """The event's name for other programs: CHECKPOINT_CREATED for `checkpoint.created`."""
    own = event.get(Key.EVENT_NAME)
    if own.isascii() and own.replace("_", "").isalnum():
        return own
    return NAMES.get(event.type) or "".join(char if char.isalnum() else "_" for char in event.type).upper()


def subtype_of(event: Event) -> str:
    """The subtype of an event: the type of its gate, what rewrote the commits, or the code of its failure."""
    return next(filter(None, map(event.get, (Key.GATE_TYPE, Key.CAUSE, Key.CODE))), "")


def as_json(event: Event) -> dict[str, Any]:
    """The event as JSON: the fields that most readers need, by name, then all trailers."""
    known = {key: event.get(trailer) for key, trailer in JSON_FIELDS.items()}
    return {
        "id": event.oid,
        "event_type": event.type,
        "name": name_of(event),
        "subject": event.subject,
        **known,
        "event_data": event.data,
    }
