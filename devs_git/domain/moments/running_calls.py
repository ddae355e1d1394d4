"""From when to when each call of a tool ran, by the moments that were made around it and by its trace.

A moment before or after a call is missing where nothing had changed. Then the trace tells the end, and the beginning if the
client measures calls. Else a call begins with the last sign of its session, and ends with the next one. A trace is written a
little after the call ended, so the beginning that follows from it may be late, even later than the moment after the call.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from devs_git.domain.moments.moment import Occasion
from devs_git.domain.moments.who_wrote import RUNNING, Call
from devs_git.values import immutable, replace


@immutable
class Ended:
    """What a trace tells of a call: its end, and its beginning; '' if nobody measured it."""

    session: str
    call_id: str
    begun: str
    ended: str


@immutable
class _Known:
    """What is known of one call; '' for what is not."""

    session: str
    before: str = ""
    after: str = ""
    begun: str = ""
    ended: str = ""


def calls_of(
    made: Sequence[tuple[str, Occasion]], ended: Iterable[Ended], asked: Iterable[tuple[str, str]] = ()
) -> tuple[Call, ...]:
    """The calls for which a moment was made, or a trace stored. `made` are the moments with their times, oldest first.

    `asked`: times at which a session, which stands behind the time, said anything.
    """
    told = tuple(ended)
    signs: dict[str, list[str]] = {}
    acts = (*((at, one.session) for at, one in made), *((one.ended, one.session) for one in told))
    for at, session in (*acts, *asked):
        signs.setdefault(session, []).append(at)
    for times in signs.values():
        times.sort()
    going_on = _signs_of_going_on(made)
    known = _known(made, told).values()
    times = [at for at, _ in made]
    return tuple(_call(one, signs[one.session], going_on.get(one.session, ()), times) for one in known)


def _signs_of_going_on(made: Sequence[tuple[str, Occasion]]) -> Mapping[str, Sequence[str]]:
    """When each session was prompted, stopped, or began a call: an earlier call without an end has ended by then."""
    found: dict[str, list[str]] = {}
    for at, one in made:
        if one.kind != "after":
            found.setdefault(one.session, []).append(at)
    return found


def _known(made: Sequence[tuple[str, Occasion]], told: Iterable[Ended]) -> dict[tuple[str, str], _Known]:
    """The calls by session and id. One without an id is joined with the next moment after a call of the session."""
    found: dict[tuple[str, str], _Known] = {}
    unnamed: dict[str, str] = {}
    for number, (at, one) in enumerate(made):
        if not one.session or one.kind not in ("call", "after"):
            continue
        name = one.call_id or (one.kind == "after" and unnamed.pop(one.session, "")) or f"\n{number}"
        before = found.get((one.session, name), _Known(one.session))
        if one.kind == "call":
            unnamed[one.session] = name if not one.call_id else ""
            found[one.session, name] = replace(before, before=at)
        else:
            found[one.session, name] = replace(before, after=at)
    for number, end in enumerate(told):
        key = (end.session, end.call_id or f"\n\n{number}")
        found[key] = replace(found.get(key, _Known(end.session)), begun=end.begun, ended=end.ended)
    return found


def _call(known: _Known, signs: Sequence[str], going_on: Sequence[str], times: Sequence[str]) -> Call:
    ended = known.after or known.ended
    if not ended:
        later = bisect_right(going_on, known.before)
        ended = going_on[later] if later < len(going_on) else RUNNING
    begun = known.before or known.begun
    if not begun:
        earlier = bisect_left(signs, ended) - 1
        begun = signs[earlier] if earlier >= 0 else ""
    if known.after and begun >= known.after:
        begun = times[bisect_left(times, known.after) - 1]
    return Call(known.session, begun, ended)
