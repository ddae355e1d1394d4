"""Which checkpoints are live for one clone. A rewind concerns a branch of the clone that made it.

- A checkpoint that no clone rewound is live everywhere.
- A checkpoint that this clone rewound is live again when the rewound branch has its commit again (a pull, a merge).
- A checkpoint that only other clones rewound is live while a branch of this clone, or of a remote when it was last
  fetched, has its commit.
- For a dropped checkpoint only branches count that do not have the commit of the drop, which takes its work back; nor that commit after an amend or a rebase.
- A replaced checkpoint (amend, rebase, another clone's completion) is replaced for every clone.

The caller finds out which commits the branches have, and passes sets of tags.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from devs_git.domain.ledger.events import Rewound
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.values import Final, replace

# Statuses that follow from checkpoints.
DERIVED: Final = frozenset({"active", "completed", "rewound", "dropped"})


def points_in_doubt(history: History) -> list[Checkpoint]:
    """The checkpoints that may be live for one clone and not for another: at least one clone rewound them, and they are not replaced."""
    return [point for point in history.checkpoints.values() if point.rewound and not point.replaced]


def rewind_of(point: Checkpoint, clone: str) -> Rewound | None:
    """The last rewind by which this clone undid the checkpoint. An event that names no clone counts for every clone."""
    found = [entry for entry in point.rewound if entry.clone in ("", clone)]
    return found[-1] if found else None


def keep_held(history: History, held: Collection[str]) -> History:
    """The history for a clone whose refs hold the tags `held`. It keeps these checkpoints, although another clone dropped them."""
    kept = {
        tag: replace(point, gone="")
        for tag, point in history.checkpoints.items()
        if point.gone and tag in held
    }
    return replace(history, checkpoints=history.checkpoints | kept) if kept else history


def name_in_events(name: str) -> str:
    """The name of a ref as an event contains it: UTF-8, with bytes that are not UTF-8 replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def branches_to_ask(
    points: Iterable[Checkpoint], clone: str
) -> dict[tuple[str | None, tuple[str, str] | None], list[Checkpoint]]:
    """For `points_in_doubt`: the branch that must have a point's commit, so that the point is live for `clone`.

    The key is the branch's name as in events, or None for any branch, and the drop whose commit the branch must not have, None
    for none. A point is missing if no branch can make it live: `clone` rewound the branch to the commit of this very point.
    """
    found: dict[tuple[str | None, tuple[str, str] | None], list[Checkpoint]] = {}
    for point in points:
        mine = rewind_of(point, clone)
        if mine is None:
            found.setdefault((None, point.drop), []).append(point)
        elif not mine.at:
            found.setdefault((mine.branch, mine.drop), []).append(point)
    return found


def view_with(history: History, alive: Collection[str]) -> History:
    """The history for a clone for which, of the `points_in_doubt`, those with the tags `alive` are live."""
    unsure = points_in_doubt(history)
    points = history.checkpoints | {point.tag: replace(point, live=point.tag in alive) for point in unsure}
    view = replace(history, tasks=dict(history.tasks), checkpoints=points)
    own: dict[str, list[Checkpoint]] = {point.task_id: [] for point in unsure if point.task_id in view.tasks}
    for point in points.values():
        if point.task_id in own:
            own[point.task_id].append(point)
    for task_id, found in own.items():
        view.tasks[task_id] = replace(view.tasks[task_id], status=_status(view.tasks[task_id], found))
    return view


def _status(task: Task, points: list[Checkpoint]) -> str:
    """The status of a task by its live checkpoints, of those recorded since the task was last started."""
    own = [point for point in points if point.number >= task.first_number]
    alive = [point for point in own if point.live]
    if task.status not in DERIVED or not own:
        return task.status
    if any(point.completed for point in alive):
        return "completed"
    if any(point.rewound for point in alive):
        return "active"
    dropped = task.status == "dropped"
    if not alive and task.status == "active" and any(_went_to_begin(point) for point in own):
        return "active"
    if not alive:
        return "dropped" if dropped else "rewound"
    return "active" if dropped else task.status


def _went_to_begin(point: Checkpoint) -> bool:
    """Whether the last rewind of the checkpoint went to where its task began, so that the task goes on without it."""
    return bool(point.rewound) and point.rewound[-1].target == f"{point.task_id}@0"


def own_view(history: History, clone: str) -> History:
    """The history without the operations of other clones. It does not depend on where the branches of this clone are."""
    mine = [event for event in history.operations if event.clone in ("", clone)]
    points = {
        tag: replace(point, live=not (point.replaced or rewind_of(point, clone)))
        for tag, point in history.checkpoints.items()
    }
    return replace(history, checkpoints=points, operations=mine)


def changed_tasks(
    before: History, after: History, tags: Collection[str], clone: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tasks that others have rewound, as `clone` sees it, and the tasks that are live again.

    Both since `before`, or since the visible tags of the clone held `tags`.
    """
    from devs_git.domain.ledger.task_standing import LIVE

    unsure = [point for point in points_in_doubt(after) if point.completed]
    lost = {p.task_id for p in unsure if not p.live and p.tag in tags and not rewind_of(p, clone)}
    back = {point.task_id for point in unsure if point.live and point.tag not in tags}
    for task_id, task in before.tasks.items():
        pair = task.status, after.tasks[task_id].status
        lost |= {task_id} if pair[0] in LIVE and pair[1] == "rewound" else set()
        back |= {task_id} if pair[0] == "rewound" and pair[1] in LIVE else set()
    return tuple(sorted(lost)), tuple(sorted(back))
