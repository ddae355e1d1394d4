"""Which messages of conversations are taken back after some operations.

A conversation is in the catalog of the clone that recorded it, and its messages stay there. An event names the session,
the last message that is kept, and the last one of the session at that time: those between them are rewound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from devs_git.domain.ledger.event_operations import ConversationRewound, Movement, Rewound
from devs_git.domain.ledger.events import Event


class Cut(NamedTuple):
    """The messages of a session after `kept`, up to `last`. All three are ids, which have no space."""

    session_id: str
    kept: str
    last: str

    def __str__(self) -> str:
        return " ".join(self)


class Successor(NamedTuple):
    """The session of a client that goes on in place of the one that the `cut` names."""

    client: str
    session_id: str
    cut: Cut


def cut_of(text: str) -> Cut:
    """The cut in the value of a trailer. ValueError if it does not have three words."""
    session_id, kept, last = text.split(" ")
    return Cut(session_id, kept, last)


def moved_nothing(event: Event) -> bool:
    """Whether an operation changed a conversation and moved no branch and no file."""
    movement = Movement.of(event)
    return bool(movement.messages_undone or movement.messages_revived) and not movement.after


def in_force(operations: Iterable[Event], clone: str) -> dict[str, str]:
    """The cuts that hold after these operations of a clone, oldest first, each with the id of the operation that made it."""
    found: dict[str, str] = {}
    for event in operations:
        if event.clone != clone:
            continue
        movement = Movement.of(event)
        for text in movement.messages_revived:
            found.pop(text, None)
        for text in movement.messages_undone:
            found[text] = event.op_id
    return found


def successors(operations: Iterable[Event], clone: str) -> dict[str, Successor]:
    """The sessions that go on after these operations of a clone, oldest first, each by the id of the session before it."""
    told: dict[str, str] = {}
    standing: dict[str, str] = {}
    for event in operations:
        if event.clone != clone:
            continue
        movement, session = Movement.of(event), _session_of(event)
        for text in movement.messages_revived:
            standing.pop(text, None)
        for text in movement.messages_undone:
            # The undo of an undo has no new session. What was cut last goes on.
            standing.pop(text, None)
            standing[text] = told[text] = session or told.get(text, "")
    steps = ((cut_of(text), said.partition(" ")) for text, said in standing.items() if said)
    return {cut.session_id: Successor(client, session, cut) for cut, (client, _, session) in steps}


def _session_of(event: Event) -> str:
    if event.type == ConversationRewound.type:
        return ConversationRewound.of(event).target
    return Rewound.of(event).session


def line_of(steps: Mapping[str, Successor], session_id: str) -> list[Successor]:
    """The sessions that go on one after the other in place of this one."""
    found: dict[str, Successor] = {}
    # Anybody may have written the events, so the line may be a circle.
    while (step := steps.get(session_id)) and step.session_id not in found:
        session_id = step.session_id
        found[session_id] = step
    return list(found.values())


def back_to(
    before: Collection[str], now: Collection[str], undone: Iterable[Event]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cuts to make and those to take back, so that those of the operations `undone` are as they were `before`.

    A cut that another branch or worktree made meanwhile stays.
    """
    movements = [Movement.of(event) for event in undone]
    touched = dict.fromkeys(
        text for one in movements for text in (*one.messages_undone, *one.messages_revived)
    )
    made = tuple(text for text in touched if text in before and text not in now)
    return made, tuple(text for text in touched if text in now and text not in before)
