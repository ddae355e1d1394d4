"""Events that a check takes as judged. Their messages are read only where a newer event says something of the same task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from devs_git.domain.ledger.event_keys import KEY_PREFIX, Key
from devs_git.domain.ledger.events import Event, parse
from devs_git.domain.ledger.history import History, fold
from devs_git.values import Final, immutable

_KEYS: Final = (
    *(Key.TASK, Key.STATUS, Key.NEXT, Key.TAG),
    *(Key.UNDONE, Key.REVIVED, Key.GONE, Key.RENUMBERED, Key.MOVED),
)
_ENDS: Final = "|".join(key.removeprefix(KEY_PREFIX) for key in _KEYS)
_MADE: Final = f"\n{Key.ARCHIVED}: "
_UNDONE: Final = f"\n{Key.UNARCHIVED}: "
# A pattern that begins with fixed text is much faster than one that begins with ^.
_FIRST: Final = re.compile(f"\n{KEY_PREFIX}(?:{_ENDS}): ?([^\n ]+)")
_SECOND: Final = re.compile(f"\n{Key.MOVED}: ?[^\n ]+ ([^\n ]+)")


@immutable
class Unread(Event):
    """An event without type and fields. Its body is the whole message."""

    # The tasks and tags that the message names.
    words: tuple[str, ...] = ()
    # Whether it names archives.
    archives: bool = False


def unread(oid: str, parents: tuple[str, ...], message: str) -> Unread:
    """What is asked of the message is found here: while git reads the next events, there is time."""
    text = f"\n{message}"
    archives = _MADE in text or _UNDONE in text
    return Unread("", "", (), message, oid, parents, _words(text), archives)


def read(event: Event) -> Event:
    """The whole event of an unread one."""
    return parse(event.oid, event.parents, event.body)


def parents_first(events: Sequence[Event]) -> list[Event]:
    """The same events in the order of `git rev-list --topo-order --reverse`. The first is the tip, which all others lead to."""
    if all(event.parents == (older.oid,) for event, older in pairwise(events)):
        return [*reversed(events)]
    by_oid = {event.oid: event for event in events}
    children = Counter(parent for event in events for parent in event.parents)
    ready, found = [events[0].oid], []
    # An event follows when the last of its children is there; of several such events git takes the newest it met.
    while ready:
        event = by_oid[ready.pop()]
        found.append(event)
        for parent in event.parents:
            children[parent] -= 1
            if not children[parent] and parent in by_oid:
                ready.append(parent)
    return [*reversed(found)]


def ancestors(events: Sequence[Event], oid: str) -> set[str]:
    """The event `oid` and its ancestors; empty if it is none of `events`, which have parents first."""
    found: set[str] = set()
    for event in reversed(events):
        if event.oid == oid or event.oid in found:
            found.add(event.oid)
            found.update(event.parents)
    return found


def fold_named(
    older: Sequence[Unread], newer: Sequence[Event], order: Iterable[str]
) -> tuple[frozenset[str], History]:
    """The tasks that `newer` events name, directly or by a checkpoint's tag; and a history that has the same checkpoints of these
    tasks, and the same archives, as one of all events.

    `order` are the oids of all events, parents first.
    """
    seen = {word for event in newer for word in _words(f"\n{event.message()}")}
    events = {event.oid: event for event in newer}
    events |= {event.oid: read(event) for event in older if event.archives}
    fresh = set(seen)
    while fresh:
        touched = [read(event) for event in older if not fresh.isdisjoint(event.words)]
        events |= {event.oid: event for event in touched}
        pairs = [pair for event in touched for pair in _of_one_task(event) if not seen.isdisjoint(pair)]
        fresh = {word for pair in pairs for word in pair} - seen
        seen |= fresh
    tasks = frozenset(word for word in seen if word.startswith("task-"))
    return tasks, fold(events[oid] for oid in order if oid in events)


def _words(text: str) -> tuple[str, ...]:
    """The tasks and tags that a message names, with the new tag of each checkpoint that moved."""
    return (*_FIRST.findall(text), *(_SECOND.findall(text) if Key.MOVED in text else ()))


def _of_one_task(event: Event) -> list[tuple[str, str]]:
    """A task and the tag of its checkpoint; and the old and new tags of each checkpoint that moved."""
    moved = [(words[0], words[1]) for words in event.moves if len(words) > 1]
    return [(event.task, event.tag), *moved] if event.tag else moved
