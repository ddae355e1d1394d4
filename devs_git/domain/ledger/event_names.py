"""What other programs are told of an event: its name and JSON on the stream of `GET /events`, and its row in `history`."""

from __future__ import annotations

from typing import Any, Final

from devs_git.domain.ledger.event_keys import KEY_PREFIX, Key
from devs_git.domain.ledger.events import Event
from devs_git.domain.timeline.kinds import REPOSITORY, SUBTYPES

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


_KINDS: Final = {
    "task.started": ("task", "created"),
    "task.completed": ("task", "completed"),
    "task.result": ("task", "result"),
    "task.abandoned": ("task", "abandoned"),
    "task.reopened": ("task", "reopened"),
    "dropped": ("task", "dropped"),
    "checkpoint.created": ("checkpoint", "created"),
    "checkpoints.rewritten": ("checkpoint", "replaced"),
    "history.rewritten": ("checkpoint", "replaced"),
    "branch.created": ("checkpoint", "branched"),
    "phase.changed": ("phase", "changed"),
    "gate.requested": ("gate", "requested"),
    "superseded": ("gate", "superseded"),
    "rewound": ("rewind", "rewound"),
    "conversation.rewound": ("rewind", "rewound"),
    "undone": ("rewind", "undone"),
    "restored": ("rewind", "restored"),
    "worktree.restored": ("rewind", "restored"),
    "ledger.created": (REPOSITORY, "begun"),
    "repository.prepared": (REPOSITORY, "begun"),
    "repository.released": (REPOSITORY, "begun"),
    "policy.set": (REPOSITORY, "policy"),
    "contract.started": (REPOSITORY, "contract"),
    "checked-out": (REPOSITORY, "checkout"),
    "ledger.merged": (REPOSITORY, "sync"),
    "purged": (REPOSITORY, "cleaned"),
    "pruned": (REPOSITORY, "cleaned"),
    "trace.pruned": (REPOSITORY, "cleaned"),
    "checkpoints.archived": (REPOSITORY, "cleaned"),
    "checkpoints.unarchived": (REPOSITORY, "cleaned"),
    "operation.failed": (REPOSITORY, "failed"),
}
# The first word of a type, where all types with it are alike.
_FAMILIES: Final = {"snapshot": (REPOSITORY, "snapshot"), "directive": ("task", "directive")}


def kind_of(event: Event) -> tuple[str, str]:
    """Type and subtype. A type that this version does not know is of the repository, without a subtype."""
    decision = event.get(Key.DECISION).lower()
    if decision in SUBTYPES["gate"]:
        return "gate", decision
    if event.effects.starts and event.get(Key.FORKED_FROM):
        return "task", "forked"
    return _KINDS.get(event.type) or _FAMILIES.get(event.type.partition(".")[0]) or (REPOSITORY, "")


Data = dict[str, str | int | bool | list[str]]
# What the row has itself, and what only programs of ours need.
_LEFT_OUT: Final = frozenset((Key.EVENT, Key.FORMAT, Key.ACTOR, Key.FINISHED, Key.TASK))
_NAMES: Final = {
    Key.GATE: "gate_id",
    Key.DIRECTIVE: "directive_id",
    Key.OP: "op_id",
    Key.STARTED: "started_at",
    Key.FROM: "from_commit",
    Key.TO: "to_commit",
    Key.TYPE: "newer_type",
}
_STAT: Final = ("files_changed", "lines_added", "lines_removed")


def data_of(event: Event) -> Data:
    """The fields by name: `Devs-From-Branch` is `from_branch`. `event` is the type in the ledger."""
    found: Data = {"event": event.type}
    for key, value in event.data.items():
        if key == Key.STAT:
            found |= _figures(event)
        elif key not in _LEFT_OUT:
            found[field_of(key)] = _number(key, value)
    return found


def field_of(key: str) -> str:
    """The name of a trailer: it is lower case, with `_`."""
    return _NAMES.get(key) or key.removeprefix(KEY_PREFIX).lower().replace("-", "_")


def _figures(event: Event) -> Data:
    words = event.get(Key.STAT).split()
    if len(words) != len(_STAT) or not all(word.isdecimal() for word in words):
        return {}
    return {name: int(word) for name, word in zip(_STAT, words, strict=True)}


def _number(key: str, value: str | list[str]) -> str | int | list[str]:
    counts = key in (Key.NUMBER, Key.TIER) and isinstance(value, str) and value.isdecimal()
    return int(str(value)) if counts else value


def contract_of(event: Event) -> str:
    """The contract that an event itself names, '' for none."""
    return event.get(Key.CONTRACT)


def agent_of(event: Event) -> str:
    """The role that an event names, '' for none."""
    return event.get(Key.AGENT)


def commit_before(event: Event) -> str:
    """The commit at which the work of a recorded or started task stands with this event, '' if it names none."""
    return event.commit if event.effects.records else event.get(Key.FROM)
