"""Find the point of a session that belongs to a checkpoint, to a moment or to a message.

Hooks note only which session they ran for, and which call. The client writes its transcript in its own time, so the point
is looked for when somebody asks, in what was read of the transcript until then:

- A checkpoint names its session and the number of messages.
- A moment before a prompt: the message that this prompt follows.
- A moment before a call: the message that this call follows. One after a call: the call's result.
- Another moment, and where the transcript does not have the prompt or the call: the last message that is not after it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger import ids, paging
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.moments import named_moment, names
from devs_git.domain.moments.moment import Moment, Occasion
from devs_git.domain.moments.named_moment import Turn
from devs_git.domain.moments.names import OfTurn
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog

# No turn takes longer. If one seems to, the times of the transcript are not those of the moments.
_LONGEST: Final = timedelta(days=1)


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
    from devs_git.storage.catalog.sessions import prompts
    from devs_git.storage.moments import read_moments

    try:
        occasion = read_moments.look_up(workspace.objects, moment.id)[1].occasion
    except DevsError:  # it was pruned meanwhile
        return None
    turns = prompts.turns(catalog, occasion.session) if occasion.session else ()
    one = MadeMoment(moment, occasion, turns, named_moment.number_of_turn(moment, turns))
    return of_moments(catalog, (one,))[moment]


@immutable
class MadeMoment:
    """A moment, why it was made, the turns of its session, and the number of the one before or in which it was made."""

    moment: Moment
    occasion: Occasion
    turns: Sequence[Turn] = ()
    number: int = 0


def of_moments(catalog: Catalog, made: Collection[MadeMoment]) -> dict[Moment, SessionPoint | None]:
    """The points of several moments. Each session is read once for all."""
    from devs_git.storage.catalog.sessions import points

    found = dict[Moment, SessionPoint | None]()
    for worktree in {one.moment.worktree for one in made if not one.occasion.session}:
        here = [one.moment for one in made if not one.occasion.session and one.moment.worktree == worktree]
        at = points.in_worktree_at(catalog, worktree, [moment.created_at for moment in here])
        found |= {moment: at[moment.created_at] for moment in here}
    for session in {one.occasion.session for one in made} - {""}:
        found |= _in_session(catalog, session, [one for one in made if one.occasion.session == session])
    return found


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


def _in_session(
    catalog: Catalog, session: str, made: Sequence[MadeMoment]
) -> dict[Moment, SessionPoint | None]:
    """The points of moments of one session."""
    from devs_git.storage.catalog.sessions import points

    found, at_their_time = dict[Moment, SessionPoint | None](), list[Moment]()
    calls = _positions_of_calls(catalog, session, made)
    for one in made:
        moment, kind = one.moment, one.occasion.kind
        called, answered = calls.get(one.occasion.call_id, (0, 0))
        if kind == "prompt" and one.number:
            found[moment] = points.before(catalog, session, one.turns[one.number - 1].position)
        elif kind == "call" and called:
            found[moment] = points.before(catalog, session, called)
        elif kind not in ("prompt", "call") and answered:
            found[moment] = points.at(catalog, session, answered)
        else:
            at_their_time.append(moment)
    at = points.at_times(catalog, session, [moment.created_at for moment in at_their_time])
    return found | {moment: at[moment.created_at] for moment in at_their_time}


def _positions_of_calls(
    catalog: Catalog, session: str, made: Sequence[MadeMoment]
) -> Mapping[str, tuple[int, int]]:
    """Where the session has the calls for which the moments were made, and their results.

    A subagent's hook names the session that called it, which does not have the call.
    """
    from devs_git.storage.catalog.sessions import points

    found = dict[str, tuple[int, int]]()
    for first, last, call_ids in _disjoint_parts(made):
        found |= points.positions_of_calls(catalog, session, call_ids, first, last)
    return found


def _disjoint_parts(made: Sequence[MadeMoment]) -> list[tuple[int, int, set[str]]]:
    """The parts of a session in which the calls of moments can be: first and last position, and the ids of the calls."""
    places = dict[str, tuple[int, int]]()
    for one in made:
        if call_id := one.occasion.call_id:
            first, last = _place_of_turn(one)
            known = places.get(call_id, (first, last))
            places[call_id] = min(first, known[0]), max(last, known[1])
    parts: list[tuple[int, int, set[str]]] = []
    for call_id, (first, last) in sorted(places.items(), key=itemgetter(1)):
        if parts and first <= parts[-1][1]:
            begin, end, call_ids = parts[-1]
            parts[-1] = begin, max(end, last), call_ids | {call_id}
        else:
            parts.append((first, last, {call_id}))
    return parts


def _place_of_turn(one: MadeMoment) -> tuple[int, int]:
    """The first and the last position at which the call of a moment can be: in its turn, or in the one before or after it."""
    turns, number = one.turns, one.number
    day_before = stamp(datetime.fromisoformat(one.moment.created_at) - _LONGEST)
    if not number or turns[number - 1].said_at < day_before:
        return 1, paging.NO_END
    first = turns[number - 2].position if number > 1 else 1
    return first, turns[number + 1].position if number + 1 < len(turns) else paging.NO_END
