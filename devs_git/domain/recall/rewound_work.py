"""What of the recorded work is hidden, because operations undid its checkpoints; and which events tell it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History

_HIDDEN: Final = ("rewound", "dropped")


def changes_checkpoints(event: Event) -> bool:
    """Whether an event says something of checkpoints that were recorded before it, or may be undone itself."""
    if event.failed:
        return False
    named = event.undone or event.revived or event.moves or event.renumbered
    return bool(named or event.effects.operation)


def tags_undone(events: Iterable[Event]) -> set[str]:
    """The tags of the checkpoints that operations undid, whether or not they are live again."""
    return {tag for event in events if event.effects.operation for tag in event.undone}


def with_moved(tags: Collection[str], events: Iterable[Event]) -> set[str]:
    """These tags, with those that they were before a rewrite moved their checkpoints, and those that they became."""
    beside: dict[str, list[str]] = {}
    for old, new in (words[:2] for event in events for words in event.moves if len(words) > 1):
        beside.setdefault(old, []).append(new)
        beside.setdefault(new, []).append(old)
    found, left = set(tags), list(tags)
    while left:
        more = set(beside.get(left.pop(), ())) - found
        found |= more
        left += more
    return found


def find_hidden(history: History) -> dict[tuple[str, str], str]:
    """Maps operation and task to the time up to which the task's work is hidden.

    The work is hidden if the operation undid a checkpoint of the task that is still not live for this clone.
    """
    found = {}
    for event in history.operations:
        op_id, points = event.op_id, history.checkpoints
        undone = [points[tag] for tag in event.undone if tag in points]
        gone = {p.task_id for p in undone if not p.live and any(entry.op == op_id for entry in p.rewound)}
        for task, status in event.statuses:
            if status in _HIDDEN and task in gone:
                found[op_id or event.oid, task] = event.finished
    return found
