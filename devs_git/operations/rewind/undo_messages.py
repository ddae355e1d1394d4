"""Operations that rewind a conversation and move no file, and their undo. Only the ledger records them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import NO_OID, Draft, Event, RefUpdate
from devs_git.domain.ledger.history import History, fold
from devs_git.domain.recall import message_cuts
from devs_git.errors import DevsError
from devs_git.operations.rewind import undoable_operations
from devs_git.storage.git import refs
from devs_git.storage.ledger import own_operations
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.worktree import active_task, backups, journal
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Tip

# The cuts to make, and those to take back.
Cuts = tuple[tuple[str, ...], tuple[str, ...]]


@immutable
class MessagesUndo:
    """The undo of `operation` and of those after it, which moved nothing."""

    operation: Event
    cuts: Cuts


def find(site: Site, tip: Tip, op_id: str | None) -> MessagesUndo | None:
    """What `undo` has to do; None if one of the operations moved files, which `undo_plan` plans. NOTHING_TO_UNDO."""
    clone = clone_of(site.places.common)
    history = clone_view.own_view(tip.history, clone)
    if not any(map(message_cuts.moved_nothing, history.operations)):
        return None
    since = undoable_operations.since(site, history, branch_of(site), op_id)
    if not all(map(message_cuts.moved_nothing, since)):
        return None
    before = fold(site.ledger.events(since[0].parents[0], oldest_first=True))
    cuts = cuts_back_to(before, history, since, clone)
    if not any(cuts):
        # An event without cuts would look like that of an operation that moved files.
        raise DevsError(
            "NOTHING_TO_UNDO",
            f"The messages are already as they were before {since[0].op_id}.",
            hint="List the operations: devs-git history --type rewind",
        )
    return MessagesUndo(since[0], cuts)


def cuts_back_to(before: History, now: History, undone: Iterable[Event], clone: str) -> Cuts:
    """What makes the cuts of the operations `undone` of this clone as they were `before` these."""
    then, today = (message_cuts.in_force(one.operations, clone) for one in (before, now))
    return message_cuts.back_to(then, today, undone)


def branch_of(site: Site) -> str:
    """The full name of HEAD's branch, '' if it is detached."""
    name = refs.branch(site.places.git_dir)
    return f"refs/heads/{name}" if name else ""


def record(
    workspace: Workspace, site: Site, movement: Movement, make_event: Callable[[Movement], Event]
) -> Event:
    """Write the event of an operation that moves nothing. A backup with HEAD alone shows later that it is of this clone."""
    head = refs.read(site.git, "HEAD^{commit}")
    tree = backups.tree_of_head(site.objects, head)
    state = State(head, movement.branch, tree, tree, active=active_task.read(site.places))

    def build(tip: Tip) -> Draft:
        words = own_operations.backup_fields(tip.oid, movement)
        subject = f"Before {make_event(movement).subject}"
        backup = backups.store(site.objects, state, site.ledger.signature(), subject, *words)
        kept = RefUpdate(f"{refs.BACKUPS}{movement.op_id}", backup, NO_OID)
        return Draft(make_event(replace(movement, backup=backup)), updates=(kept,))

    # If git is killed, it leaves locks. While the folder is there, the next command removes them.
    journal.make_folder(site.places, movement.op_id)
    site.step("record")
    try:
        event = workspace.append(build)
    except DevsError:
        journal.drop_folder(site.places, movement.op_id)
        raise
    journal.drop_folder(site.places, movement.op_id)
    return event
