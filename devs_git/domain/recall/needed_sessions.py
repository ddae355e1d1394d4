"""Which sessions stay although they are old: those of live checkpoints, and those that an undo or a fork needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.task_standing import LIVE
from devs_git.domain.recall.conversation import main_session
from devs_git.domain.recall.conversation_prefix import prefix_of


def fork_points(histories: Iterable[History]) -> dict[str, str]:
    """The states at which live forks began (`task-10@2` or `moment:` and an id), each with the task of a fork."""
    tasks = (task for history in histories for task in history.tasks.values())
    return {task.forked_from: task.task_id for task in tasks if task.forked_from and task.status in LIVE}


def sessions_of_forks(histories: Iterable[History]) -> dict[str, str]:
    """Main sessions with whose beginning a live fork goes on, each with the reason why it stays."""
    tasks = (task for history in histories for task in history.tasks.values())
    return {
        main_session(task.forked_session): f"{task.task_id} was forked from it"
        for task in tasks
        if task.forked_session and task.status in LIVE
    }


def needed_checkpoints(histories: Sequence[History], undoable: Collection[str]) -> dict[str, str]:
    """Tags of checkpoints, each with the reason why its conversation stays.

    A checkpoint is live if one of the `histories` says so. `undoable`: the ids of operations that somebody can still undo.
    """
    found: dict[str, str] = {}
    forks = fork_points(histories)
    for history in histories:
        points = history.checkpoints
        found |= {
            tag: f"{forks[point.name]} was forked from {point.name}"
            for tag, point in points.items()
            if point.name in forks
        }
        for event in history.operations:
            if event.op_id in undoable:
                found |= {
                    tag: f"an undo can bring {points[tag].name} back" for tag in event.undone if tag in points
                }
        found |= {point.tag: f"{point.name} refers to it" for point in history.live()}
    return found


def cut_sessions(operations: Iterable[Event], undoable: Collection[str]) -> dict[str, str]:
    """Main sessions of which an operation took messages back or brought them back, and that an undo may need; each with the reason."""
    moves = (Movement.of(event) for event in operations if event.op_id in undoable)
    cuts = (text for move in moves for text in (*move.messages_undone, *move.messages_revived))
    # Anybody may have written the event, so it may have any text.
    return {main_session(text.partition(" ")[0]): "an undo can bring its messages back" for text in cuts}


def sessions_of_checkpoints(history: History) -> dict[str, str]:
    """Tag and session of each checkpoint that names a conversation."""
    found = {tag: prefix_of(point.conversation) for tag, point in history.checkpoints.items()}
    return {tag: prefix.session_id for tag, prefix in found.items() if prefix}


def reasons_to_keep(sessions: Mapping[str, str], needed: Mapping[str, str]) -> dict[str, str]:
    """Main sessions with a reason why they stay, their subagents' sessions included."""
    return {main_session(sessions[tag]): reason for tag, reason in needed.items() if tag in sessions}
