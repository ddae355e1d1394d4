"""Which checkpoints going to a moment undoes or revives.

A checkpoint whose commit only HEAD reaches is undone, as in a rewind. One that was live then, and whose commit is on HEAD
afterwards, is live again, as in an undo.
"""

from __future__ import annotations

from collections.abc import Collection

from devs_git.domain.checkpoints.rewind_selection import Effect, last_heir, status_after, visible_changes
from devs_git.domain.ledger.history import FOLDED, REWRITTEN, Checkpoint, History
from devs_git.values import immutable


def forgotten_since(now: History, before: History) -> list[Checkpoint]:
    """The checkpoints that were live `before` and are not live now, and that may come back with their commit."""
    points = (now.checkpoints[tag] for tag, point in before.checkpoints.items() if point.live)
    return [p for p in points if not p.live and not p.gone and p.replaced in ("", REWRITTEN, FOLDED)]


@immutable
class Passage:
    """The way from HEAD to a moment: `lost` and `passed` are commits as in `effect_of_rewind`.

    `risen`: the tags of checkpoints that operations on this branch have revived since. `on_head`: the tags of those of
    `forgotten_since` whose commits HEAD contains afterwards.
    """

    lost: Collection[str]
    passed: Collection[str]
    risen: Collection[str]
    on_head: Collection[str]


def effect_of_moment(now: History, before: History, way: Passage) -> Effect:
    """The effect of going to a moment; `before` is the ledger then.

    A checkpoint that was live then and is on HEAD afterwards is live again, unless a replacement stays live.
    """
    was = {tag for tag, point in before.checkpoints.items() if point.live}
    live = now.live()
    undone = tuple(p for p in live if p.commit in way.lost or (p.tag in way.risen and p.tag not in was))
    gone = {point.tag for point in undone}
    stays = {point.tag for point in live} - gone
    revived = tuple(
        point
        for point in forgotten_since(now, before)
        if point.tag in way.on_head and last_heir(now, point) not in stays
    )
    kept = tuple(point for point in live if point.commit in way.passed and point.tag in stays)
    touched = dict.fromkeys(point.task_id for point in (*undone, *revived))
    held = {p.task_id for p in (*revived, *live) if p.tag not in gone}
    # Without a live checkpoint a task is rewound in every clone, also if it had been started then.
    statuses = {
        task: status_after(task, now, before, undone, revived) if task in held else "rewound"
        for task in touched
    }
    return Effect(
        undone,
        revived,
        kept,
        tuple((task, status) for task, status in statuses.items() if status != now.tasks[task].status),
        tuple(task for task, status in statuses.items() if status == "rewound"),
        visible=visible_changes(now, undone, revived),
    )
