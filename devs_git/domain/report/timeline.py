"""The timeline of a report: checkpoints, operations and gates in the order of the ledger, oldest first. No clock is trusted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from devs_git.domain.ledger.event_operations import (
    ConversationRewound,
    Dropped,
    Movement,
    Restored,
    Rewound,
    Undone,
)
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.report.facts import Gate, Mark
from devs_git.values import immutable, replace

# More rows are hard to read, and the page has a size.
MOST: Final = 300
DETACHED: Final = "no branch"
# The operations that have a row: those that move a branch.
MOVES: Final = (Rewound.type, Undone.type, Restored.type, Dropped.type)
_HEADS: Final = "refs/heads/"


@immutable
class _Placed:
    """A mark with the position of its event. `key`: by what another row names it, and `back` the key that it names itself."""

    place: int
    mark: Mark
    key: str
    back: str = ""


def marks(
    order: Mapping[str, int], points: Iterable[Checkpoint], operations: Sequence[Event], gates: Iterable[Gate]
) -> tuple[tuple[Mark, ...], int]:
    """The newest rows, and how many older ones are left out. `order`: the position of each event in the ledger."""
    undone, words = _undone(operations), {event.op_id: _words(event) for event in operations}
    placed = [
        *(_of_point(order, point) for point in points),
        *(_of_operation(order, event, undone, words) for event in operations if event.type in MOVES),
        *(one for gate in gates for one in _of_gate(order, gate)),
    ]
    placed.sort(key=lambda one: one.place)
    shown = placed[-MOST:]
    rows = {one.key: row for row, one in enumerate(shown)}
    found = (
        replace(one.mark, back_to=rows.get(one.back) if rows.get(one.back, row) < row else None)
        for row, one in enumerate(shown)
    )
    return tuple(found), len(placed) - len(shown)


def concerns(event: Event, tasks: Collection[str], tags: Collection[str]) -> bool:
    """Whether an operation goes to one of these tasks, or changed a task or a checkpoint of them."""
    return any(task in tasks for task in event.tasks) or any(
        tag in tags for tag in (*event.undone, *event.revived)
    )


def _undone(operations: Sequence[Event]) -> set[str]:
    """The ids of the operations that are undone now: an undo of an undo brings the first one back."""
    found: set[str] = set()
    for event in reversed(operations):
        if event.effects.undoes and event.op_id not in found:
            found.add(Undone.of(event).undoes)
    return found


def lane_name(branch: str) -> str:
    return branch.removeprefix(_HEADS) or DETACHED


def _of_point(order: Mapping[str, int], point: Checkpoint) -> _Placed:
    what = "completed" if point.completed else "checkpoint"
    text = f"{point.name} {point.message}".rstrip()
    mark = Mark(what, lane_name(point.branch), point.created_at, text, point.task_id, undone=not point.live)
    return _Placed(order.get(point.event, 0), mark, point.commit)


def _of_operation(
    order: Mapping[str, int], event: Event, undone: Collection[str], words: Mapping[str, str]
) -> _Placed:
    movement = Movement.of(event)
    back = Undone.of(event).undoes if event.effects.undoes else movement.after
    mark = Mark(
        event.type,
        lane_name(movement.branch),
        event.finished,
        f"undo of {words.get(back, back)}" if event.effects.undoes else _words(event).removeprefix("the "),
        event.task,
        undone=movement.op_id in undone,
    )
    return _Placed(order.get(event.oid, 0), mark, movement.op_id, back)


def _words(event: Event) -> str:
    if event.effects.undoes:
        return "an undo"
    if event.type == Rewound.type:
        return f"the rewind to {Rewound.of(event).target}"
    if event.type == Dropped.type:
        return f"the drop of {event.task}"
    if event.type == ConversationRewound.type:
        return "the rewind of a conversation"
    return f"the restore of files from {Restored.of(event).target}"


def _of_gate(order: Mapping[str, int], gate: Gate) -> Iterator[_Placed]:
    lane = lane_name(gate.branch)
    asked = Mark("asked", lane, gate.asked_at, f"gate asked: {gate.question}", gate.gate_id)
    yield _Placed(order.get(gate.event, 0), asked, gate.gate_id)
    for one in gate.decisions:
        what = one.decision if one.counts else "void"
        said = f"gate {one.decision.lower()} by {one.reviewer}"
        text = said if one.counts else f"{said}, which does not count: {one.why_not}"
        mark = Mark(what, lane, one.at, text, gate.gate_id, undone=not one.counts)
        yield _Placed(order.get(one.event, 0), mark, one.event)
