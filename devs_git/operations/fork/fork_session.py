"""The conversation of a fork: a session of the client, written anew in the fork's worktree and cut at the fork's point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.sessions.new_session import ClientSession
from devs_git.errors import DevsError
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.recall.session_points import SessionPoint
    from devs_git.operations.fork.fork_point import ForkPoint
    from devs_git.storage.catalog.database import Catalog


@immutable
class Conversation:
    """`session` is None if none was written; `left_out` says why, or what of the conversation is not in it.

    `point`: where the conversation was cut, None if it is not known. `last`: the id of the last message that was kept.
    """

    session: ClientSession | None = None
    point: SessionPoint | None = None
    last: str = ""
    left_out: tuple[str, ...] = ()
    start_command: tuple[str, ...] = ()


def find_point(
    workspace: Workspace, catalog: Catalog, point: ForkPoint, message_id: str
) -> SessionPoint | None:
    """The place of a fork's point in a session: after the named message if there is one. MESSAGE_NOT_FOUND."""
    from devs_git.operations.sessions import find_point as points

    if message_id:
        return points.of_message(catalog, message_id)
    if point.moment:
        return points.of_moment(workspace, catalog, point.moment)
    return points.of_checkpoint(catalog, point.tag) if point.tag else None


def time_of_message(workspace: Workspace, message_id: str) -> str:
    """When a message was said, as a stamp; MESSAGE_NOT_FOUND."""
    from devs_git.operations.recall.open_catalog import open_catalog
    from devs_git.storage.catalog import messages

    with open_catalog(workspace) as catalog:
        said = messages.find(catalog, message_id, "").message.timestamp
    if not said:
        raise DevsError("MESSAGE_NOT_FOUND", "The time of this message is not known.", message_id=message_id)
    return said


def write(workspace: Workspace, there: Workspace, point: ForkPoint, message_id: str, to: str) -> Conversation:
    """Write the session for the client `to` ('' for its own) in the worktree `there`. If it cannot be written, `left_out` says why."""
    from devs_git.operations.recall.open_catalog import open_catalog
    from devs_git.storage.catalog.database import TROUBLE

    try:
        with open_catalog(workspace, caught_up=True) as catalog:
            found = find_point(workspace, catalog, point, message_id)
            return (
                _write(there, catalog, found, to)
                if found
                else Conversation(left_out=_unknown(workspace, point))
            )
    except TROUBLE:
        return Conversation(left_out=("The conversation: the catalog cannot be read. See: devs-git doctor",))


def _unknown(workspace: Workspace, point: ForkPoint) -> tuple[str, ...]:
    """What is said where no session is known at the point, although a session started the task.

    A checkpoint that a client's call makes in one go with its task comes before the client tells of the conversation.
    """
    task = workspace.ledger.require().here.tasks.get(point.task_id)
    said = "The conversation: it is not recorded how far it was here. Name the last message that the fork shall have."
    return (said,) if task and task.spawned_by else ()


def _write(there: Workspace, catalog: Catalog, point: SessionPoint, to: str) -> Conversation:
    from devs_git.operations.sessions import write_session
    from devs_git.storage.git import refs

    branch = refs.branch(there.places.git_dir)
    target = write_session.Target(there.top, branch, branch)
    place = write_session.Point(point.session_id, point.message_id)
    try:
        new = write_session.write(there, catalog, place, target, to)
    except DevsError as error:
        text = f"The conversation: {error.message} {error.hint}".strip()
        return Conversation(point=point, left_out=(text,))
    return Conversation(new.told, point, new.last, new.left_out, new.start_command)
