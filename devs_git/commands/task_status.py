"""`task status`: one task, or the active one, with its newest checkpoints. Tier 0."""

from __future__ import annotations

from devs_git.domain.checkpoints.rows import Row
from devs_git.domain.checkpoints.task_states import no_active_task
from devs_git.domain.ledger import ids
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.operations.checkpoint import commit_locations, unrecorded_commits
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace

NEWEST = 20


@immutable
class Request(VerbRequest):
    """`task_id`: None for the active task of this worktree."""

    task_id: str | None = None

    def __post_init__(self) -> None:
        if self.task_id is not None:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))


@immutable
class Result(VerbResult):
    """`active_here`: it is this worktree's active task. `checkpoints`: its newest ones, newest first.

    `phase`: its own, else its contract's. `spawned_by`: the client and the session that started it; `parent`: the task of which
    it is a part. `forked_from`: the checkpoint or moment at which a fork began. `unrecorded`: commits of this worktree that a hook could not record. `way_back`: how to return to the newest checkpoint
    that is not replaced, if HEAD does not have it. `not_believed`: as in `status`.
    """

    task_id: str
    status: str
    title: str
    plan: str
    contract: str
    agent: str
    phase: str
    worktree: str
    active_here: bool
    started_at: str
    result: str
    next_checkpoint: int
    checkpoints: tuple[Row, ...]
    unrecorded: tuple[str, ...] = ()
    way_back: str = ""
    not_believed: str = ""
    parent: str = ""
    spawned_by: str = ""
    forked_from: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    tip = workspace.ledger.require()
    active = active_task.task_of(active_task.read(workspace.places))
    task_id = request.task_id or active
    if not task_id:
        raise no_active_task()
    history = listing.of_tasks(tip, task_id)
    if task_id not in history.tasks:
        from devs_git.domain.ledger import resolve

        history = tip.here
        task_id = resolve.meant_task(history.tasks, task_id)
    task = history.tasks[task_id]
    record = task_files.newest(tip, task_id)
    points = history.of_task(task_id)[: -NEWEST - 1 : -1]
    rows = commit_locations.rows(workspace, points, history, lambda _point: task.status)
    newest = next(((point, row) for point, row in zip(points, rows, strict=True) if not point.replaced), None)
    return Result(
        task_id=task_id,
        status=task.status,
        title=task.title,
        plan=record.get("plan", ""),
        contract=task.contract,
        agent=task.agent,
        phase=history.phase_of(task),
        worktree=task.worktree,
        active_here=active == task_id,
        started_at=task.started_at,
        result=record.get("result", ""),
        next_checkpoint=task.next_number,
        checkpoints=rows,
        unrecorded=unrecorded_commits.read(workspace.places),
        way_back=commit_locations.way_back(workspace, history, *newest) if newest else "",
        not_believed=workspace.why_not_believed(),
        parent=task.parent,
        spawned_by=task.spawned_by,
        forked_from=task.forked_from,
    )
