"""What became of a checkpoint that is not in the history of HEAD, and how one returns to it."""

from __future__ import annotations

from devs_git.domain.checkpoints.rows import Row
from devs_git.domain.ledger.history import OUTDONE, Checkpoint, History


def successor(history: History, point: Checkpoint) -> Checkpoint | None:
    """What stands in the place of a replaced checkpoint now, if it is known: what followed it, or the completion that stands."""
    if point.replaced == OUTDONE:
        return history.completion(point.task_id)
    while point.replaced and point.heir in history.checkpoints:
        point = history.checkpoints[point.heir]
    return None if point.replaced else point


def way_back(history: History, point: Checkpoint) -> str:
    """How one returns to `point`, which HEAD does not have: a sentence with a command, '' where there is only looking."""
    if point.replaced:
        heir = successor(history, point)
        return f"{heir.name} replaced it: devs-git rewind {heir.name}." if heir else ""
    return "" if point.live else "Undo the rewind: devs-git undo."


def describe(history: History, point: Checkpoint, row: Row) -> str:
    """The same for people who look at its row: whole sentences; '' where HEAD has it."""
    look = f"Create a branch there: devs-git branch {point.name} -b NAME."
    if row.on_head:
        return ""
    if point.live:
        return f"HEAD does not contain it. Merge it: git merge {point.commit[:12]}. {look}"
    if row.still_on:
        return f"Merge it: git merge {row.still_on}. Undo the rewind: devs-git undo. {look}"
    return f"{way_back(history, point)} {look}".strip()
