"""Which state the code had at a point of a session: the newest moment or checkpoint that is not after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Moment
from devs_git.domain.recall.conversation_prefix import prefix_of
from devs_git.errors import DevsError
from devs_git.operations.moments import resolve_moment
from devs_git.operations.sessions import find_point
from devs_git.operations.sessions.rewind_point import RewindPoint
from devs_git.storage.catalog import conversation_snapshots
from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog


def find(workspace: Workspace, catalog: Catalog, point: RewindPoint) -> str:
    """The name of the moment of this worktree, or of the checkpoint of the session. MOMENT_NOT_FOUND.

    An unchanged state makes no moment, so an earlier moment has the state of the point, too. `catalog` is caught up.
    """
    moment = next(_moments(workspace, catalog, point), None)
    taken = _checkpoint(workspace, catalog, point)
    if taken and (moment is None or moment.created_at < taken[0]):
        return taken[1]
    if moment is None:
        raise DevsError(
            "MOMENT_NOT_FOUND",
            "There is no moment, and no checkpoint of this session, from before this message.",
            hint="Rewind the conversation alone: leave out --code.",
        )
    return f"{names.PREFIX}{moment.id}"


def _moments(workspace: Workspace, catalog: Catalog, point: RewindPoint) -> Iterator[Moment]:
    """The moments that are not after the point, newest first."""
    session_of = resolve_moment.session_of(workspace.objects)
    for one in read_moments.list_of_worktree(workspace.store_git, workspace.objects, workspace.places):
        if one.created_at > point.much_later:
            continue
        if one.created_at <= point.said_at:
            yield one
        # A client writes its transcript in its own time, so times do not order a message and the moment around it.
        elif session_of(one) == point.cut.session_id:
            at = find_point.of_moment(workspace, catalog, one)
            if at and at.message_count <= point.kept:
                yield one
        elif one.created_at <= point.next_at:
            yield one


def _checkpoint(workspace: Workspace, catalog: Catalog, point: RewindPoint) -> tuple[str, str] | None:
    """Time and name of the newest live checkpoint with a part of the session that ends at the point or before it."""
    history = workspace.ledger.require().here
    for checkpoint in sorted(history.live(), key=lambda one: one.created_at, reverse=True):
        prefix = prefix_of(checkpoint.conversation)
        if prefix is None or prefix.session_id != point.cut.session_id:
            continue
        # A fork may have got its beginning after the event was written. The catalog of a dry run may not know the event.
        taken = conversation_snapshots.of_tag(catalog, checkpoint.tag)
        if (taken.message_count if taken else prefix.count) <= point.kept:
            return checkpoint.created_at, checkpoint.name
    return None
