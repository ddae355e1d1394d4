"""The status and the next number of one task, from the newest events: a hook must not fold ten thousand events for a number.

The result equals that of `history.fold` over the whole ledger; a property test compares them. Only the fold can read past
a merge of two ledgers, or past an event that moves checkpoints and has no `Devs-Next`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, unreadable
from devs_git.domain.ledger.history import History
from devs_git.values import Final, field, immutable, mutable

LIVE: Final = ("active", "completed")
# Given up, though nothing undid it: its id stays taken.
ABANDONED: Final = "abandoned"
TAKEN: Final = (*LIVE, ABANDONED)


@immutable
class Standing:
    """`status` is '' for a task that the ledger does not have. `forked_from`: where it began, if it is a fork."""

    status: str
    next_number: int
    forked_from: str = ""


@mutable
class Statuses:
    """The statuses of all tasks, as far as the newest events tell them, collected while something else reads the events."""

    known: dict[str, str] = field(default_factory=dict)
    merged: bool = False

    def note_each(self, newest_first: Iterable[Event]) -> Iterator[Event]:
        """The same events; the statuses that each one sets are collected first."""
        for event in newest_first:
            if not event.failed and not self.merged:
                for task_id, status in _statuses(event):
                    # The status that an operation sets is true for one clone's branch only.
                    self.known.setdefault(task_id, "" if event.effects.operation else status)
            self.merged |= len(event.parents) > 1
            yield event

    def of(self, task_id: str) -> str:
        """The status of a task that one of the events names; '' if only the whole ledger tells it."""
        return self.known.get(task_id, "")


def find_standing(newest_first: Iterable[Event], task_id: str) -> Standing | None:
    """The task's standing; None if only `history.fold` can tell it. No more events are read than needed."""
    status, number, begun = "", 0, None
    for event in newest_first:
        if len(event.parents) > 1:
            return None
        if event.failed:
            continue
        status = status or _status(event, task_id)
        number = number or _next_number(event, task_id)
        # Each checkpoint of a fork says where the fork began.
        if (
            begun is None
            and event.get(Key.TASK) == task_id
            and (event.effects.starts or event.effects.records)
        ):
            begun = event.get(Key.FORKED_FROM)
        if not number and event.all(Key.MOVED) and not event.all(Key.NEXT):
            return None
        if status and number and begun is not None:
            break
    return Standing(status, number or 1, begun or "")


def standing_in(history: History, task_id: str) -> Standing:
    task = history.tasks.get(task_id)
    return Standing(task.status, task.next_number, task.forked_from) if task else Standing("", 1)


def _status(event: Event, task_id: str) -> str:
    return next((status for named, status in _statuses(event) if named == task_id), "")


def _statuses(event: Event) -> Iterator[tuple[str, str]]:
    """Tasks with their new status. If a task comes twice, the first one counts."""
    for line in reversed(event.all(Key.STATUS)):
        try:
            task_id, status = line.split()
        except ValueError as error:
            raise unreadable(event) from error
        yield task_id, status
    if event.effects.task:
        yield event.get(Key.TASK), event.effects.task


def _next_number(event: Event, task_id: str) -> int:
    try:
        numbers = [line.split()[1] for line in event.all(Key.NEXT) if line.split()[0] == task_id]
        if numbers:
            return int(numbers[-1])
        if event.effects.records and event.get(Key.TASK) == task_id:
            return int(event.get(Key.NUMBER, "0")) + 1
    except (ValueError, IndexError) as error:
        raise unreadable(event) from error
    return 0
