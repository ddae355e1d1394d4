"""Which checkpoints a rewind or an undo undoes or revives.

A checkpoint is after the target if its commit is reachable from HEAD, but not from the target and not from another
local branch or worktree. Of two checkpoints on the target's commit, made in this worktree, the one with the later event
is after. Where a task began (`task-10@0`, without a tag) is before the first
of its checkpoints. The target's own task is never affected: it becomes active again if its completion is undone, and stays
completed if another branch keeps its completion. A rewind to before a task (`task-10^`) undoes that task like the later ones.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.clone_view import name_in_events
from devs_git.domain.ledger.events import NO_OID, Event, RefUpdate
from devs_git.domain.ledger.history import FOLDED, REWRITTEN, Checkpoint, History
from devs_git.domain.ledger.ids import completed_tag
from devs_git.errors import DevsError, invalid
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.ledger.event_operations import Movement

PRESERVE: Final = ("branch", "stash", "discard")
UNTRACKED: Final = ("save", "remove")


def preserve_mode(text: str | None) -> str | None:
    """`branch` (also called `create_branch`), `stash`, `discard` or None; INVALID_ARGUMENTS otherwise."""
    mode = "branch" if text == "create_branch" else text
    if mode is not None and mode not in PRESERVE:
        raise invalid(
            "preserve",
            f"{text!r} is not a way to preserve the current state.",
            hint="Use branch, stash or discard.",
        )
    return mode


def require_untracked_mode(text: str | None) -> None:
    """INVALID_ARGUMENTS if the text is neither `save` nor `remove`. None is allowed, too."""
    if text not in (None, *UNTRACKED):
        raise invalid(
            "untracked", f"{text!r} is not allowed.", hint="Use --untracked save or --untracked remove."
        )


@immutable
class Effect:
    """How an operation changes checkpoints and tasks. `statuses` are (task, new status).

    `visible`: for each visible tag that may change, its name and the tag objects before and after.
    """

    undone: tuple[Checkpoint, ...] = ()
    revived: tuple[Checkpoint, ...] = ()
    kept: tuple[Checkpoint, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()
    affected: tuple[str, ...] = ()
    reactivated: str = ""
    visible: tuple[tuple[str, str, str], ...] = ()

    def added_to(self, movement: Movement) -> Movement:
        """The movement of a branch with this effect, as the ledger records it."""
        return replace(
            movement,
            undone=tuple(point.tag for point in self.undone),
            revived=tuple(point.tag for point in self.revived),
            statuses=self.statuses,
        )

    def tag_updates(self, tags: dict[str, str]) -> tuple[RefUpdate, ...]:
        """The updates of visible tags, given those that exist. A tag that somebody moved is left alone."""
        return tuple(
            RefUpdate(ref, becomes or NO_OID, tags.get(ref, NO_OID))
            for ref, was, becomes in self.visible
            if tags.get(ref, "") in ("", was) and tags.get(ref, "") != becomes
        )


def visible_changes(
    history: History, undone: tuple[Checkpoint, ...], revived: tuple[Checkpoint, ...]
) -> tuple[tuple[str, str, str], ...]:
    """The visible tags of the changed tasks before and after: the newest live completion, '' for none."""
    gone, back = {p.tag for p in undone}, {p.tag for p in revived}
    found = {p.task_id: ["", ""] for p in (*undone, *revived) if p.completed}
    for point in history.checkpoints.values():
        if point.task_id in found and point.completed:
            if point.live:
                found[point.task_id][0] = point.tag
            if point.tag in back or (point.live and point.tag not in gone):
                found[point.task_id][1] = point.tag
    return tuple((completed_tag(task), was, becomes) for task, (was, becomes) in found.items())


def effect_of_rewind(
    history: History, target: Checkpoint, lost: Collection[str], passed: Collection[str], here: str
) -> Effect:
    """The effect of a rewind to `target` in worktree `here`.

    `lost`: commits that only HEAD reaches, and not the target. `passed`: all commits that HEAD reaches, and not the
    target.
    """
    return _effect(history, target, *_select(history, target, lost, passed, here))


def effect_before(
    history: History, begin: Checkpoint, lost: Collection[str], passed: Collection[str], here: str
) -> Effect:
    """The effect of a rewind to before the task that has `begin`: this task is undone, too. Else as `effect_of_rewind`.

    If it is active in this worktree, it ends, also without a checkpoint.
    """
    task = history.tasks[begin.task_id]
    undone, kept = _select(history, begin, lost, passed, here)
    ends = task.status == "active" and task.worktree == here
    begun = (task.task_id,) if ends and not any(p.task_id == task.task_id for p in kept) else ()
    affected = tuple(dict.fromkeys((*begun, *(point.task_id for point in undone))))
    statuses = tuple(_rewound(history, undone, affected))
    return Effect(undone, (), kept, statuses, affected, visible=visible_changes(history, undone, ()))


def _select(
    history: History, target: Checkpoint, lost: Collection[str], passed: Collection[str], here: str
) -> tuple[tuple[Checkpoint, ...], tuple[Checkpoint, ...]]:
    """The checkpoints that are undone, and those after the target that stay."""
    order = {tag: at for at, tag in enumerate(history.checkpoints)}
    place = order[target.tag] if target.tag else _before_first(history, order, target.task_id)
    live = [point for point in history.live() if point.tag != target.tag]
    undone = tuple(
        point
        for point in live
        if point.commit in lost
        or (point.commit == target.commit and order[point.tag] > place and point.worktree == here)
    )
    return undone, tuple(p for p in live if p.commit in passed and p.commit not in lost)


def _before_first(history: History, order: dict[str, int], task_id: str) -> int:
    """The place before the first checkpoint that the task has since it was started."""
    first = history.tasks[task_id].first_number
    own = [order[point.tag] for point in history.of_task(task_id) if point.number >= first]
    return min(own, default=len(order)) - 1


def _effect(
    history: History, target: Checkpoint, undone: tuple[Checkpoint, ...], kept: tuple[Checkpoint, ...]
) -> Effect:
    affected = tuple(dict.fromkeys(p.task_id for p in undone if p.task_id != target.task_id))
    statuses = _rewound(history, undone, affected)
    own = history.tasks[target.task_id].status
    completed = any(p.completed and p.task_id == target.task_id for p in (target, *kept))
    remains = "completed" if completed else "active"
    if own != remains:
        statuses.append((target.task_id, remains))
    reactivated = target.task_id if remains == "active" and own != "active" else ""
    # Where a task began, `target` has no tag and is live.
    revived = () if target.live else (target,)
    return Effect(
        undone,
        revived,
        kept,
        tuple(statuses),
        affected,
        reactivated,
        visible_changes(history, undone, revived),
    )


def _rewound(
    history: History, undone: tuple[Checkpoint, ...], affected: Collection[str]
) -> list[tuple[str, str]]:
    """The new status of those tasks that have no live completion any more. An abandoned one stays abandoned."""
    gone = {point.tag for point in undone}
    left = {p.task_id for p in history.live() if p.completed and p.tag not in gone}
    return [
        (task, "rewound")
        for task in affected
        if task not in left and history.tasks[task].status not in ("rewound", "abandoned")
    ]


def operations_of_branch(history: History, worktree: str, branch: str) -> list[Event]:
    """The operations of one worktree and branch that moved its tree, oldest first."""
    name = name_in_events(branch)
    return [event for event in history.operations if event.worktree == worktree and event.branch == name]


def operation_to_undo(operations: list[Event], op_id: str | None) -> Event:
    """The operation to undo: the last one, or the one with this id; else NOTHING_TO_UNDO."""
    if op_id is None and operations:
        return operations[-1]
    for event in reversed(operations):
        if event.op_id == op_id:
            return event
    known = ", ".join(event.op_id for event in operations[-5:])
    raise DevsError(
        "NOTHING_TO_UNDO",
        f"This worktree and branch have no operation {op_id}." if op_id else "There is nothing to undo here.",
        hint=f"The last operations are: {known}"
        if known
        else "undo takes back a rewind, a restore, a drop or an undo of this branch.",
    )


def replaced_since(now: History, before: History) -> list[Checkpoint]:
    """The checkpoints that were live `before`, and that an amend, a rebase or a rewritten history has replaced since."""
    points = (now.checkpoints[point.tag] for point in before.live())
    return [point for point in points if point.replaced in (REWRITTEN, FOLDED) and not point.gone]


def effect_of_undo(
    now: History, before: History, operations: list[Event], lost: Collection[str], on_head: Collection[str]
) -> Effect:
    """The effect of returning to before `operations[0]`. `before` is the ledger then, `lost` as in `effect_of_rewind`.

    `on_head`: the tags of those of `replaced_since` whose commits HEAD contains afterwards. A checkpoint that was replaced
    on another branch stays replaced, and so does one whose replacement stays live.
    """
    undone = tuple(p for p in now.live() if p.tag not in before.checkpoints and p.commit in lost)
    # A command that only lists checkpoints does not need it.
    from devs_git.domain.ledger.event_operations import Movement

    movements = [Movement.of(event) for event in operations]
    fallen = {tag for movement in movements for tag in movement.undone}
    risen = {tag for movement in movements for tag in movement.revived}
    was = {tag for tag, point in before.checkpoints.items() if point.live}
    stays = {point.tag for point in now.live()} - {point.tag for point in undone}
    moved = {
        p.tag for p in replaced_since(now, before) if p.tag in on_head and last_heir(now, p) not in stays
    }
    up, down = was & (fallen | moved), risen - was
    revived = tuple(point for tag, point in now.checkpoints.items() if tag in up and not point.live)
    sunk = tuple(point for tag, point in now.checkpoints.items() if tag in down and point.live)
    every = (*undone, *sunk)
    touched = dict.fromkeys(point.task_id for point in (*every, *revived))
    # A task without a checkpoint can be dropped, too.
    touched |= dict.fromkeys(
        task for one in movements for task, _ in one.statuses if _same_start(task, now, before)
    )
    statuses = tuple(
        (task, status_after(task, now, before, every, revived))
        for task in touched
        if status_after(task, now, before, every, revived) != now.tasks[task].status
    )
    tasks = tuple(dict.fromkeys(p.task_id for p in every))
    return Effect(every, revived, (), statuses, tasks, visible=visible_changes(now, every, revived))


def last_heir(history: History, point: Checkpoint) -> str:
    """The tag of the last successor of a replaced checkpoint."""
    while point.heir:
        point = history.checkpoints[point.heir]
    return point.tag


def restore_statuses(effect: Effect, now: History, before: History, points: Collection[Checkpoint]) -> Effect:
    """The effect, with the earlier status also for tasks of `points`, which change because the branch moves."""
    settled = {task for task, _ in effect.statuses}
    was = {
        task: before.tasks[task].status
        for task in dict.fromkeys(point.task_id for point in points)
        if task in before.tasks and before.tasks[task].started_at == now.tasks[task].started_at
    }
    more = ((t, status) for t, status in was.items() if t not in settled and status != now.tasks[t].status)
    return replace(effect, statuses=(*effect.statuses, *more))


def refuse_reused_tasks(now: History, before: History, revived: Collection[Checkpoint]) -> list[DevsError]:
    """TASK_EXISTS for a task whose id was used again since then."""
    return [
        DevsError(
            "TASK_EXISTS",
            f"{point.task_id} was started again since then. The old task cannot come back, because that would mix the two.",
            hint=f"See it: devs-git show {point.name}. Or create a branch there: devs-git branch {point.name} -b NAME",
            task_id=point.task_id,
        )
        for point in revived
        if now.tasks[point.task_id].started_at != before.tasks[point.task_id].started_at
    ][:1]


def status_after(
    task: str, now: History, before: History, undone: tuple[Checkpoint, ...], revived: tuple[Checkpoint, ...]
) -> str:
    """A task's status afterwards: its earlier one, or for a new task one that follows from its live checkpoints."""
    if _same_start(task, now, before):
        return before.tasks[task].status
    gone = {point.tag for point in undone}
    left = [p for p in now.of_task(task) if (p.live and p.tag not in gone) or p in revived]
    return now.tasks[task].status if left else "rewound"


def _same_start(task: str, now: History, before: History) -> bool:
    """Whether the task was not started again between two histories."""
    known = task in before.tasks and task in now.tasks
    return known and before.tasks[task].started_at == now.tasks[task].started_at
