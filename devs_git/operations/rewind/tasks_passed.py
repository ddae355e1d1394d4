"""The tasks that a rewind may concern, with all about them, from the events since they began: not from the whole ledger.

The index and refs say which tasks that may be, besides those of the events that were read. Both only add tasks, so who plants
an index hides nothing that a ref shows. Where a doubt is left, the answer is None.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import Target, checkpoint_ref
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.operations.rewind import reach
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger import lines_of_work, own_operations
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.recent import known_tasks, passed_refs
from devs_git.storage.ledger.recent.known_tasks import KnownTasks
from devs_git.storage.ledger.recent.passed_refs import PassedRefs
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree.engine_site import Site

# Commits. With more of them the whole ledger is read.
_MOST: Final = 4000


def history(
    site: Site, tip: Tip, target: Target, branches: Mapping[str, str]
) -> tuple[History, frozenset[str]] | None:
    """The history for this clone, and the commits to which it was read: the target's, and those of HEAD after it.

    NO_CHECKPOINT as the whole ledger says it.
    """
    if not target.task or target.oid:
        return None
    try:
        with known_tasks.read(tip) as known:
            return _history(site, known, target, branches)
    except (DevsError, GitFailed) as error:
        if isinstance(error, DevsError) and error.code == "NO_CHECKPOINT":
            raise
        # The whole ledger says what is wrong.
        return None


def _history(
    site: Site, known: KnownTasks, target: Target, branches: Mapping[str, str]
) -> tuple[History, frozenset[str]] | None:
    if not known.add({target.task}) or not (first := known.here()) or target.task not in first.tasks:
        return None
    point = named_checkpoint.find(site.ledger.reader, first, target)
    head = refs.read(site.git, "HEAD^{commit}")
    commits = reach.commits_since(site.git, head, point.commit).commits | {point.commit}
    held = passed_refs.at(site.ledger.reader, site.places.common, commits)
    if held is None or len(commits) > _MOST or not add_tasks_at(known, commits, held):
        return None
    found = known.here()
    if found is None or not agree(site, found, commits, held) or may_be_left(site, known, branches):
        return None
    _add_contract(known, found, target.task)
    return found, commits


def add_tasks_at(known: KnownTasks, commits: Collection[str], held: PassedRefs) -> bool:
    """Add each task that may have a checkpoint at one of `commits`; False if only the whole ledger tells of one of them."""
    found = held.tasks | (listing.tasks_at(known.tip, sorted(commits), known.read) or set())
    while True:
        found |= known.recorded_at(commits)
        if found <= known.tasks:
            return True
        if not known.add(found):
            return False


def agree(site: Site, history: History, commits: Collection[str], held: PassedRefs) -> bool:
    """Whether each checkpoint at `commits` has its ref, each such ref is of a checkpoint, and no history was rewritten."""
    points = {
        checkpoint_ref(p.task_id, p.number): p.tag
        for p in history.checkpoints.values()
        if p.commit in commits
    }
    mapped = (site.places.common / "filter-repo" / "commit-map").exists()
    return not (held.bare or mapped) and points == held.tags


def may_be_left(site: Site, known: KnownTasks, branches: Mapping[str, str]) -> bool:
    """Whether one of `branches` may be one that an older operation of this clone left: then it is no line of work."""
    asked = {(name, oid) for name, oid in branches.items() if not lines_of_work.is_ours(name)}
    if len(asked) < 2:
        # HEAD's own.
        return False
    left = own_operations.left_refs(site.ledger.reader)
    read = {lines_of_work.preserved_ref(event) for event in known.newest.read}
    return left is None or bool(asked & (left - read))


def _add_contract(known: KnownTasks, history: History, task_id: str) -> None:
    """Add the contract of the task, for it may become active again and then has the contract's phase."""
    task = history.tasks[task_id]
    since = history.contracts.get(task.contract)
    if task.contract and not task.phase and not (since and since.phase):
        contract = listing.contract(known.tip, task.contract, known.read)
        if contract:
            history.contracts[task.contract] = contract
