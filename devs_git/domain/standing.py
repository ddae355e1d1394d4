"""How one task stands, from the newest events alone: a hook must not fold ten thousand of them to find a number.

The result equals that of `history.fold` over the whole ledger (a property test compares them). Beyond a merge of two
ledgers, and beyond an event that moves checkpoints without saying `Devs-Next`, only the fold knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from devs_git.domain.events import Event
from devs_git.domain.history import CHECKPOINT_EVENTS, History


@dataclass(frozen=True)
class Standing:
    """`status` is '' for a task that the ledger never heard of."""

    status: str
    next_number: int


def standing(newest_first: Iterable[Event], task_id: str) -> Standing | None:
    """The task's standing; None where only `history.fold` knows. Events are read only as far as needed."""
    status, number = "", 0
    for event in newest_first:
        if len(event.parents) > 1:
            return None
        if event.failed:
            continue
        status = status or _status(event, task_id)
        number = number or _next_number(event, task_id)
        if not number and event.all("Devs-Moved") and not event.all("Devs-Next"):
            return None
        if status and number:
            break
    return Standing(status, number or 1)


def of_history(history: History, task_id: str) -> Standing:
    task = history.tasks.get(task_id)
    return Standing(task.status, task.next_number) if task else Standing("", 1)


def _status(event: Event, task_id: str) -> str:
    said = [line.split()[1] for line in event.all("Devs-Status") if line.split()[0] == task_id]
    if said:
        return said[-1]
    if event.get("Devs-Task") != task_id:
        return ""
    # A numbered checkpoint is recorded of an active task only.
    named = {"task.completed": "completed", "checkpoint.created": "active", "task.started": "active"}
    return named.get(event.type, "")


def _next_number(event: Event, task_id: str) -> int:
    said = [line.split()[1] for line in event.all("Devs-Next") if line.split()[0] == task_id]
    if said:
        return int(said[-1])
    if event.type in CHECKPOINT_EVENTS and event.get("Devs-Task") == task_id:
        return int(event.get("Devs-Number", "0")) + 1
    return 0
