"""What one event says to the index, whatever came before it: so events are read in any order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from devs_git.domain.ledger.event_keys import KEY_PREFIX, Key
from devs_git.domain.ledger.event_names import agent_of, contract_of, kind_of
from devs_git.domain.ledger.events import Effects, Event, Fields, of_fields, unreadable
from devs_git.domain.text.plain_text import printable
from devs_git.values import mutable

# What the row of an event says besides: it records or moves a checkpoint, is an operation, sets something of a contract.
RECORDS, OPERATION, STEERS, PRESERVES, MERGES, ALONE = 1, 2, 4, 8, 16, 32
# All flags that an event can have which steers a contract.
STEERING: Final = tuple(flags for flags in range(2 * ALONE) if flags & STEERS)
# Trailers that events of any type may have. They name checkpoints and tasks.
TAGS: Final = (Key.UNDONE, Key.REVIVED, Key.GONE)
_MARKS: Final = frozenset((*TAGS, Key.MOVED, Key.RENUMBERED, Key.STATUS, Key.NEXT))
_OTHERS: Final = (
    *(Key.EVENT, Key.FORMAT, Key.OUTCOME, Key.TASK, Key.NUMBER, Key.STAT, Key.TAG, Key.COMMIT, Key.PRESERVED),
    *(Key.DECISION, Key.FORKED_FROM, Key.ACTOR, Key.AGENT, Key.CONTRACT, Key.PHASE, Key.PARENT, Key.FINISHED),
)
_NOTHING: Final = Effects()


def reader() -> Callable[[str, tuple[str, ...], str], Event]:
    """A function that reads an event as `events.parse` does, but only the trailers that `note` needs: that takes half the time."""
    names = "|".join(sorted(key.removeprefix(KEY_PREFIX) for key in (*_MARKS, *_OTHERS)))
    find = re.compile(f"\n({KEY_PREFIX}(?:{names})): ?(.*)").findall

    def read(oid: str, parents: tuple[str, ...], message: str) -> Event:
        fields = find("\n" + message.rstrip("\n").rpartition("\n\n")[2])
        if not "".join([value for _, value in fields]).isprintable():
            fields = [(key, printable(value)) for key, value in fields]
        return of_fields(fields, oid, parents, "", "")

    return read


@mutable
class Note:
    """`numbers`: of the names of kind, actor, agent, contract, phase and parent. `tasks`: all that it names; one may occur twice.

    `effects`: those of its type, none if it failed. `marks`: its trailers that change checkpoints.
    """

    oid: str
    parents: tuple[str, ...]
    numbers: tuple[int, ...]
    finished: str
    tasks: tuple[str, ...]
    flags: int
    effects: Effects
    task: str
    tag: str
    commit: str
    marks: Fields


def note(event: Event, number: Callable[[str], int]) -> Note:
    """The note of an event. `number`: the number of a name. LEDGER_MUTATED where the fold raises it, too."""
    has, effects = event.first.get, event.effects
    marks = () if _MARKS.isdisjoint(event.first) else _marks(event)
    task = has(Key.TASK, "")
    found = Note(
        event.oid,
        event.parents,
        (
            number("/".join(kind_of(event))),
            number(has(Key.ACTOR, "")),
            number(agent_of(event)),
            number(contract_of(event)),
            number(event.phase),
            number(has(Key.PARENT, "") if effects.starts else ""),
        ),
        has(Key.FINISHED, ""),
        event.tasks if marks or len(event.first) < len(event.fields) else (task,) * (Key.TASK in event.first),
        MERGES if len(event.parents) > 1 else 0,
        effects,
        task,
        has(Key.TAG, ""),
        has(Key.COMMIT, ""),
        marks,
    )
    if event.failed:
        found.effects, found.marks = _NOTHING, ()
        return found
    try:
        _check(event, found)
    except ValueError as error:
        raise unreadable(event) from error
    return found


def _marks(event: Event) -> Fields:
    return tuple(pair for pair in event.fields if pair[0] in _MARKS)


def _check(event: Event, found: Note) -> None:
    """Add the flags. ValueError where the fold cannot read a number."""
    if found.effects.records:
        int(event.get(Key.NUMBER, "0"))
        _changed, _added, _removed = map(int, event.get(Key.STAT, "0 0 0").split())
        found.flags |= RECORDS
    elif found.effects.operation:
        found.flags |= OPERATION | (PRESERVES if event.preserved else 0)
    for key, value in found.marks:
        if key == Key.MOVED:
            found.flags |= RECORDS
        elif key == Key.STATUS:
            _name, _status = value.split()
