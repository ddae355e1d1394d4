"""The events before one, newest first, without those that a filter leaves out: the index says which are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.ledger.indexing.notes import ALONE, MERGES, RECORDS
from devs_git.domain.timeline.stream_rows import Filter
from devs_git.storage.ledger import event_walk
from devs_git.storage.ledger.index import commit_changes, index_queries
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.domain.timeline.belonging import Belonging, Share
    from devs_git.storage.ledger.store import Tip


# Events that are read with the first child of git; each next one reads twice as many.
_FIRST: Final = 50
_ALL: Final = Filter()
Row = tuple[int, str, str]


@immutable
class Walk:
    """A walk back from the event `start`, below `merge` ('' above the newest merge), of the events that `wanted` may take."""

    start: str
    merge: str
    wanted: Filter
    belonging: Belonging | None = None


def back(tip: Tip, walk: Walk) -> Iterator[tuple[Event, str]] | None:
    """See `listing.before`."""
    first = index_queries.ask(tip, lambda base: _read(tip, _rows(tip, base, walk, _FIRST)))
    return None if first is None else _onward(tip, walk, first)


def just_before(tip: Tip, oid: str) -> tuple[str, str] | None:
    """See `listing.just_before`."""
    found = index_queries.ask(tip, lambda base: _next_row(tip, base, oid))
    return None if found is None else (found[0][1:] if found else ("", ""))


def has_event(tip: Tip, oid: str) -> bool:
    """See `listing.has_event`."""
    # It is read, for the caller reads it next.
    rows = index_queries.ask(
        tip, lambda base: _read(tip, [(_seq(base, oid), oid, "")]) if _seq(base, oid) else None
    )
    return bool(rows and rows[0])


def earlier(tip: Tip, events: list[Event], most: int) -> dict[str, list[Event]] | None:
    """See `listing.earlier`."""
    return index_queries.ask(tip, lambda base: _earlier(tip, base, events, most))


Read = tuple[list[tuple[Event, str]], int]


def _onward(tip: Tip, walk: Walk, found: Read) -> Iterator[tuple[Event, str]]:
    limit = _FIRST
    while True:
        events, last = found
        yield from events
        if len(events) < limit:
            return
        limit *= 2
        more = index_queries.ask(tip, lambda base: _read(tip, _rows(tip, base, walk, limit, last)))  # noqa: B023
        if more is None:
            # The file was thrown away meanwhile.
            start, merge = events[-1]
            yield from islice(event_walk.back(tip.ledger, start.oid, merge), 1, None)
            return
        found = more


def _read(tip: Tip, rows: list[Row] | None) -> Read | None:
    """The events of the rows, each with the merge below which it is read, and the number of the last one."""
    if rows is None:
        return None
    merges = {oid: merge for _, oid, merge in rows}
    events = reversed(index_queries.events_of(tip.ledger, [row[:2] for row in rows]))
    return [(event, merges[event.oid]) for event in events], rows[-1][0] if rows else 0


def _next_row(tip: Tip, base: sqlite3.Connection, oid: str) -> list[Row] | None:
    seq = _seq(base, oid)
    return _rows(tip, base, Walk(tip.oid, "", _ALL), 1, seq) if seq else None


def _seq(base: sqlite3.Connection, oid: str) -> int:
    """The number of an event, 0 if the index does not have it."""
    row = base.execute("SELECT seq FROM events WHERE oid = ?", (oid,)).fetchone()
    return int(row[0]) if row else 0


def _earlier(tip: Tip, base: sqlite3.Connection, events: list[Event], most: int) -> dict[str, list[Event]]:
    found = {event.oid: _rows_before(base, event, most) for event in events}
    read = index_queries.events_of(tip.ledger, {row for rows in found.values() for row in rows})
    by_oid = {event.oid: event for event in read}
    return {oid: [by_oid[row[1]] for row in rows] for oid, rows in found.items()}


def _rows_before(base: sqlite3.Connection, event: Event, most: int) -> list[tuple[int, str]]:
    seq = _seq(base, event.oid)
    rows = base.execute(_EARLIER, (event.task, seq, most)).fetchall()
    apart = base.execute(_APART, (rows[-1][0], seq)).fetchone()[0] if rows else None
    return [row for row in rows if row[0] >= (apart or 0)]


_EARLIER: Final = (
    "SELECT e.seq, e.oid FROM touches t JOIN events e ON e.seq = t.seq WHERE t.task = ? AND t.seq < ?"
    " ORDER BY t.seq DESC LIMIT ?"
)
# The newest of some events that two clones may have written side by side: those that stand below it may be of the other one.
_APART: Final = (
    f"SELECT max(seq) FROM events WHERE seq >= ? AND seq <= ? AND (flags & {ALONE | MERGES}) <> {ALONE}"  # noqa: S608 - numbers of ours
)


def _rows(tip: Tip, base: sqlite3.Connection, walk: Walk, limit: int, above: int = 0) -> list[Row] | None:
    """Number and oid of at most `limit` events from the start on, and the merge below which each is read.

    With `above` only those below this number.
    """
    start, merge = _seq(base, walk.start), walk.merge
    # Only below such an event the order does not depend on newer ones.
    alone = base.execute(
        f"SELECT 1 FROM events WHERE oid = ? AND flags & {ALONE}",  # noqa: S608 - a number of ours
        (merge or walk.start,),
    ).fetchone()
    if not (start and alone):
        return None
    newest = base.execute(
        f"SELECT seq, oid FROM events WHERE seq <= ? AND flags & {MERGES} ORDER BY seq DESC LIMIT 1",  # noqa: S608
        (start,),
    ).fetchone()
    if not merge and newest and not _is_alone(base, newest[0]):
        return None
    below, name = newest or (0, "")
    words, values = _conditions(base, walk, _of_files(tip, base, walk.wanted))
    query = f"SELECT seq, oid FROM events WHERE {' AND '.join(('seq <= ?', *words))} ORDER BY seq DESC LIMIT {limit}"  # noqa: S608 - no values
    first = min(start, above - 1) if above else start
    found = base.execute(query, (first, *values)).fetchall()
    _require_honest(first, found, name)
    return [(seq, oid, merge or (name if seq <= below else "")) for seq, oid in found]


def _require_honest(first: int, rows: list[tuple[int, str]], merge: str) -> None:
    """ValueError for rows that would lead a walk in a circle, or for a name that git could take for an option."""
    numbers = [first + 1, *(seq for seq, _ in rows)]
    if any(later >= seq for seq, later in pairwise(numbers)):
        raise ValueError("not in the order of the ledger")
    if not all(map(is_oid, [oid for _, oid in rows] + [merge] * bool(merge))):
        raise ValueError("not the oids of events")


def _is_alone(base: sqlite3.Connection, seq: int) -> bool:
    return bool(base.execute("SELECT flags & ? FROM events WHERE seq = ?", (ALONE, seq)).fetchone()[0])


def _of_files(tip: Tip, base: sqlite3.Connection, wanted: Filter) -> str:
    """The condition for events that may have wanted rows of files, '' if none are wanted."""
    if not wanted.wants_files:
        return ""
    # A file is a row of the event that records its commit.
    return commit_changes.condition(tip.ledger, base, wanted.subtypes) or f"flags & {RECORDS}"


def _conditions(base: sqlite3.Connection, walk: Walk, files: str) -> tuple[list[str], list[object]]:
    """The conditions for what one event alone tells, and for what belongs to a contract or a phase by what the catalog says."""
    wanted = walk.wanted
    words, values = list[str](), list[object]()
    if wanted.task_id:
        words.append("seq IN (SELECT seq FROM touches WHERE task = ?)")
        values.append(wanted.task_id)
    if wanted.agent:
        words.append("agent = (SELECT id FROM names WHERE text = ?)")
        values.append(wanted.agent)
    words += _in_time(wanted.since, wanted.until, values)
    names = {str(text): int(number) for text, number in base.execute("SELECT text, id FROM names")}
    if wanted.actor:
        words.append(_among("actor", [names[name] for name in names if wanted.actor.lower() in name.lower()]))
    if wanted.types or wanted.subtypes:
        kinds = _among("kind", [number for name, number in names.items() if _is_wanted(name, wanted)])
        words.append(f"({kinds} OR {files})" if files else kinds)
    if walk.belonging:
        for column, name, shares in walk.belonging.conditions(wanted):
            values.append(name)
            any_of = [f"{column} = (SELECT id FROM names WHERE text = ?)"]  # noqa: S608 - one of two columns
            any_of += [_of_share(share, values) for share in shares]
            words.append(f"({' OR '.join(any_of)})")
    return words, values


def _of_share(share: Share, values: list[object]) -> str:
    """The condition of one share, in the order in which its values are added."""
    words = _in_time(share.begin, share.end, values)
    marks = ",".join("?" * len(share.tasks))
    words.append(
        f"(contract = (SELECT id FROM names WHERE text = ?) OR seq IN (SELECT seq FROM touches WHERE task IN ({marks})))"  # noqa: S608
    )
    values += [share.contract, *share.tasks]
    return f"({' AND '.join(words)})"


def _in_time(begin: str, end: str, values: list[object]) -> list[str]:
    """The conditions for events that ended between two times, each '' for no bound, and the values of both."""
    bounds = {"finished >= ?": begin, "finished <= ?": end}
    values += filter(None, bounds.values())
    return [words for words, time in bounds.items() if time]


def _is_wanted(name: str, wanted: Filter) -> bool:
    kind, _, subtype = name.partition("/")
    return wanted.has_type(kind) and (not wanted.subtypes or subtype in wanted.subtypes)


def _among(column: str, numbers: list[int]) -> str:
    return f"{column} IN ({','.join(map(str, numbers))})"
