"""The type and the subtype of each row of the stream."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event

CHAT, FILE, REPOSITORY = "chat", "file", "repository"
MESSAGE: Final = "message"
SUBTYPES: Final = {
    "task": ("created", "completed", "result", "abandoned", "forked", "dropped", "directive"),
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
_KINDS: Final = {
    "task.started": ("task", "created"),
    "task.completed": ("task", "completed"),
    "task.result": ("task", "result"),
    "task.abandoned": ("task", "abandoned"),
    "dropped": ("task", "dropped"),
    "checkpoint.created": ("checkpoint", "created"),
    "checkpoints.rewritten": ("checkpoint", "replaced"),
    "history.rewritten": ("checkpoint", "replaced"),
    "branch.created": ("checkpoint", "branched"),
    "phase.changed": ("phase", "changed"),
    "gate.requested": ("gate", "requested"),
    "superseded": ("gate", "superseded"),
    "rewound": ("rewind", "rewound"),
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
    "operation.failed": (REPOSITORY, "failed"),
}
# The first word of a type, where all types with it are alike.
_FAMILIES: Final = {"snapshot": (REPOSITORY, "snapshot"), "directive": ("task", "directive")}


def kind_of(event: Event) -> tuple[str, str]:
    """Type and subtype. A type that this version does not know is of the repository, without a subtype."""
    decision = event.get(Key.DECISION).lower()
    if decision in SUBTYPES["gate"]:
        return "gate", decision
    return _KINDS.get(event.type) or _FAMILIES.get(event.type.partition(".")[0]) or (REPOSITORY, "")
