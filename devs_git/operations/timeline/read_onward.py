"""The stream, oldest first, from a place on: for readers that follow it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from devs_git.domain.ledger.events import Event
from devs_git.domain.timeline.positions import OnwardPlace
from devs_git.domain.timeline.stream_rows import Row
from devs_git.operations.timeline import task_changes
from devs_git.operations.timeline.row_maker import RowMaker
from devs_git.storage.catalog import message_stream
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace
from devs_git.workspace import Workspace


def page(
    workspace: Workspace, catalog: Catalog, maker: RowMaker, start: OnwardPlace, limit: int
) -> tuple[tuple[Row, ...], OnwardPlace]:
    """At most `limit` wanted rows after `start`, and the place after them."""
    found: list[Row] = []
    place = start
    for row, after in _rows(workspace, catalog, maker, start, limit):
        if row:
            found.append(row)
        place = after
        if len(found) == limit:
            break
    return tuple(found), place


def _rows(
    workspace: Workspace, catalog: Catalog, maker: RowMaker, start: OnwardPlace, at_once: int
) -> Iterator[tuple[Row | None, OnwardPlace]]:
    """The wanted rows, each with the place after it; None for what is not wanted, of which only the place counts."""
    newest = message_stream.newest(catalog)
    messages = message_stream.onward(catalog, start.message, maker.messages) if maker.messages else iter(())
    said = next(messages, None)
    place = start
    for event, rows in _events(workspace, maker, start, at_once):
        while said and said.recorded_at < event.finished and not place.rows:
            place = replace(place, message=said.number)
            yield maker.of_message(said), place
            said = next(messages, None)
        for at, row in rows:
            if at >= place.rows:
                place = replace(place, rows=at + 1)
                yield row, place
        place = _after(place, event)
        yield None, place
    if place.tip:
        # The ledger has grown since that range was begun, or this was its end.
        place = OnwardPlace(place.tip, message=place.message)
    while said:
        place = replace(place, message=said.number)
        yield maker.of_message(said), place
        said = next(messages, None)
    yield None, replace(place, message=max(place.message, newest))


def _after(place: OnwardPlace, event: Event) -> OnwardPlace:
    """The place after an event. Where the ledger is one line, the event itself is the new beginning."""
    if place.skip == 0 and event.parents == (place.since,):
        return replace(place, since=event.oid, rows=0)
    return replace(place, skip=place.skip + 1, rows=0)


def _events(
    workspace: Workspace, maker: RowMaker, start: OnwardPlace, at_once: int
) -> Iterator[tuple[Event, tuple[tuple[int, Row], ...]]]:
    """All events of the range, each with its wanted rows."""
    if start.since == start.tip:
        return
    walk = workspace.ledger.events(start.tip, since=start.since, oldest_first=True)
    walk_on = islice(walk, start.skip, None)
    wants_files = maker.wanted.wants_files
    while chunk := list(islice(walk_on, at_once)):
        wanted = [event for event in chunk if maker.may_want(event)]
        files = task_changes.find(workspace, wanted) if wants_files else {}
        for event in chunk:
            yield event, tuple(maker.of_event(event, files)) if event in wanted else ()
