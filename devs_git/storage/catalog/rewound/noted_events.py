"""Which event of the ledger recorded each checkpoint, and which events say something of recorded ones.

The marks of what was rewound follow from the latter and from a few of the former. The catalog notes them as it reads new
events, so that nobody reads a long ledger again for the marks. `index.db` is not asked: it decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.recall import rewound_work
from devs_git.storage.ledger import event_walk

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import History
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.ledger.store import Ledger

# Values in one query.
_AT_ONCE: Final = 500


def note(catalog: Catalog, ledger: Ledger, tip: str, newer: Sequence[Event], since: str) -> None:
    """Note the events `newer`, which are those up to `tip` and after `since` ('' for all), oldest first.

    Inside `fulltext.write_transaction`. Where two ledgers met, what is after the event at which they parted is noted anew,
    because it has another order now.
    """
    if since and not _is_line(newer, since):
        since = event_walk.joint(ledger, tip, since)
        newer = list(ledger.events(tip, since=since, oldest_first=True))
        _forget_last(catalog, {event.oid for event in newer})
    if not since:
        catalog.base.execute("DELETE FROM noted_events")
    catalog.base.executemany("INSERT INTO noted_events (event, tag) VALUES (?, ?)", _rows(newer))


def _is_line(events: Sequence[Event], since: str) -> bool:
    first = not events or events[0].parents == (since,)
    return first and all(after.parents == (before.oid,) for before, after in pairwise(events))


def _rows(events: Iterable[Event]) -> Iterator[tuple[str, str | None]]:
    for event in events:
        if event.effects.records and not event.failed:
            yield event.oid, event.tag
        if rewound_work.changes_checkpoints(event):
            yield event.oid, None


def _forget_last(catalog: Catalog, events: Collection[str]) -> None:
    """Delete the rows of these events, which are the last ones."""
    first = None
    for number, event in catalog.base.execute("SELECT number, event FROM noted_events ORDER BY number DESC"):
        if event not in events:
            break
        first = number
    catalog.base.execute("DELETE FROM noted_events WHERE number >= ?", (first,))


class NotedEvents:
    """The noted events of the ledger that the catalog has read. `changing`: those that say something of recorded checkpoints,
    oldest first.
    """

    def __init__(self, catalog: Catalog, ledger: Ledger) -> None:
        self._catalog, self._ledger = catalog, ledger
        rows = catalog.rows("SELECT event, number FROM noted_events WHERE tag IS NULL ORDER BY number")
        self._numbers: dict[str, int] = dict(rows)
        self.changing = list(event_walk.at(ledger, list(self._numbers)))

    def about(self, tags: Collection[str]) -> list[Event]:
        """The changing events, and those that recorded the checkpoints with these tags, oldest first."""
        numbers = dict(self._recording(sorted(rewound_work.with_moved(tags, self.changing)))) | self._numbers
        more = event_walk.at(self._ledger, [oid for oid in numbers if oid not in self._numbers])
        return sorted((*self.changing, *more), key=lambda event: numbers[event.oid])

    def of_snapshots(self, tags: Collection[str]) -> list[Event]:
        """The same if one of these checkpoints has a snapshot of a conversation; else none."""
        wanted, found = rewound_work.with_moved(tags, self.changing), self.about(tags)
        return found if any(event.conversation and event.tag in wanted for event in found) else []

    def _recording(self, tags: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Event and number of each event that recorded one of these, as each event of a tag did: the first one counts."""
        for first in range(0, len(tags), _AT_ONCE):
            some = tags[first : first + _AT_ONCE]
            marks = ",".join("?" * len(some))
            # Values are bound.
            yield from self._catalog.rows(
                f"SELECT event, number FROM noted_events WHERE tag IN ({marks})", *some
            )

    def here(self) -> History:
        """The history of this clone with all operations, and with the checkpoints that an operation of any clone undid."""
        from devs_git.domain.ledger import clone_view
        from devs_git.domain.ledger.history import fold
        from devs_git.storage.ledger.clone_history import Standpoint

        history = fold(self.about(rewound_work.tags_undone(self.changing)))
        unsure = clone_view.points_in_doubt(history)
        if not unsure:
            return history
        # Which checkpoints are no longer kept changes no mark, so no refs are read for it.
        standpoint = Standpoint.here(self._ledger.reader, self._ledger.common)
        return clone_view.view_with(history, standpoint.live_tags(unsure, history))
