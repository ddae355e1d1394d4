"""The row of a checkpoint as `checkpoint`, `log` and `show` hand it out (DESIGN 5, Results)."""

from __future__ import annotations

from devs_git.domain.history import Checkpoint
from devs_git.values import immutable


@immutable
class Row:
    """One checkpoint; the keys are a contract. `tag` is the oid of its tag object, `branch` where it was made.

    `status` is that of its task while the checkpoint is live: active, or completed. One that a rewind, an undo or a
    rewritten commit left behind is rewound, whatever became of the task.
    """

    task_id: str
    number: int
    tag: str
    commit: str
    tree: str
    branch: str
    message: str
    files_changed: int
    lines_added: int
    lines_removed: int
    created_at: str
    status: str


def row(point: Checkpoint, task_status: str = "") -> Row:
    """The row of a checkpoint whose task stands so; without `task_status`, of one that was recorded just now."""
    own = not point.live or point.completed
    return Row(
        task_id=point.task_id,
        number=point.number,
        tag=point.tag,
        commit=point.commit,
        tree=point.tree,
        branch=point.branch,
        message=point.message,
        files_changed=point.files_changed,
        lines_added=point.lines_added,
        lines_removed=point.lines_removed,
        created_at=point.created_at,
        status=point.status if own else task_status or point.status,
    )
