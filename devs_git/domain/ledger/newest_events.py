"""The newest events of the ledger, read back to where some tasks began: all about these tasks follows from them.

The result equals that of `history.fold` over the whole ledger; property tests compare them. Where only the whole ledger can
tell, `reach` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History, fold

# Events. To read more of them and then all takes longer than to read all at once.
_MOST: Final = 4000


class NewestEvents:
    """`newest_first` is read no further than somebody needs. `read` has what was read, newest first."""

    def __init__(self, newest_first: Iterable[Event]) -> None:
        self._left = iter(newest_first)
        self.read: list[Event] = []

    def reach(self, operations: Mapping[str, Collection[str]]) -> bool:
        """Read back to where each of the tasks in `operations` began; False if these events do not tell where that is.

        For each task there are the operations that wrote its files: one for each start and each result. When the events of
        all of them are read, and the oldest says that the task had no checkpoint before, everything of the task is known.
        False also if that takes too many events, and if clones met since.
        """
        left = {task: set(ops) for task, ops in operations.items()}
        if not all(left.values()):
            return False
        for event in self._each():
            own = left.get(event.task)
            if own and not event.failed:
                own.discard(event.op_id)
                if not own:
                    del left[event.task]
                    if not (event.effects.starts and (event.task, "1") in event.next_numbers):
                        return False
            if not left:
                return True
        return not left

    def find(self, wanted: Callable[[Event], bool]) -> Event | None:
        """The newest event that is wanted; None if it is not among those that can be read."""
        return next(filter(wanted, self._each()), None)

    def history_of(self, tasks: Collection[str], *, before: Event | None = None) -> History:
        """These tasks, which `reach` has reached, with the operations and the steps of contracts since.

        `before`: as they were before this event.
        """
        first = self.read.index(before) + 1 if before else 0
        folded = fold(reversed(self.read[first:]))
        return History(
            tip=folded.tip,
            tasks={name: task for name, task in folded.tasks.items() if name in tasks},
            checkpoints={tag: point for tag, point in folded.checkpoints.items() if point.task_id in tasks},
            operations=folded.operations,
            contracts=folded.contracts,
        )

    def _each(self) -> Iterator[Event]:
        """The events that were read, then those before them, up to where two ledgers met."""
        yield from list(self.read)
        for event in self._left:
            if len(event.parents) > 1 or len(self.read) == _MOST:
                self._left = iter(())
                return
            self.read.append(event)
            yield event
