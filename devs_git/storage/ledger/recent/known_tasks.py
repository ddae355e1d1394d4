"""The history of some tasks for this clone, from the events since they began. The whole history where only that can tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.newest_events import NewestEvents
from devs_git.storage.ledger import clone_history, task_files
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import History
    from devs_git.storage.ledger.store import Tip


class KnownTasks:
    """`newest` are the events that were read at `tip`, `tasks` those of which they tell everything."""

    def __init__(self, tip: Tip, newest: NewestEvents) -> None:
        self.tip, self.newest = tip, newest
        self.tasks: set[str] = set()

    def add(self, tasks: Collection[str]) -> bool:
        """Read back to where these tasks began, too; False if only the whole ledger tells it."""
        more = set(tasks) - self.tasks
        self.tasks |= more
        return not more or self.newest.reach(task_files.operations(self.tip, more))

    @property
    def read(self) -> set[str]:
        """The oids of the events that were read."""
        return {event.oid for event in self.newest.read}

    def recorded_at(self, commits: Collection[str]) -> set[str]:
        """The tasks that have a checkpoint at one of these commits by the events that were read."""
        return {
            e.task for e in self.newest.read if e.effects.records and not e.failed and e.commit in commits
        }

    def certain(self) -> History | None:
        """Their history; None if what is live here depends on operations that were not read."""
        history = replace(self.newest.history_of(self.tasks), tip=self.tip.oid)
        clone = clone_history.clone_of(self.tip.ledger.common)
        # What another clone rewound depends on all lines of work, and which these are on all operations.
        theirs = (p for p in clone_view.points_in_doubt(history) if not clone_view.rewind_of(p, clone))
        gone = any(point.gone for point in history.checkpoints.values())
        return None if gone or any(theirs) else history

    def here(self) -> History | None:
        """Their history for this clone; None as above."""
        history, ledger = self.certain(), self.tip.ledger
        return history and clone_history.view_here(ledger.reader, ledger.common, history)


@contextmanager
def read(tip: Tip) -> Iterator[KnownTasks]:
    with closing(tip.ledger.events(tip.oid)) as events:
        yield KnownTasks(tip, NewestEvents(events))


def history_here(tip: Tip, tasks: Collection[str]) -> History:
    """The history for this clone in which all about these tasks is right: the whole one where only that can tell."""
    with read(tip) as known:
        found = known.here() if known.add(tasks) else None
    return found or tip.here
