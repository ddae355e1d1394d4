"""What the ledger knows of a task or a contract, for its bundle."""

from __future__ import annotations

from collections.abc import Sequence

from devs_git.domain.ledger.event_contracts import Contract
from devs_git.domain.ledger.event_operations import Dropped, Rewound, Undone
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.resume.assemble_bundle import Facts
from devs_git.domain.resume.bundle import (
    BundleContract,
    BundleGate,
    BundlePoint,
    BundleRewind,
    BundleTask,
    ContractTask,
)
from devs_git.errors import DevsError
from devs_git.operations.resume import code_state
from devs_git.storage.git.places import Places
from devs_git.storage.ledger import gate_files, task_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace


def of_task(
    workspace: Workspace, tip: Tip, named: tuple[str, Checkpoint | None], places: Places | None
) -> Facts:
    """The facts of a task in a worktree, up to the checkpoint, or up to now."""
    task_id, point = named
    history = listing.with_task(tip, task_id)
    task = history.tasks[task_id]
    points = [one for one in history.of_task(task.task_id) if one.live]
    since = point or (points[-1] if points else None)
    code, changes = code_state.read(
        workspace,
        places,
        since.commit if since else task.started_on,
        since.name if since else f"the start of {task.task_id}",
        since.commit if since else task.started_on,
    )
    until = point.created_at if point else ""
    return Facts(
        code=code,
        changes=changes,
        task=_task(tip, history, task),
        gates=gates_of(tip, frozenset((task.task_id,)), until),
        rewound=_rewinds(history, listing.operations(tip).operations, frozenset((task_id,)), until),
        checkpoints=tuple(_point(one) for one in points if not until or one.created_at <= until),
        point=point.name if point else "",
    )


def task_in(tip: Tip, task_id: str) -> BundleTask:
    """The task as a bundle has it."""
    history = listing.with_task(tip, task_id)
    return _task(tip, history, history.tasks[task_id])


def _task(tip: Tip, history: History, task: Task) -> BundleTask:
    return BundleTask(
        task_id=task.task_id,
        title=task.title,
        phase=history.phase_of(task),
        plan=task_files.newest(tip, task.task_id).get("plan", ""),
        status=task.status,
        contract=task.contract,
        author=task.actor,
    )


def of_contract(
    workspace: Workspace, tip: Tip, contract: Contract, places: Places | None, point: Checkpoint | None = None
) -> Facts:
    """The facts of a contract whose supervisor worked in this worktree, up to the checkpoint, or up to now."""
    history, until = tip.here, point.created_at if point else ""
    every = (task for task in history.tasks.values() if task.contract == contract.name)
    tasks = [task for task in every if not until or task.started_at <= until]
    names = frozenset(task.task_id for task in tasks)
    live = (one for one in history.live() if one.task_id in names and (not until or one.created_at <= until))
    points = sorted(live, key=lambda one: one.created_at)
    last = point or (points[-1] if points else None)
    code, changes = code_state.read(
        workspace,
        places,
        last.commit if last else "HEAD",
        last.name if last else "HEAD",
        last.commit if last else "",
    )
    newest = sorted(tasks, key=lambda task: task.started_at, reverse=True)
    return Facts(
        code=code,
        changes=changes,
        contract=BundleContract(
            contract.name,
            contract.phase,
            contract.actor,
            tuple(ContractTask(one.task_id, one.title, one.status, history.phase_of(one)) for one in newest),
        ),
        gates=gates_of(tip, names, until),
        rewound=_rewinds(history, history.operations, names, until),
        checkpoints=tuple(map(_point, points)),
        point=point.name if point else "",
    )


def _point(point: Checkpoint) -> BundlePoint:
    return BundlePoint(point.name, point.commit, point.message, point.created_at)


def gates_of(tip: Tip, names: frozenset[str], until: str = "") -> tuple[BundleGate, ...]:
    """The gates of these tasks that were asked until then, oldest first. One that cannot be read belongs to none."""
    found = []
    for gate_id in gate_files.all_ids(tip):
        # Most requests are of other tasks, and their YAML need not be read.
        data = tip.read(gate_files.request_path(gate_id)) or b""
        if not any(name.encode() in data for name in names):
            continue
        try:
            gate = gate_files.find(tip, gate_id)
        except DevsError:
            continue
        created_at, decision = gate.text("created_at"), gate.decision or {}
        if gate.text("task_id") not in names or (until and created_at > until):
            continue
        found.append(
            BundleGate(
                gate_id=gate_id,
                gate_type=gate.gate_type,
                status=gate.status,
                blocker_description=gate.text("blocker_description"),
                author=gate.text("requested_by") or gate.text("agent_id") or "unknown",
                reason=str(decision.get("resolution_reason") or ""),
                reviewer=str(decision.get("reviewer_id", "")),
                created_at=created_at,
            )
        )
    return tuple(sorted(found, key=lambda gate: (gate.created_at, gate.gate_id)))


def _rewinds(
    history: History, operations: Sequence[Event], names: frozenset[str], until: str
) -> tuple[BundleRewind, ...]:
    """The rewinds and drops which took back work of these tasks until then, oldest first."""
    tags = {point.tag for point in history.checkpoints.values() if point.task_id in names}
    undone = _undone(operations)
    return tuple(
        _rewind(event, undone=event.op_id in undone)
        for event in operations
        if event.type in (Rewound.type, Dropped.type)
        and (not names.isdisjoint(event.tasks) or not tags.isdisjoint(event.undone))
        and (not until or event.finished <= until)
    )


def _undone(operations: Sequence[Event]) -> set[str]:
    """The operations that were undone. An undo that was undone itself does not count."""
    found = set[str]()
    for event in reversed(operations):
        if event.type == Undone.type and event.op_id not in found:
            found.add(Undone.of(event).undoes)
    return found


def _rewind(event: Event, *, undone: bool) -> BundleRewind:
    drops = event.type == Dropped.type
    said = Dropped.of(event) if drops else Rewound.of(event)
    target = said.target if isinstance(said, Rewound) else said.task
    return BundleRewind(
        operation=event.op_id,
        kind="drop" if drops else "rewind",
        target=target,
        author=event.actor,
        reason=said.reason,
        created_at=event.finished,
        undone=undone,
    )
