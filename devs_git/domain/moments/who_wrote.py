"""Which sessions wrote a path since it was as in HEAD, by moments, calls of tools and edits.

A moment shows which paths changed since the moment before. A change that an edit explains counts for the session of the
edit: alone, unless it explains only a part of the change. Any other change counts for each session of which a call of a
tool that may write was running when the moment was made: a call that ended before has made a moment of its own, if it
changed anything. What is left counts for nobody that we know: a person, or a program in the background.

All times are in UTC, in one form, so that they can be compared as text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from devs_git.values import immutable, replace

# The end of a call that is still running. It sorts after every time.
RUNNING: Final = "~"
_NOBODY: Final[frozenset[str]] = frozenset()


@immutable
class Look:
    """A moment: the paths that `changed` since the one before, and those of them that are `as_in_head` now.

    Of the first look, `changed` are the paths that differ from HEAD.
    """

    at: str
    changed: frozenset[str]
    as_in_head: frozenset[str] = frozenset()


@immutable
class Call:
    """A call of a tool that may write any file, such as a shell. `ended` is RUNNING if nobody was told the end."""

    session: str
    begun: str
    ended: str


@immutable
class Edit:
    """A path that an editing tool wrote between `begun` and `ended`."""

    session: str
    path: str
    begun: str
    ended: str


@immutable
class Writers:
    """The sessions that wrote a path. `unknown`: somebody else wrote it, too."""

    sessions: frozenset[str] = frozenset()
    unknown: bool = False


# Whether edits explain all of the change of a path that a look shows: those before the look, or this one alone.
Explains = Callable[[int, str, "Edit | None"], bool]
_Explained = Mapping[tuple[int, str], frozenset[str]]


def who_wrote(
    looks: Sequence[Look],
    calls: Iterable[Call],
    edits: Iterable[Edit],
    explains: Explains = lambda _number, _path, _edit: True,
) -> dict[str, Writers]:
    """The writers of each path that differs from HEAD at the last look. `looks` are in the order of their times.

    `explains` is asked only if calls of other sessions were running, too, or if an edit ended after the look.
    """
    found: dict[str, Writers] = {}
    known = tuple(calls)
    exact, near = _explained(looks, [_within_its_call(edit, known) for edit in edits], explains)
    for number, look in enumerate(looks):
        running = _running(known, look.at) if number and look.changed else _NOBODY
        for path in look.changed - look.as_in_head:
            before = found.get(path, Writers())
            now = exact.get((number, path), _NOBODY)
            if not now or (running - now and not explains(number, path, None)):
                now |= running
            now |= near.get((number, path), _NOBODY)
            found[path] = Writers(before.sessions | now, before.unknown or not now)
        for path in look.as_in_head:
            found.pop(path, None)
    return found


def _running(calls: Iterable[Call], at: str) -> frozenset[str]:
    """The sessions whose calls were running at a time."""
    return frozenset(call.session for call in calls if call.begun < at <= call.ended)


def _within_its_call(edit: Edit, calls: Iterable[Call]) -> Edit:
    """The edit, not begun before the calls of its session that were running at its end.

    A shell can tell our hook of an edit that was none, and of any duration. What is so explained changed while this shell ran.
    """
    running = (
        call.begun for call in calls if call.session == edit.session and call.begun < edit.ended <= call.ended
    )
    return replace(edit, begun=max((edit.begun, *running)))


def _explained(
    looks: Sequence[Look], edits: Iterable[Edit], explains: Explains
) -> tuple[_Explained, _Explained]:
    """Who edited a path before a look. The sessions of the first mapping explain a change alone.

    In the second are edits whose end is later than the look: the look takes a while, and so does a hook. Such an edit
    counts only if it makes the new text of the old one.
    """
    exact: dict[tuple[int, str], frozenset[str]] = {}
    near: dict[tuple[int, str], frozenset[str]] = {}
    times = [look.at for look in looks]
    for edit in edits:
        number = bisect_left(times, edit.ended)
        into = exact
        if number == len(looks) or edit.path not in looks[number].changed:
            into = near
            number = next(
                (
                    earlier
                    for earlier in range(number - 1, bisect_right(times, edit.begun) - 1, -1)
                    if edit.path in looks[earlier].changed and explains(earlier, edit.path, edit)
                ),
                0,
            )
        # The first look has no time before it.
        if number:
            into[number, edit.path] = into.get((number, edit.path), _NOBODY) | {edit.session}
    return exact, near


def is_among(path: str, changed: Collection[str]) -> bool:
    """Whether a path is one of these, or in one of the folders that they name."""
    parts = path.split("/")
    return path in changed or any("/".join(parts[:end]) + "/" in changed for end in range(1, len(parts)))
