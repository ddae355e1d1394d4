"""Find the point of a session that belongs to a checkpoint, to a moment, to a time or to a message.

Hooks note only which session they ran for, and which call. The client writes its transcript in its own time, so the point
is looked for when somebody asks, in what was read of the transcript until then:

- A checkpoint names its session and the number of messages.
- A moment before a prompt: the message that this prompt follows.
- A moment before a call: the message that this call follows. One after a call: the call's result.
- Another moment, and where the transcript does not have the prompt or the call: the last message that is not after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.ledger import ids
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.moments import named_moment, names
from devs_git.domain.moments.moment import Moment, Occasion
from devs_git.domain.moments.names import OfTurn
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.errors import DevsError
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog


def point_of(workspace: Workspace, catalog: Catalog, name: str) -> SessionPoint | None:
    """The point of a checkpoint (`task-10@2`, an oid) or of a moment (`moment:-1`, `snapshot/NAME`), by its name.

    None if no session is known there, or if nothing had been said. The errors are those of names of checkpoints and moments.
    `catalog` is caught up with the hooks and with the ledger (`open_catalog(workspace, caught_up=True)`).
    """
    if not names.is_name(name):
        return of_checkpoint(catalog, resolve(workspace.ledger.require().here, ids.parse_target(name)).tag)
    from devs_git.operations.moments import resolve_moment

    named = names.parse(name)
    if isinstance(named, OfTurn):
        return _before_turn(catalog, named)
    return of_moment(workspace, catalog, resolve_moment.resolve(workspace, name))


def of_checkpoint(catalog: Catalog, tag: str) -> SessionPoint | None:
    """The point of the checkpoint whose tag has this oid; None if its conversation is unknown here. `catalog` is caught up."""
    from devs_git.storage.catalog import conversation_snapshots
    from devs_git.storage.catalog.sessions import points

    taken = conversation_snapshots.of_tag(catalog, tag)
    return points.at(catalog, taken.session_id, taken.message_count) if taken else None


def of_moment(workspace: Workspace, catalog: Catalog, moment: Moment) -> SessionPoint | None:
    """The point that a moment has. One that no session made has that of the last message in its worktree."""
    from devs_git.storage.catalog.sessions import points
    from devs_git.storage.moments import read_moments

    try:
        occasion = read_moments.look_up(workspace.objects, moment.id)[1].occasion
    except DevsError:  # it was pruned meanwhile
        return None
    if not occasion.session:
        return points.in_worktree(catalog, moment.worktree, moment.created_at)
    if occasion.kind == "prompt":
        return _before_prompt(catalog, moment, occasion.session)
    if occasion.call_id and (position := _of_call(catalog, occasion)):
        followed = points.before if occasion.kind == "call" else points.at
        return followed(catalog, occasion.session, position)
    return points.at_time(catalog, occasion.session, moment.created_at)


def of_time(
    workspace: Workspace, catalog: Catalog, time: str, *, session: str = "", task: str = ""
) -> SessionPoint | None:
    """The point after the last message that is not after a time: of a session, of a task, else in this worktree.

    `time` is a stamp: UTC with milliseconds.
    """
    from devs_git.storage.catalog.sessions import points

    if session:
        return points.at_time(catalog, session, time)
    if task:
        return points.of_task(catalog, task, time)
    return points.in_worktree(catalog, workspace.places.worktree_id, time)


def of_message(catalog: Catalog, message_id: str, session: str = "") -> SessionPoint | None:
    """The point after the message with this id, in this session or in the one in which it was said. MESSAGE_NOT_FOUND."""
    from devs_git.storage.catalog import messages
    from devs_git.storage.catalog.sessions import points

    place = messages.find(catalog, message_id, session)
    return points.at(catalog, place.session_id, place.position)


def _before_turn(catalog: Catalog, named: OfTurn) -> SessionPoint | None:
    from devs_git.storage.catalog.sessions import points, prompts

    sessions = prompts.sessions_beginning_with(catalog, named.session)
    session = named_moment.one_session(named, sessions)
    turn = named_moment.turn_of(named, session, prompts.turns(catalog, session))
    return points.before(catalog, session, turn.position)


def _before_prompt(catalog: Catalog, moment: Moment, session: str) -> SessionPoint | None:
    from devs_git.storage.catalog.sessions import points, prompts

    turns = prompts.turns(catalog, session)
    number = named_moment.number_of_turn(moment, turns)
    if not number:
        return points.at_time(catalog, session, moment.created_at)
    return points.before(catalog, session, turns[number - 1].position)


def _of_call(catalog: Catalog, occasion: Occasion) -> int:
    """The position of the call before which a moment was made, or of the result after which; 0 if it is not there."""
    from devs_git.storage.catalog.sessions import points

    called, answered = points.positions_of_call(catalog, occasion.session, occasion.call_id)
    return called if occasion.kind == "call" else answered
