"""Find the checkpoint that a caller names.

- `task-10` is its completion that counts, which no operation has undone. If there is none: NO_CHECKPOINT, with a hint that
  names other checkpoints.
- `task-10@3` is the checkpoint with that number, live or not. If two have it, neither is chosen.
- `task-10@0` is where the task began. No checkpoint is recorded there, so `operations/checkpoint/task_begin.py` finds it.
- `task-10@<oid>` is a checkpoint of this task.
- An oid is that of a checkpoint's tag object or of its commit.
- The beginning of an oid has at least seven digits. No task may have it as its id, and only one checkpoint may match.
- `task10`, `task_10` and `Task-10` are task-10, if there is no task with just that id.
- TASK_NOT_FOUND: the ledger has no such task. CHECKPOINT_NOT_FOUND: the task has no checkpoint with that number or oid.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.ledger.ids import PREFIX, Target, bare
from devs_git.errors import DevsError
from devs_git.values import replace

_OTHER_PREFIX = re.compile(r"task[._-]?(?=.)", re.ASCII)


def resolve(history: History, target: Target) -> Checkpoint:
    """The checkpoint that `target` names; the errors are those listed above."""
    if target.oid and not target.task:
        return _by_oid(history, target.oid)
    if target.task not in history.tasks:
        oid = _complete_oid(history, target.beginning) if target.beginning else ""
        if oid:
            return _by_oid(history, oid)
        return resolve(history, replace(target, task=meant_task(history.tasks, target.task)))
    points = history.of_task(target.task)
    if target.oid:
        return _of_task(points, target)
    if target.number is not None:
        return _by_number(points, target)
    completion = history.completion(target.task)
    if completion:
        return completion
    raise _not_completed(history.tasks[target.task], points)


def _not_completed(task: Task, points: list[Checkpoint]) -> DevsError:
    """NO_CHECKPOINT: the name of the task alone stands for no state."""
    text = f"{task.task_id} is not completed: it is {task.status}."
    hint = f"Complete it first: devs-git task complete {task.task_id}"
    if points:
        hint = f"Name one of its checkpoints, such as {points[-1].name}"
    if any(point.completed for point in points):
        text = f"The completion of {task.task_id} was undone; the task is {task.status} now."
        hint += ", or return from the rewind that undid it: devs-git undo"
    return DevsError("NO_CHECKPOINT", text, hint=hint, task_id=task.task_id)


def newest(history: History, task_id: str) -> Checkpoint | None:
    """The checkpoint that tells where a task stands: its live completion; else its newest live one; else its newest one.

    None if it has none that is kept.
    """
    points = [point for point in reversed(history.of_task(task_id)) if not point.gone]
    live = next((point for point in points if point.live), None)
    return history.completion(task_id) or live or next(iter(points), None)


def _of_task(points: list[Checkpoint], target: Target) -> Checkpoint:
    """The checkpoint of a task that has an oid, of its tag or of its commit; the live one, or the last, if several have it."""
    found = [point for point in points if target.oid in (point.tag, point.commit)]
    if found:
        return next((point for point in reversed(found) if point.live), found[-1])
    raise DevsError(
        "CHECKPOINT_NOT_FOUND",
        f"No checkpoint of {target.task} has the oid {target.oid}.",
        hint="List all: devs-git log",
        task_id=target.task,
        oid=target.oid,
    )


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


def _complete_oid(history: History, beginning: str) -> str:
    """The one oid with this beginning; '' if there is none."""
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


def meant_task(known: Collection[str], task_id: str) -> str:
    """The id that is meant: `task_id` itself, or the one that differs from it only in its prefix or in case. TASK_NOT_FOUND."""
    if task_id in known:
        return task_id
    meant = [one for one in known if _plain(one) == _plain(task_id)]
    if len(meant) != 1:
        raise task_not_found(known, task_id)
    return meant[0]


def task_not_found(
    known: Collection[str], task_id: str, *, then: str = "List all: devs-git log"
) -> DevsError:
    """TASK_NOT_FOUND, with a hint that names the tasks with similar ids, and `then` says what else to type."""
    meant = [one for one in known if _plain(one) == _plain(task_id)] or _similar(known, task_id)
    question = f"Did you mean {' or '.join(meant)}? " if meant else ""
    return DevsError(
        "TASK_NOT_FOUND",
        f"There is no {task_id}.",
        hint=question + then,
        task_id=task_id,
    )


def other_spelling(task_id: str) -> str:
    """`task-10` of `task-task10`: what a caller means who wrote the prefix without its hyphen; "" if it is no such id."""
    rest = _OTHER_PREFIX.sub("", bare(task_id), count=1)
    return PREFIX + rest if rest != bare(task_id) else ""


def _plain(task_id: str) -> str:
    return _OTHER_PREFIX.sub("", bare(task_id).lower(), count=1)


def _similar(known: Collection[str], task_id: str) -> list[str]:
    """Tasks whose ids look like this one. A number looks like each other number, so none is proposed for it."""
    wanted = _plain(task_id)
    from devs_git.domain.text import similar  # only a wrong id needs it

    return [] if wanted.isdigit() else similar.to(task_id, known)
