"""When a task may be started, worked on or completed.

Refusals: TASK_NOT_FOUND (the ledger does not have it), TASK_EXISTS (the id is live, or completed with nothing new since),
CONFLICT (rewound or dropped: it has to be started again; abandoned: it has to be taken up again).
"""

from __future__ import annotations

from devs_git.domain.ledger.history import History, Task
from devs_git.domain.ledger.task_standing import ABANDONED, LIVE
from devs_git.errors import DevsError


def require_known(task_id: str, status: str) -> None:
    """TASK_NOT_FOUND for a task that is not in the ledger."""
    if not status:
        raise DevsError(
            "TASK_NOT_FOUND",
            f"There is no {task_id}.",
            hint=_question(task_id) + _start(task_id),
            task_id=task_id,
        )


def _start(task_id: str) -> str:
    return f"Start it: devs-git task start {task_id}"


def _question(task_id: str) -> str:
    from devs_git.domain.ledger import resolve

    meant = resolve.other_spelling(task_id)
    return f"Did you mean {meant}? " if meant else ""


def _return(task_id: str) -> str:
    return f"Take it up again: devs-git task switch {task_id}"


def require_live(task_id: str, status: str) -> None:
    """CONFLICT if the task was rewound, dropped or abandoned."""
    require_known(task_id, status)
    if status == ABANDONED:
        raise DevsError("CONFLICT", f"{task_id} was abandoned.", hint=_return(task_id), task_id=task_id)
    if status not in LIVE:
        raise DevsError(
            "CONFLICT",
            f"{task_id} was {status}; its id is free again.",
            hint=f"Start it again: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_reader(task_id: str, status: str) -> None:
    """CONFLICT if no agent would get a directive of the task, because it was rewound, dropped or abandoned."""
    require_known(task_id, status)
    if status not in LIVE:
        raise DevsError(
            "CONFLICT",
            f"{task_id} was {status}, so no agent would get the directive.",
            hint=_return(task_id)
            if status == ABANDONED
            else f"Return from the operation that undid it (devs-git undo), or start it again: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_running(task_id: str, status: str) -> None:
    """TASK_EXISTS if the task is completed and has nothing new."""
    require_live(task_id, status)
    if status == "completed":
        raise nothing_new(task_id)


def require_task(history: History, task_id: str, *, then: str = "") -> Task:
    """The task in the ledger; TASK_NOT_FOUND, whose hint says what to type: `then`, or how to start the task."""
    if task_id in history.tasks:
        return history.tasks[task_id]
    from devs_git.domain.ledger import resolve  # only a wrong id needs it

    raise resolve.task_not_found(history.tasks, task_id, then=then or _start(task_id))


def nothing_new(task_id: str) -> DevsError:
    return DevsError(
        "TASK_EXISTS",
        f"{task_id} is completed, and nothing was done for it since then.",
        hint="Start the next task: devs-git task start <id>",
        task_id=task_id,
    )


def no_active_task() -> DevsError:
    return DevsError(
        "TASK_NOT_FOUND",
        "No task is active in this worktree.",
        hint="Start one: devs-git task start <id>",
    )
