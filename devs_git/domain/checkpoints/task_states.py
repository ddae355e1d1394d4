"""When a task may be started, worked on or completed.

Refusals: TASK_NOT_FOUND (the ledger does not have it), TASK_EXISTS (the id is live, or completed with nothing new since),
CONFLICT (rewound or dropped: it has to be started again).
"""

from __future__ import annotations

from devs_git.domain.ledger.history import History, Task
from devs_git.domain.ledger.task_standing import LIVE
from devs_git.errors import DevsError


def require_known(task_id: str, status: str) -> None:
    """TASK_NOT_FOUND for a task that is not in the ledger."""
    if not status:
        raise DevsError(
            "TASK_NOT_FOUND",
            f"There is no {task_id}.",
            hint=f"Start it: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_live(task_id: str, status: str) -> None:
    """CONFLICT if the task was rewound or dropped."""
    require_known(task_id, status)
    if status not in LIVE:
        raise DevsError(
            "CONFLICT",
            f"{task_id} was {status}; its id is free again.",
            hint=f"Start it again: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_reader(task_id: str, status: str) -> None:
    """CONFLICT if no agent would get a directive of the task, because it was rewound or dropped."""
    require_known(task_id, status)
    if status not in LIVE:
        raise DevsError(
            "CONFLICT",
            f"{task_id} was {status}, so no agent would get the directive.",
            hint=f"Return from the operation that undid it (devs-git undo), or start it again: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_running(task_id: str, status: str) -> None:
    """TASK_EXISTS if the task is completed and has nothing new."""
    require_live(task_id, status)
    if status == "completed":
        raise nothing_new(task_id)


def require_task(history: History, task_id: str) -> Task:
    """The task in the ledger; TASK_NOT_FOUND."""
    task = history.tasks.get(task_id)
    require_known(task_id, task.status if task else "")
    return history.tasks[task_id]


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
