"""The file of a rewind in the ledger, for people."""

from __future__ import annotations

from devs_git.domain.ledger.event_operations import Rewound
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.rewind_plan import RewindPlan
from devs_git.storage.documents import canonical_yaml


def text(content: Rewound, worktree: str, plan: RewindPlan, kept: Preserved) -> bytes:
    """The bytes of `rewinds/<op_id>.yaml`: the facts of the event."""
    moved = content.movement
    facts = {
        "rewind_id": moved.op_id,
        "target": content.target,
        "branch": moved.branch,
        "worktree": worktree,
        "from_commit": moved.before,
        "to_commit": moved.after,
        "backup": f"refs/devs/backup/{moved.op_id}",
        "preserve": plan.preserve,
        "preserved_as": kept.reference,
        "undone": [point.name for point in plan.effect.undone],
        "tasks": list(plan.effect.affected),
    }
    return canonical_yaml.dump(facts | ({"reason": content.reason} if content.reason else {}), "rewind")
