"""Which moment of a list a name means. Lists are newest first, as they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Moment
from devs_git.errors import DevsError, invalid
from devs_git.values import immutable

# How many moments or sessions the message about an ambiguous name lists.
_LISTED: Final = 5
_LIST: Final = "List them: devs-git log --moments"
HOW_MADE: Final = (
    "They are made before each prompt of a coding agent: devs-git agent install CLIENT. "
    "To make one now: devs-git snapshot create"
)


@immutable
class Turn:
    """A prompt of a session, and the time around it. Times are stamps; '' if there is no such message.

    `session` is the session in which it was said first, `worktree` that of the session. `said_at`: the time of the prompt;
    `before`: of the session's message before it. `until`: of the message after it, in the session or in a fork. `words`: the
    beginning of the prompt. `position`: its place in the session that was asked for.
    """

    session: str
    worktree: str
    said_at: str
    before: str = ""
    until: str = ""
    words: str = ""
    position: int = 0


def not_found(text: str, *, hint: str = _LIST) -> DevsError:
    """MOMENT_NOT_FOUND."""
    return DevsError("MOMENT_NOT_FOUND", text, hint=hint)


def require_some(every: Sequence[Moment], here: Sequence[Moment]) -> None:
    """MOMENT_NOT_FOUND if there are no moments, or none of this worktree; the hint says how they are made."""
    if not every:
        raise not_found("There are no moments yet.", hint=HOW_MADE)
    if not here:
        raise not_found("This worktree has no moments; other worktrees have.", hint=_LIST)


def count_back(named: names.Back, here: Sequence[Moment]) -> Moment:
    """The moment so far from the end. `here` are those of the worktree, and there is at least one."""
    if named.count > len(here):
        many = "1 moment" if len(here) == 1 else f"{len(here)} moments"
        raise not_found(f"There is no moment:-{named.count}: this worktree has {many}.")
    return here[named.count - 1]


def newest_until(last: str, here: Sequence[Moment]) -> Moment:
    """The newest moment that is not after the instant `last`. `here` are those of the worktree, and there is at least one."""
    for one in here:
        if one.created_at <= last:
            return one
    oldest = here[-1]
    raise not_found(
        f"The oldest moment of this worktree, {names.short_name(oldest.id)}, was made later, at {oldest.created_at}."
    )


def begin_with(named: names.ById, moments: Sequence[Moment], *, field: str = "target") -> Moment:
    """The one moment whose id begins so, of any worktree. INVALID_ARGUMENTS for `field` if several do."""
    found = {one.id: one for one in reversed(moments) if one.id.startswith(named.beginning)}
    if not found:
        raise not_found(f"There is no moment whose id begins with {named.beginning}.")
    if len(found) > 1:
        some = [f"{one.id[:16]} ({one.kind}, {one.created_at})" for one in list(found.values())[-_LISTED:]]
        raise invalid(
            field,
            f"{len(found)} moments begin with {named.beginning}, such as {', '.join(reversed(some))}.",
            hint="Write more digits.",
        )
    return next(iter(found.values()))


def one_session(named: names.OfTurn, sessions: Sequence[str], *, field: str = "target") -> str:
    """The session that a name means: that with exactly this id, or the only one whose id begins so.

    A subagent has no turns of its own. INVALID_ARGUMENTS for `field` if several sessions begin so.
    """
    if named.session in sessions:
        return named.session
    found = [one for one in sessions if one.startswith(named.session)]
    if not found:
        raise not_found(
            f"No session whose id begins with {named.session!r} has messages here.",
            hint="List sessions with their moments: devs-git log --moments. "
            "To read a transcript: devs-git conversation import FILE",
        )
    if len(found) > 1:
        some = ", ".join(found[:_LISTED])
        raise invalid(
            field,
            f"{len(found)} sessions begin with {named.session!r}, such as {some}.",
            hint="Write more of the id.",
        )
    return found[0]


def turn_of(named: names.OfTurn, session: str, turns: Sequence[Turn]) -> Turn:
    """The turn with this number, of all turns of the session."""
    if named.turn > len(turns):
        many = "1 prompt" if len(turns) == 1 else f"{len(turns)} prompts"
        raise not_found(f"There is no turn {named.turn}: the session {session} has {many} so far.")
    return turns[named.turn - 1]


def before_turn(turn: Turn, moments: Sequence[Moment], session_of: Callable[[Moment], str]) -> Moment | None:
    """The moment that has the state in which a turn began; None if there was none yet.

    It is the one that the session's hook made for this prompt. If nothing had changed, no moment was made: then it is the
    newest one of the worktree before the next message. `session_of` reads the session for which a moment was made.
    """
    # The hook runs just before or after the client writes the prompt down.
    around = [
        one
        for one in moments
        if one.kind == "prompt" and turn.before < one.created_at and _is_before(one, turn.until)
    ]
    own = [one for one in around if session_of(one) == turn.session]
    if own:
        return min(own, key=lambda one: _distance(one.created_at, turn.said_at))
    return next(
        (one for one in moments if one.worktree == turn.worktree and _is_before(one, turn.until)), None
    )


def number_of_turn(moment: Moment, turns: Sequence[Turn]) -> int:
    """The number of the turn of its own session before or in which a moment was made; 0 for none."""
    if moment.kind == "prompt":
        return next((at for at, turn in enumerate(turns, 1) if _is_before(moment, turn.until)), 0)
    return sum(turn.said_at <= moment.created_at for turn in turns)


def next_prompt(number: int, turns: Sequence[Turn], after: Moment | None) -> str:
    """The words of the session's next prompt after turn `number`, if it found the state of a moment unchanged.

    `after` is the moment that was made next in the worktree.
    """
    if not 0 < number < len(turns):
        return ""
    turn = turns[number]
    return turn.words if after is None or turn.said_at < after.created_at else ""


def begins_of_turns(
    here: Sequence[Moment], turns: Sequence[Turn], session_of: Callable[[Moment], str]
) -> tuple[Moment, ...]:
    """The moments that have the states before a turn, or that a person asked for; newest first.

    `here` are the moments of a worktree, `turns` those of its sessions that the catalog knows.
    """
    found = {one.id for one in here if one.kind in ("prompt", "snapshot")}
    known = (before_turn(turn, here, session_of) for turn in turns)
    found |= {one.id for one in known if one}
    return tuple(one for one in here if one.id in found)


def _is_before(moment: Moment, stamp: str) -> bool:
    return not stamp or moment.created_at < stamp


def _distance(one: str, other: str) -> float:
    """The seconds between two stamps."""
    return abs((datetime.fromisoformat(one) - datetime.fromisoformat(other)).total_seconds())
