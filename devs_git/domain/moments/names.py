"""Names of moments that people type: `moment:-1`, `moment:14:32`, `moment:<session>/3`, `moment:3fa9c1d2`, `snapshot/NAME`.

- `moment:-1` is the last moment of the worktree, `moment:-2` the one before it.
- `moment:14:32` is the newest that is not after that minute of today. With seconds (`14:32:05`) it is that second. Before the
  time there may be `yesterday` or a day (`2026-11-22T14:32`); `yesterday` or a day alone means the end of that day. A time
  is that of the person's clock, unless a time zone follows (`2026-11-22T14:32:05.123Z`, as JSON has it).
- `moment:<session>/3` is the state before the third prompt of a session; the beginning of the session's id is enough.
- `moment:3fa9c1d2` is the moment whose id begins so: four digits or more, of an id of 40.
- `snapshot/NAME` is the state that `snapshot create` saved under that name.

A text that has none of these forms is refused with INVALID_ARGUMENTS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from devs_git.domain.checkpoints.branch_names import CHARACTERS
from devs_git.domain.text.times import stamp
from devs_git.errors import invalid
from devs_git.values import Final, immutable

PREFIX: Final = "moment:"
SNAPSHOT: Final = "snapshot/"
# How many digits of an id lists show, and how many a person must type.
SHOWN_DIGITS: Final = 10
LEAST_DIGITS: Final = 4
# A pattern for schemas: it accepts some names that `parse` refuses.
FORM: Final = f"{PREFIX}.+"
SNAPSHOT_FORM: Final = f"{SNAPSHOT}{CHARACTERS}+"
_SNAPSHOT: Final = re.compile(SNAPSHOT_FORM, re.ASCII)
_BACK: Final = re.compile(r"-([1-9][0-9]{0,8})", re.ASCII)
_ID: Final = re.compile(rf"[0-9a-fA-F]{{{LEAST_DIGITS},40}}", re.ASCII)
_TURN: Final = re.compile(r"(.+)/([1-9][0-9]{0,8})", re.ASCII)
# No state is older than that, and the first years have no time in some zones.
_DAY: Final = r"20[0-9]{2}-[0-9]{2}-[0-9]{2}|yesterday|today"
_CLOCK: Final = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_TIME: Final = re.compile(rf"(?:({_DAY})(?:[T ]|$))?(?:({_CLOCK})(Z|[+-][0-9]{{2}}:[0-9]{{2}})?)?", re.ASCII)
_HINT: Final = (
    "A moment is named moment:-1 (the last one), moment:14:32 (a time of today), moment:2026-01-31T14:32, "
    "moment:SESSION/3 (before the third prompt of a session) or moment:3fa9 (the beginning of its id). "
    "List them: devs-git log --moments"
)


@immutable
class Back:
    """The moment of the worktree that is the `count`th from the end: 1 is the last one."""

    count: int


@immutable
class AtTime:
    """The newest moment not after a time. `day`: '' is today. `clock`: '' is the whole day. `zone`: '' is the person's own."""

    day: str
    clock: str
    zone: str


@immutable
class OfTurn:
    """The state before prompt number `turn` of the session whose id begins with `session`."""

    session: str
    turn: int


@immutable
class ById:
    """The moment whose id begins with `beginning`, in lower case."""

    beginning: str


@immutable
class OfSnapshot:
    """The state that was saved as the branch `branch` (`snapshot/NAME`)."""

    branch: str


Name = Back | AtTime | OfTurn | ById | OfSnapshot


def is_name(text: str) -> bool:
    """Whether a text is meant as the name of a moment or of a snapshot. No checkpoint has such a name."""
    return text.startswith((PREFIX, SNAPSHOT))


def short_name(moment_id: str) -> str:
    """The name by which lists call a moment: `moment:` and the first digits of its id."""
    return PREFIX + moment_id[:SHOWN_DIGITS]


def parse(text: str, *, field: str = "target") -> Name:
    """What a name says; INVALID_ARGUMENTS for `field` if it is not one."""
    if _SNAPSHOT.fullmatch(text):
        return OfSnapshot(text)
    words = text.removeprefix(PREFIX).strip()
    if text.startswith(PREFIX) and words:
        if found := _BACK.fullmatch(words):
            return Back(int(found[1]))
        if _ID.fullmatch(words):
            return ById(words.lower())
        if found := _TURN.fullmatch(words):
            return OfTurn(found[1], int(found[2]))
        if found := _TIME.fullmatch(words):
            return _time(text, found, field)
    raise invalid(field, f"{text!r} is not the name of a moment.", hint=_HINT)


def _time(text: str, found: re.Match[str], field: str) -> AtTime:
    """The time in a match of _TIME; INVALID_ARGUMENTS if no clock or calendar has it."""
    named = AtTime("" if found[1] == "today" else found[1] or "", found[2] or "", found[3] or "")
    try:
        _begin(named, datetime(2000, 1, 1))  # noqa: DTZ001 - a time of the person's clock, wherever that is
    except ValueError as error:
        raise invalid(field, f"{text!r} is not a time: {error}.", hint=_HINT) from error
    return named


def last_instant(
    named: AtTime, now: datetime, local: Callable[[datetime], datetime], *, field: str = "target"
) -> str:
    """The last instant that a time means, as a stamp in UTC: for 14:32 it is 14:32:59.999.

    `local` gives a time the person's time zone; a time without a zone is one of the person's clock. INVALID_ARGUMENTS if
    the time lies ahead of `now`. In autumn a clock shows an hour twice: the later one is meant, unless it lies ahead.
    """
    begin = _begin(named, local(now))
    folds = (begin,) if begin.tzinfo else (begin.replace(fold=0), begin.replace(fold=1))
    readings = sorted(local(one).astimezone(UTC) for one in folds)
    past = [one for one in readings if one <= now]
    if not past:
        shown = stamp(readings[0])
        raise invalid(field, f"{shown} is in the future: it is {stamp(now)} now.", hint=_HINT)
    return stamp(past[-1] + _length(named) - timedelta(milliseconds=1))


def _begin(named: AtTime, here: datetime) -> datetime:
    """The first instant that a time means. It has a time zone only if the name has one. `here`: now, in the person's zone.

    ValueError if no clock or calendar has such a time.
    """
    day = here.date()
    if named.day == "yesterday":
        day -= timedelta(days=1)
    elif named.day:
        day = datetime.fromisoformat(named.day).date()
    clock = named.clock if named.clock[1:2] != ":" else f"0{named.clock}"
    return datetime.fromisoformat(f"{day.isoformat()}T{clock or '00:00'}{named.zone}")


def _length(named: AtTime) -> timedelta:
    """How long the named time lasts: a day, a minute, a second or a millisecond."""
    if not named.clock:
        return timedelta(days=1)
    if named.clock.count(":") == 1:
        return timedelta(minutes=1)
    return timedelta(milliseconds=1) if "." in named.clock else timedelta(seconds=1)
