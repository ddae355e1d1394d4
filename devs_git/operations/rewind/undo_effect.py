"""Which checkpoints and tasks an undo changes."""

from __future__ import annotations

from devs_git.domain.checkpoints import rewind_selection
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint
from devs_git.operations.rewind import reach, rewind_plan
from devs_git.operations.rewind.undo_scope import UndoScope
from devs_git.storage.git import refs
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.ledger.clone_history import Standpoint
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey

Turns = tuple[tuple[Checkpoint, ...], tuple[Checkpoint, ...]]


def compute(
    site: Site, found: Survey, since: list[Event], scope: UndoScope, head: str
) -> tuple[Effect, Turns]:
    """The effect of undoing the operations `since`, and the checkpoints that come back and go because the branch moves.

    `head`: HEAD before them.
    """
    history, before = scope.now, scope.before
    left = reach.commits_since(site.git, found.head, head).commits
    # In a scope of few tasks no ref of a checkpoint names one of these commits.
    folders = (lines_of_work.HEADS, *(() if scope.commits is not None else (lines_of_work.FOLDER,)))
    held = refs.list_refs(site.git, *folders)
    rewind_plan.require_checkpoints_in_place(site, history, held, left)
    branches = {name: oid for name, oid in held.items() if name.startswith(lines_of_work.HEADS)}
    others = reach.other_tips(site.git, found.branch, history, branches, left)
    lost = reach.commits_only_here(site.git, found.head, head, others) if others else left
    anew = rewind_selection.replaced_since(history, before)
    on_head = lines_of_work.tags_reached(site.git, anew, [head])
    effect = rewind_selection.effect_of_undo(history, before, since, lost, on_head)
    turns = Standpoint.here(site.git, site.places.common).live_changes(
        scope.every, effect, {found.branch: head} if found.branch else {}
    )
    points = [point for each in turns for point in each]
    return rewind_selection.restore_statuses(effect, history, before, points), turns
