"""The stream, newest first: two sources are merged by the time at which each recorded its next row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from devs_git.domain.ledger.events import Event
from devs_git.domain.timeline import kinds
from devs_git.domain.timeline.positions import BackPlace
from devs_git.domain.timeline.stream_rows import Filter, Row
from devs_git.operations.timeline import task_changes
from devs_git.operations.timeline.row_maker import RowMaker
from devs_git.storage.catalog import message_stream
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.message_stream import RecordedMessage
from devs_git.storage.ledger import event_walk
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class EventRows:
    """An event with its wanted rows, each with its position, and the merge below which it stands."""

    event: Event
    merge: str
    rows: tuple[tuple[int, Row], ...]


def rows(
    workspace: Workspace, catalog: Catalog, maker: RowMaker, start: BackPlace, at_once: int
) -> Iterator[tuple[Row, BackPlace]]:
    """The wanted rows from `start` on, each with its own place. `at_once`: of how many events the files are read together."""
    events = _events(workspace, maker, start, at_once)
    messages = _messages(catalog, maker, start)
    event, said = next(events, None), next(messages, None)
    has_chat = maker.wanted.has_type(kinds.CHAT)
    # The rest of an event whose rows were begun on the page before.
    begun = bool(event and start.rows and event.event.oid == start.event)
    while event or said:
        below = said.number + 1 if said else 0 if has_chat else start.message
        if event and (begun or said is None or event.event.finished >= said.recorded_at):
            begun = False
            for at, row in event.rows:
                yield row, BackPlace(event.event.oid, at, event.merge, below)
            event = next(events, None)
        elif said:
            row_of_message = maker.of_message(said)
            if row_of_message:
                yield (
                    row_of_message,
                    BackPlace(event.event.oid if event else "", 0, event.merge if event else "", below),
                )
            said = next(messages, None)


def _events(workspace: Workspace, maker: RowMaker, start: BackPlace, at_once: int) -> Iterator[EventRows]:
    """The events that have wanted rows. Of the first one the rows that were read already are left out."""
    if not start.event or maker.wanted.types == (kinds.CHAT,):
        return
    walk = _walk(workspace, maker, start)
    may_want = ((event, merge) for event, merge in walk if maker.may_want(event))
    while chunk := list(islice(may_want, at_once)):
        wants_files = maker.wanted.wants_files
        files = task_changes.find(workspace, [event for event, _ in chunk]) if wants_files else {}
        for event, merge in chunk:
            skip = start.rows if event.oid == start.event else 0
            found = tuple((at, row) for at, row in maker.of_event(event, files) if at >= skip)
            if found:
                yield EventRows(event, merge, found)


def _walk(workspace: Workspace, maker: RowMaker, start: BackPlace) -> Iterator[tuple[Event, str]]:
    """The events from `start` on; of a filter that few events fit, only those that it may want."""
    event = start.event
    if maker.wanted == Filter() and not start.merge:
        # The newest events are read without an index, down to a merge of two ledgers.
        for each in workspace.ledger.events(event):
            if len(each.parents) > 1:
                event = each.oid
                break
            yield each, ""
        else:
            return
    from devs_git.storage.ledger.index import listing

    place = event, start.merge
    found = listing.before(workspace.ledger.tip(), place, maker.wanted, maker.find_belonging())
    yield from event_walk.back(workspace.ledger, *place) if found is None else found


def _messages(catalog: Catalog, maker: RowMaker, start: BackPlace) -> Iterator[RecordedMessage]:
    wanted = maker.messages
    return message_stream.back(catalog, start.message, wanted) if wanted else iter(())
