"""Which checkpoints may be the previous one, for a comparison that names no other checkpoint."""

from __future__ import annotations

from devs_git.domain.ledger.history import Checkpoint, History


def candidates(history: History, point: Checkpoint) -> dict[str, Checkpoint]:
    """For each other commit its latest live checkpoint that the ledger recorded before `point`."""
    found: dict[str, Checkpoint] = {}
    for other in history.checkpoints.values():
        if other.tag == point.tag:
            break
        if other.live and other.commit != point.commit:
            found[other.commit] = other
    return found
