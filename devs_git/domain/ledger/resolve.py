"""From what a caller pointed at to a checkpoint of the ledger.

- `task-10` is the live completion; where there is none: NO_CHECKPOINT, with the way to what there is.
- `task-10@3` is that number, live or not; no event chooses between two that have it. An oid is a checkpoint's tag object or the commit that one stands on.
- The beginning of such an oid, seven digits at least, where no task has that id and no other checkpoint that beginning.
- TASK_NOT_FOUND: the ledger never heard of the task. CHECKPOINT_NOT_FOUND: the task exists, that number or oid does not.
"""

from __future__ import annotations

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import Target
from devs_git.errors import DevsError


def resolve(history: History, target: Target) -> Checkpoint:
    """The checkpoint that `target` names; raises as the module says."""
    if target.oid:
        return _by_oid(history, target.oid)
    if target.task not in history.tasks:
        oid = _whole(history, target.short) if target.short else ""
        if oid:
            return _by_oid(history, oid)
        raise DevsError(
            "TASK_NOT_FOUND",
            f"There is no {target.task}.",
            hint="List all: devs-git log",
            task_id=target.task,
        )
    points = history.of_task(target.task)
    if target.number is not None:
        return _by_number(points, target)
    completion = history.completion(target.task)
    if completion:
        return completion
    if points:
        undone = any(point.completed for point in points)
        hint = f"Name one of its checkpoints, such as {points[-1].name}"
        hint += ", or return from the rewind that undid it: devs-git undo" if undone else ""
    else:
        hint = f"Complete it first: devs-git task complete {target.task}"
    text = f"{target.task} has no live completion."
    raise DevsError("NO_CHECKPOINT", text, hint=hint, task_id=target.task)


def _by_number(points: list[Checkpoint], target: Target) -> Checkpoint:
    found = [point for point in points if point.number == target.number]
    if len(found) == 1:
        return found[0]
    if found:
        oids = " or ".join(point.tag[:12] for point in found)
        raise DevsError(
            "CHECKPOINT_NOT_FOUND",
            f"In the ledger, {len(found)} checkpoints have the number {target}.",
            hint=f"Name the one that you mean by its oid: {oids}",
            task_id=target.task,
        )
    have = ", ".join(str(point.number) for point in points[-10:]) or "none"
    raise DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"There is no checkpoint {target}; {target.task} has: {have}.",
        hint="List all: devs-git log",
        task_id=target.task,
    )


def _whole(history: History, beginning: str) -> str:
    """The one oid that begins so; '' where there is none."""
    oids = {oid for point in history.checkpoints.values() for oid in (point.tag, point.commit)}
    found = sorted(oid for oid in oids if oid.startswith(beginning))
    if len(found) > 1:
        raise DevsError(
            "CHECKPOINT_NOT_FOUND",
            f"Several checkpoints begin with {beginning}: {', '.join(oid[:12] for oid in found[:5])}.",
            hint="Write more digits, or its name: devs-git log",
            oid=beginning,
        )
    return found[0] if found else ""


def _by_oid(history: History, oid: str) -> Checkpoint:
    if oid in history.checkpoints:
        return history.checkpoints[oid]
    found = [point for point in history.checkpoints.values() if point.commit == oid]
    if found:
        return next((point for point in reversed(found) if point.live), found[-1])
    raise DevsError(
        "CHECKPOINT_NOT_FOUND", f"{oid} is not a checkpoint.", hint="List all: devs-git log", oid=oid
    )
