"""How the ledger looks from one clone: a rewind says something of a branch of the clone that made it.

- A checkpoint that nobody rewound is live everywhere.
- One that this clone rewound is live again once the rewound branch has its commit again (a pull, a merge).
- One that only others rewound is live as long as a branch of this clone, or of a remote as this clone saw it last,
  has its commit.
- Replaced ones (amend, rebase, another clone's completion) are replaced for everybody.

Which commits the branches have is found out elsewhere and handed in as sets of tags.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from devs_git.domain.checkpoints.checkpoint_marks import Rewound
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.ledger.task_standing import LIVE
from devs_git.values import replace

DERIVED: Final = frozenset({"active", "completed", "rewound"})  # statuses that follow from checkpoints


def points_in_doubt(history: History) -> list[Checkpoint]:
    """The checkpoints of which clones may see different things: rewound by one of them, and not replaced."""
    return [point for point in history.checkpoints.values() if point.rewound and not point.replaced]


def rewind_of(point: Checkpoint, clone: str) -> Rewound | None:
    """The rewind by which this clone took the checkpoint away; an event that names no clone is everybody's."""
    found = [entry for entry in point.rewound if entry.clone in ("", clone)]
    return found[-1] if found else None


def keep_held(history: History, held: Collection[str]) -> History:
    """The history for a clone whose refs hold the tags `held`: what another clone keeps no more is kept here all the same."""
    kept = {
        tag: replace(point, gone="")
        for tag, point in history.checkpoints.items()
        if point.gone and tag in held
    }
    return replace(history, checkpoints=history.checkpoints | kept) if kept else history


def name_in_events(name: str) -> str:
    """A ref's name as an event tells it."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def questions(points: Iterable[Checkpoint], clone: str) -> dict[str | None, list[Checkpoint]]:
    """Which of `points`, of those `doubtful`, live for `clone` where a branch has their commits: the branch, as events
    tell its name, or None for any branch. No branch brings back what `clone` undid on the commit that it stopped at.
    """
    found: dict[str | None, list[Checkpoint]] = {}
    for point in points:
        mine = rewind_of(point, clone)
        if mine is None or not mine.at:
            found.setdefault(mine.branch if mine else None, []).append(point)
    return found


def view_with(history: History, alive: Collection[str]) -> History:
    """The history for a clone for which of those `doubtful` the tags `alive` are live."""
    unsure = points_in_doubt(history)
    points = history.checkpoints | {point.tag: replace(point, live=point.tag in alive) for point in unsure}
    view = History(history.tip, dict(history.tasks), points, history.operations)
    for task_id in history.tasks.keys() & {point.task_id for point in unsure}:
        task = history.tasks[task_id]
        view.tasks[task_id] = replace(task, status=_status(task, view.of_task(task_id)))
    return view


def _status(task: Task, points: list[Checkpoint]) -> str:
    """By what is live of what was recorded since the task was last started."""
    own = [point for point in points if point.number >= task.first_number]
    alive = [point for point in own if point.live]
    if task.status not in DERIVED or not own:
        return task.status
    if any(point.completed for point in alive):
        return "completed"
    if any(point.rewound for point in alive):
        return "active"
    return task.status if alive else "rewound"


def own_view(history: History, clone: str) -> History:
    """The history without what other clones rewound: what this clone's own operations left, wherever its branches are."""
    mine = [event for event in history.operations if event.clone in ("", clone)]
    points = {
        tag: replace(point, live=not (point.replaced or rewind_of(point, clone)))
        for tag, point in history.checkpoints.items()
    }
    return History(history.tip, history.tasks, points, mine)


def changes(
    before: History, after: History, tags: Collection[str], clone: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tasks that `clone` sees as rewound by others since `before`, or since it had visible tags that hold `tags`; and those that
    are live again.
    """
    unsure = [point for point in points_in_doubt(after) if point.completed]
    lost = {p.task_id for p in unsure if not p.live and p.tag in tags and not rewind_of(p, clone)}
    back = {point.task_id for point in unsure if point.live and point.tag not in tags}
    for task_id, task in before.tasks.items():
        pair = task.status, after.tasks[task_id].status
        lost |= {task_id} if pair[0] in LIVE and pair[1] == "rewound" else set()
        back |= {task_id} if pair[0] == "rewound" and pair[1] in LIVE else set()
    return tuple(sorted(lost)), tuple(sorted(back))
