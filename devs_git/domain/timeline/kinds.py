"""The types and subtypes of rows of the stream. `event_names.kind_of` gives those of an event."""

from __future__ import annotations

from typing import Final

CHAT, FILE, REPOSITORY = "chat", "file", "repository"
MESSAGE: Final = "message"
SUBTYPES: Final = {
    "task": ("created", "completed", "result", "abandoned", "reopened", "forked", "dropped", "directive"),
    CHAT: (MESSAGE,),
    "checkpoint": ("created", "replaced", "branched"),
    "phase": ("changed",),
    "gate": ("requested", "approved", "rejected", "superseded"),
    "rewind": ("rewound", "undone", "restored"),
    FILE: ("added", "modified", "deleted", "renamed"),
    REPOSITORY: ("begun", "policy", "snapshot", "checkout", "sync", "contract", "cleaned", "failed"),
}
TYPES: Final = tuple(SUBTYPES)
ALL_SUBTYPES: Final = tuple(dict.fromkeys(name for names in SUBTYPES.values() for name in names))
