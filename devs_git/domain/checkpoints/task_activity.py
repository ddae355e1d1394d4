"""Which task is active in a worktree after a rewind or undo, as trailer lines (`<git dir>/devs/task`)."""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import Work, work_of
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.history import History, Task


def task_of(lines: str) -> str:
    """The task id in trailer lines; '' if there is none."""
    work = work_of(lines)
    return work.task if work else ""


def lines_of(history: History, task: Task) -> str:
    """The lines of a task that becomes active again."""
    return Work(task.task_id, task.agent, "", history.phase_of(task)).lines()


def after_rewind(history: History, effect: Effect, lines: str) -> str:
    """The lines afterwards: '' if their task was undone, or those of the target's task if that is active again."""
    if effect.reactivated:
        return lines_of(history, history.tasks[effect.reactivated])
    return "" if task_of(lines) in effect.affected else lines


def after_moment(history: History, effect: Effect, then: str, now: str) -> str:
    """The lines of the moment if their task is active afterwards, else those of now if their task is, else ''."""
    return after_undo(history, effect, then) or after_undo(history, effect, now)


def after_undo(history: History, effect: Effect, lines: str) -> str:
    """The earlier lines if their task is active afterwards, else '': another worktree may have completed it."""
    task = task_of(lines)
    known = history.tasks[task].status if task in history.tasks else ""
    return lines if dict(effect.statuses).get(task, known) == "active" else ""
