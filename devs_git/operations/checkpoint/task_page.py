"""The page of one task: who worked on it, in which phases, and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devs_git.domain.checkpoints.rows import (
    ChildTask,
    TaskGate,
    TaskMessage,
    TaskPage,
    TaskPhase,
    TaskPoint,
    TaskTrace,
    row,
)
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.recall.query import Query
from devs_git.domain.recall.traces import TraceRow
from devs_git.errors import DevsError
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import conversation_snapshots, messages, search, steering, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import OfTask
from devs_git.storage.ledger import gate_files, task_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace

MOST = 20


def read(workspace: Workspace, tip: Tip, history: History, task: Task) -> TaskPage:
    """The page of a task, as this clone sees it."""
    record = task_files.newest(tip, task.task_id)
    points = history.of_task(task.task_id)
    children = listing.children(tip, task.task_id)
    with open_catalog.open_or_empty(workspace) as catalog:
        shown = tuple(_point(catalog, history, point) for point in points[: -MOST - 1 : -1])
        message_count, _newest = messages.tally(catalog, OfTask(task.task_id))
        return TaskPage(
            task_id=task.task_id,
            title=task.title,
            status=task.status,
            plan=record.get("plan", ""),
            contract=task.contract,
            agent=task.agent,
            phase=history.phase_of(task),
            parent=task.parent,
            spawned_by=task.spawned_by,
            forked_from=task.forked_from,
            started_at=task.started_at,
            result=record.get("result", ""),
            phases=tuple(TaskPhase(*one) for one in steering.phases_of(catalog, task.task_id)),
            checkpoints=shown,
            checkpoint_count=len(points),
            traces=_traces(catalog, task.task_id),
            trace_count=traces.count(catalog, task.task_id),
            messages=_messages(catalog, task.task_id),
            message_count=message_count,
            gates=tuple(_gates(tip, task.task_id))[-MOST:],
            children=_tasks(children),
            forks=_tasks(child for child in children if child.forked_from),
        )


def _point(catalog: Catalog, history: History, point: Checkpoint) -> TaskPoint:
    snapshot = conversation_snapshots.of_tag(catalog, point.tag)
    shown = row(point, history.tasks[point.task_id].status)
    return TaskPoint(
        name=point.name,
        commit=point.commit,
        message=point.message,
        created_at=point.created_at,
        files_changed=point.files_changed,
        lines_added=point.lines_added,
        lines_removed=point.lines_removed,
        status=shown.status,
        state=shown.state,
        conversation_snapshot_id=snapshot.snapshot_id if snapshot else "",
    )


def _traces(catalog: Catalog, task_id: str) -> tuple[TaskTrace, ...]:
    found = search.list_newest(catalog, Query(equal={"task": task_id}), search.Page(MOST, rewound=True))
    return tuple(_trace(row) for row in found.hits)


def _trace(row: TraceRow) -> TaskTrace:
    return TaskTrace(row.trace_id, row.tool_name, row.is_error, row.size, row.created_at)


def _messages(catalog: Catalog, task_id: str) -> tuple[TaskMessage, ...]:
    return tuple(
        TaskMessage(
            message_id=place.message.id,
            session_id=place.session_id,
            role=place.message.role,
            content=(place.message.content or "")[:200],
            created_at=place.message.timestamp or "",
        )
        for place in messages.of_task(catalog, OfTask(task_id), MOST)
    )


def _gates(tip: Tip, task_id: str) -> Iterator[TaskGate]:
    """The gates of the task, oldest first. A request that cannot be read belongs to no task; `verify` names it."""
    found = []
    for gate_id in gate_files.all_ids(tip):
        # Most requests are of other tasks, and their YAML need not be read.
        if task_id.encode() not in (tip.read(gate_files.request_path(gate_id)) or b""):
            continue
        try:
            gate = gate_files.find(tip, gate_id)
        except DevsError:
            continue
        if gate.text("task_id") == task_id:
            texts = (gate.gate_type, gate.status, gate.text("blocker_description"), gate.text("created_at"))
            found.append(TaskGate(gate_id, *texts))
    yield from sorted(found, key=lambda gate: (gate.created_at, gate.gate_id))


def _tasks(found: Iterable[Task]) -> tuple[ChildTask, ...]:
    return tuple(ChildTask(task.task_id, task.title, task.status) for task in found)[-MOST:]
