"""What happened to a checkpoint that HEAD does not contain, and how to return to it."""

from __future__ import annotations

from collections.abc import Callable

from devs_git.domain.checkpoints.rows import Row
from devs_git.domain.ledger.history import OUTDONE, Checkpoint, History


def successor(history: History, point: Checkpoint) -> Checkpoint | None:
    """The checkpoint that replaces a replaced one now: its last successor, or the task's live completion. None if unknown."""
    if point.replaced == OUTDONE:
        return history.completion(point.task_id)
    while point.replaced and point.heir in history.checkpoints:
        point = history.checkpoints[point.heir]
    return None if point.replaced else point


def way_back(history: History, point: Checkpoint) -> str:
    """How to return to `point`, which HEAD does not contain: a sentence with a command, '' if there is none."""
    if point.replaced:
        heir = successor(history, point)
        return f"{heir.name} replaced it: devs-git rewind {heir.name}." if heir else ""
    return "" if point.live else "Undo the rewind: devs-git undo."


def describe(history: History, point: Checkpoint, row: Row, same_change: Callable[[str], str]) -> str:
    """The same for people who look at its row, in full sentences; '' if HEAD contains it.

    `same_change` finds the commit of HEAD that makes the change of a commit.
    """
    look = f"Create a branch there: devs-git branch {point.name} -b NAME."
    if row.on_head:
        return ""
    if point.live and (same := same_change(point.commit)):
        merge = f"To rewind to it, merge it: git merge {point.commit[:12]}."
        told = (
            f"HEAD does not contain it, but {same[:12]} makes the same change, as after a squash or a rebase."
        )
        return f"{told} {merge} {look}"
    if point.live:
        return f"HEAD does not contain it. Merge it: git merge {point.commit[:12]}. {look}"
    if row.still_on:
        return f"Merge it: git merge {row.still_on}. Undo the rewind: devs-git undo. {look}"
    return f"{way_back(history, point)} {look}".strip()
