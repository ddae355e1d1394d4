"""Events that a check takes as judged. Their messages are read only where a newer event says something of the same task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from devs_git.domain.ledger.event_keys import KEY_PREFIX, Key
from devs_git.domain.ledger.events import Event, parse
from devs_git.domain.ledger.history import History, fold

_KEYS: Final = (
    *(Key.TASK, Key.STATUS, Key.NEXT, Key.TAG),
    *(Key.UNDONE, Key.REVIVED, Key.GONE, Key.RENUMBERED, Key.MOVED),
)
_ENDS: Final = "|".join(key.removeprefix(KEY_PREFIX) for key in _KEYS)
_ARCHIVES: Final = (Key.ARCHIVED, Key.UNARCHIVED)
# A pattern that begins with fixed text is much faster than one that begins with ^.
_FIRST: Final = re.compile(f"\n{KEY_PREFIX}(?:{_ENDS}): ?([^\n ]+)")
_SECOND: Final = re.compile(f"\n{Key.MOVED}: ?[^\n ]+ ([^\n ]+)")


def unread(oid: str, parents: tuple[str, ...], message: str) -> Event:
    """An event without type and fields. Its body is the whole message."""
    return Event("", "", (), message, oid, parents)


def read(event: Event) -> Event:
    """The whole event of an unread one."""
    return parse(event.oid, event.parents, event.body)


def ancestors(events: Sequence[Event], oid: str) -> set[str]:
    """The event `oid` and its ancestors; empty if it is none of `events`, which have parents first."""
    found: set[str] = set()
    for event in reversed(events):
        if event.oid == oid or event.oid in found:
            found.add(event.oid)
            found.update(event.parents)
    return found


def fold_named(
    older: Sequence[Event], newer: Sequence[Event], order: Iterable[str]
) -> tuple[frozenset[str], History]:
    """The tasks that `newer` events name, directly or by a checkpoint's tag; and a history that has the same checkpoints of these
    tasks, and the same archives, as one of all events.

    The `older` events are unread. `order` are the oids of all events, parents first.
    """
    seen = {word for event in newer for word in _words(event.message())}
    named = [_words(event.body) for event in older] if seen else []
    events = {event.oid: event for event in (*newer, *of_archives(older))}
    fresh = set(seen)
    while fresh:
        touched = [read(older[at]) for at, words in enumerate(named) if not fresh.isdisjoint(words)]
        events |= {event.oid: event for event in touched}
        pairs = [pair for event in touched for pair in _of_one_task(event) if not seen.isdisjoint(pair)]
        fresh = {word for pair in pairs for word in pair} - seen
        seen |= fresh
    tasks = frozenset(word for word in seen if word.startswith("task-"))
    return tasks, fold(events[oid] for oid in order if oid in events)


def of_archives(older: Iterable[Event]) -> list[Event]:
    """Those of the unread events that name archives, read."""
    return [read(event) for event in older if any(f"\n{key}: " in event.body for key in _ARCHIVES)]


def _words(message: str) -> list[str]:
    """The tasks and tags that a message names, with the new tag of each checkpoint that moved."""
    text = f"\n{message}"
    return [*_FIRST.findall(text), *(_SECOND.findall(text) if Key.MOVED in text else ())]


def _of_one_task(event: Event) -> list[tuple[str, str]]:
    """A task and the tag of its checkpoint; and the old and new tags of each checkpoint that moved."""
    moved = [(words[0], words[1]) for words in event.moves if len(words) > 1]
    return [(event.task, event.tag), *moved] if event.tag else moved
