"""The rows of the graph of `log` before they have edges: what each of them is, and at which commit it stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from devs_git.domain.gates.gate_model import REQUESTED
from devs_git.domain.ledger.event_gates import GateDecided, GateRequested
from devs_git.domain.ledger.event_operations import Movement, Undone
from devs_git.domain.ledger.event_tasks import TaskStarted
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint
from devs_git.values import immutable

CHECKPOINT, HEAD, OPERATION, FORK = "checkpoint", "head", "operation", "fork"
GATE, OPEN_GATE, DECISION = "gate", "open gate", "decision"
_HEADS: Final = "refs/heads/"


@immutable
class Mark:
    """One row. `key`: the tag of a checkpoint, the id of an event, or `HEAD`; `kind` is one of those above.

    `commit`: where it stands, '' if no commit belongs to it. `makes`: that commit is its own; otherwise the branch only came
    there. `branch`: without `refs/heads/`. `answers`: the key of the operation that it undoes, or the request that it
    decides; '' for none.
    """

    key: str
    kind: str
    live: bool
    commit: str = ""
    makes: bool = False
    branch: str = ""
    answers: str = ""


def is_drawn(event: Event) -> bool:
    """Whether the graph has a row for an event that records no checkpoint and is no operation: a gate, or a fork."""
    if event.effects.starts:
        return bool(TaskStarted.of(event).forked_from)
    return event.type == REQUESTED or bool(_decided_gate(event))


def marks(
    items: Sequence[Checkpoint | Event], live: Collection[str], open_gates: Collection[str]
) -> list[Mark]:
    """A mark for each of `items`, newest first. `live`: the tags of the checkpoints that are live for this clone."""
    events = [item for item in items if isinstance(item, Event)]
    operations = {event.op_id: event.oid for event in reversed(events) if event.effects.operation}
    requests = {
        GateRequested.of(event).gate_id: event.oid for event in reversed(events) if event.type == REQUESTED
    }
    undone = _undone_operations(events)
    found = []
    for item in items:
        if isinstance(item, Checkpoint):
            branch = item.branch.removeprefix(_HEADS)
            found.append(Mark(item.tag, CHECKPOINT, item.tag in live, item.commit, True, branch))
        elif item.effects.operation:
            found.append(_of_operation(item, operations, live=item.op_id not in undone))
        elif item.effects.starts:
            task = TaskStarted.of(item)
            found.append(Mark(item.oid, FORK, True, task.head, branch=task.branch.removeprefix(_HEADS)))
        else:
            found.append(_of_gate(item, requests, open_gates))
    return found


def _undone_operations(events: Sequence[Event]) -> set[str]:
    """The ids of the operations that an undo took back, if that undo was not undone itself."""
    undone: set[str] = set()
    for event in events:
        if event.effects.undoes and event.op_id not in undone:
            undone.add(Undone.of(event).undoes)
    return undone


def _of_operation(event: Event, operations: dict[str, str], *, live: bool) -> Mark:
    moved = Movement.of(event)
    undoes = operations.get(Undone.of(event).undoes, "") if event.effects.undoes else ""
    # A restore and a drop make a commit. A rewind and an undo go to one that is there.
    makes = event.type in ("restored", "dropped")
    return Mark(event.oid, OPERATION, live, moved.after, makes, moved.branch.removeprefix(_HEADS), undoes)


def _of_gate(event: Event, requests: dict[str, str], open_gates: Collection[str]) -> Mark:
    if event.type == REQUESTED:
        is_open = GateRequested.of(event).gate_id in open_gates
        return Mark(event.oid, OPEN_GATE if is_open else GATE, True)
    landing = GateDecided.of(event).landing
    asked = requests.get(_decided_gate(event), "")
    if landing is None:
        return Mark(event.oid, DECISION, True, answers=asked)
    branch = landing.branch.removeprefix(_HEADS)
    return Mark(event.oid, DECISION, True, landing.commit, True, branch, asked)


def _decided_gate(event: Event) -> str:
    decided = GateDecided.of(event)
    return decided.gate_id if event.type == decided.type and decided.decision else ""
