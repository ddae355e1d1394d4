"""Where a page of the stream begins: at a cursor, after an event that a caller names, or at the newest rows."""

from __future__ import annotations

from devs_git.domain.timeline import positions
from devs_git.domain.timeline.positions import BackPlace, OnwardPlace
from devs_git.errors import invalid
from devs_git.storage.catalog import message_stream
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.ledger import event_walk
from devs_git.workspace import Workspace


def back(workspace: Workspace, catalog: Catalog, cursor: str, tip: str) -> BackPlace:
    """The place of a cursor. The id of an event stands for what was recorded before it. INVALID_ARGUMENTS if it is unknown."""
    if not cursor:
        return BackPlace(tip, message=message_stream.newest(catalog) + 1)
    place = positions.back(cursor)
    for oid in (place.event, place.merge) if place else (cursor,):
        _require_event(workspace, "cursor", oid, tip)
    return place or _before(workspace, catalog, cursor, tip)


def _before(workspace: Workspace, catalog: Catalog, oid: str, tip: str) -> BackPlace:
    from devs_git.storage.ledger.index import listing

    at = next(event_walk.at(workspace.ledger, [oid])).finished
    event, merge = listing.just_before(workspace.ledger.tip(), oid) or _next_in_walk(workspace, oid, tip)
    return BackPlace(event, merge=merge, message=message_stream.newest_before(catalog, at) + 1)


def _next_in_walk(workspace: Workspace, oid: str, tip: str) -> tuple[str, str]:
    walk = event_walk.back(workspace.ledger, tip)
    next(event for event, _ in walk if event.oid == oid)
    return next(((event.oid, merge) for event, merge in walk), ("", ""))


def onward(workspace: Workspace, catalog: Catalog, after: str, tip: str) -> OnwardPlace:
    """The place of a cursor that goes on, or the one after an event; without either that after the newest rows."""
    if not after:
        return OnwardPlace(tip, message=message_stream.newest(catalog))
    place = positions.onward(after)
    for oid in (place.since, place.tip) if place else (after,):
        _require_event(workspace, "after", oid, tip)
    if place:
        return place
    at = next(event_walk.at(workspace.ledger, [after])).finished
    return OnwardPlace(after, message=message_stream.newest_before(catalog, at))


def _require_event(workspace: Workspace, field: str, oid: str, tip: str) -> None:
    from devs_git.storage.ledger.index import listing

    if not oid or listing.has_event(workspace.ledger.tip(), oid):
        return
    if not event_walk.has(workspace.ledger, tip, oid):
        raise invalid(field, "The ledger has no such event.", hint="Start over without it.")
