"""What a ledger event is called on a stream of events, and what is told of it there."""

from __future__ import annotations

from typing import Any, Final

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event

# Where the name is not the type in capitals. An event that names itself (`Devs-Event-Name`) is called that.
NAMES: Final = {
    "gate.requested": "HITL_GATE_REQUIRED",
    "checked-out": "CHECKED_OUT",
    "": "LEDGER_COMMIT",  # by another hand than ours
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
    """`checkpoint.created` is CHECKPOINT_CREATED."""
    told = event.get(Key.EVENT_NAME)
    if told.isascii() and told.replace("_", "").isalnum():
        return told
    return NAMES.get(event.type) or "".join(char if char.isalnum() else "_" for char in event.type).upper()


def subtype_of(event: Event) -> str:
    """What an event says of its kind more closely: the type of gate, why commits were rewritten, why it failed."""
    return next(filter(None, map(event.get, (Key.GATE_TYPE, Key.CAUSE, Key.CODE))), "")


def as_json(event: Event) -> dict[str, Any]:
    """The event as JSON: what everybody asks for by name, then all that the event itself says."""
    known = {key: event.get(trailer) for key, trailer in JSON_FIELDS.items()}
    return {
        "id": event.oid,
        "event_type": event.type,
        "name": name_of(event),
        "subject": event.subject,
        **known,
        "event_data": event.data,
    }
