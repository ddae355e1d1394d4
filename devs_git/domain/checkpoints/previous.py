"""Which checkpoints may stand for "before" when a checkpoint is compared without saying with what."""

from __future__ import annotations

from devs_git.domain.ledger.history import Checkpoint, History


def candidates(history: History, point: Checkpoint) -> dict[str, Checkpoint]:
    """By commit: the live checkpoints that the ledger recorded before `point`, on other commits, the latest of each."""
    found: dict[str, Checkpoint] = {}
    for other in history.checkpoints.values():
        if other.tag == point.tag:
            break
        if other.live and other.commit != point.commit:
            found[other.commit] = other
    return found
