"""The tasks that the undo of the last operation may concern, with all about them, from the events since they began.

As in `tasks_passed`, the answer is None where a doubt is left.
"""

from __future__ import annotations

from devs_git.domain.checkpoints import task_activity
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Event, parse
from devs_git.errors import DevsError
from devs_git.operations.rewind import tasks_passed, undo_messages
from devs_git.operations.rewind.undo_scope import UndoScope
from devs_git.storage.git import object_graph, refs
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.ledger import lines_of_work, own_operations
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.ledger.recent import known_tasks, passed_refs
from devs_git.storage.ledger.recent.known_tasks import KnownTasks
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree.backups import load
from devs_git.storage.worktree.engine_site import Site


def scope(site: Site, tip: Tip) -> UndoScope | None:
    try:
        with known_tasks.read(tip) as known:
            branch = undo_messages.branch_of(site)
            event = _last_operation(site, known, branch)
            return _scope(site, known, branch, event) if event else None
    except (DevsError, GitFailed):
        # The whole ledger says what is wrong.
        return None


def _last_operation(site: Site, known: KnownTasks, branch: str) -> Event | None:
    """The last operation of this worktree and branch, if this clone made it, and it moved files and no conversation."""
    name, clones = clone_view.name_in_events(branch), ("", clone_of(site.places.common))

    def is_here(event: Event) -> bool:
        there = (event.worktree, event.branch) == (site.places.worktree_id, name)
        return there and event.effects.operation and not event.failed and event.clone in clones

    event = known.newest.find(is_here)
    if event is None:
        return None
    movement = Movement.of(event)
    if movement.messages_undone or movement.messages_revived or not site.objects.exists(movement.backup):
        return None
    own, _ = own_operations.select_own(site.git, [event])
    return event if own and _is_first(site, known, event, movement.backup) else None


def _is_first(site: Site, known: KnownTasks, event: Event, backup: str) -> bool:
    """Whether the ledger has no second event of this operation: somebody may have pushed a copy of an older one."""
    before = own_operations.tip_before(site.git, backup)
    found = known.newest.find(
        lambda one: one.oid == before or (one.op_id == event.op_id and one.oid != event.oid)
    )
    return found is not None and found.oid == before


def _scope(site: Site, known: KnownTasks, branch: str, event: Event) -> UndoScope | None:
    newer = known.newest.read[: known.newest.read.index(event) + 1]
    state, head = load(site.objects, event.backup), refs.read(site.git, "HEAD^{commit}")
    if not (head and state.head) or any(map(_replaces, newer)):
        return None
    commits, tags = _between(site.git, head, state.head), (*event.undone, *event.revived)
    held = passed_refs.at(site.ledger.reader, site.places.common, commits) if commits is not None else None
    # Also tasks of later events: one that was given up since is named.
    tasks = {task for one in newer for task, _ in one.statuses} | _tasks_of(site.ledger.reader, tags)
    tasks |= {task_activity.task_of(state.active)} - {""}
    if commits is None or held is None or not known.add(tasks):
        return None
    if not tasks_passed.add_tasks_at(known, commits, held) or not (every := known.certain()):
        return None
    branches = refs.list_refs(site.git, lines_of_work.HEADS)
    doubtful = tasks_passed.may_be_left(site, known, branches) or not every.checkpoints.keys() >= set(tags)
    if doubtful or not tasks_passed.agree(site, every, commits, held):
        return None
    clone = clone_of(site.places.common)
    before = known.newest.history_of(known.tasks, before=event)
    now, then = (clone_view.own_view(one, clone) for one in (every, before))
    return UndoScope(branch, [event], now, then, every, commits)


def _replaces(event: Event) -> bool:
    """Whether an event replaces or renumbers checkpoints, which may be of any task."""
    folds = event.undone and not event.effects.operation
    return not event.failed and bool(event.moves or event.gone or event.renumbered or folds)


def _between(git: Git, head: str, then: str) -> frozenset[str] | None:
    """The commits that only one of the two reaches. None if one of them is of a drop, on which more checkpoints depend."""
    words = f"--format=%H %(trailers:key={TrailerKey.DROP},valueonly,separator=%x2C)"
    out = git.run("rev-list", "--no-commit-header", words, f"{head}...{then}", "--").decode(
        "utf-8", "replace"
    )
    rows = [line.split(maxsplit=1) for line in out.splitlines() if line]
    return None if any(len(row) > 1 for row in rows) else frozenset(row[0] for row in rows)


def _tasks_of(git: Git, tags: tuple[str, ...]) -> set[str]:
    """The tasks that the tag objects name."""
    found = object_graph.contents(git, tags)
    return {parse("", (), data.decode("utf-8", "replace")).task for _, data in found} - {""}
