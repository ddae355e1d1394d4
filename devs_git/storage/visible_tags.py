"""The visible tags `devs/task-<id>` follow the ledger: a pruned one comes back, an undone one goes again (DESIGN 3).

They are names, not records: nothing is written to the ledger, and a tag that somebody moved is left to `doctor`.
"""

from __future__ import annotations

from devs_git.domain.events import NO_OID, RefUpdate
from devs_git.domain.history import History
from devs_git.domain.ids import completed_tag
from devs_git.storage import refs
from devs_git.storage.git_program import Git

FOLDER = "refs/tags/devs"


def out_of_step(history: History, tags: dict[str, str]) -> tuple[RefUpdate, ...]:
    """What brings `tags` (those below FOLDER) in step with the ledger."""
    live = {completed_tag(point.task_id): point.tag for point in history.live() if point.completed}
    known = {point.tag for point in history.checkpoints.values()}
    back = [RefUpdate(ref, tag, NO_OID) for ref, tag in live.items() if ref not in tags]
    gone = [RefUpdate(ref, NO_OID, tag) for ref, tag in tags.items() if ref not in live and tag in known]
    return (*back, *gone)


def mend(git: Git, history: History) -> tuple[str, ...]:
    """Bring the visible tags in step; returns the refs that changed. A race with another git is left to the next time."""
    updates = out_of_step(history, refs.matching(git, FOLDER))
    if not updates:
        return ()
    try:
        refs.transaction(git, updates, "devs: visible tags follow the ledger")
    except (refs.RefMoved, refs.RefLocked):
        return ()
    return tuple(update.ref for update in updates)
