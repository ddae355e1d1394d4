"""What an undo reads of the ledger: of a large ledger only the tasks that the last operation may concern."""

from __future__ import annotations

from collections.abc import Collection

from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History, fold
from devs_git.operations.rewind import undoable_operations
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable


@immutable
class UndoScope:
    """The operations `since`, the oldest first, which are undone: those of this clone on `branch` (its full name).

    `now` and `before` are the ledger now and before them, without what other clones did; `every` is now with that. They have
    all tasks, or those that the undo may concern where HEAD loses or gets the `commits`.
    """

    branch: str
    since: list[Event]
    now: History
    before: History
    every: History
    commits: frozenset[str] | None = None

    def covers(self, branch: str, commits: Collection[str]) -> bool:
        return self.commits is None or (self.branch == branch and self.commits >= set(commits))


def whole(site: Site, tip: Tip, branch: str, op_id: str | None) -> UndoScope:
    """The scope with all tasks; NOTHING_TO_UNDO."""
    clone = clone_of(site.places.common)
    now = clone_view.own_view(tip.history, clone)
    since = undoable_operations.since(site, now, branch, op_id)
    before = fold(site.ledger.events(since[0].parents[0], oldest_first=True))
    return UndoScope(branch, since, now, clone_view.own_view(before, clone), tip.history)
