"""The operations that can be undone here: those of this clone whose backup is still here."""

from __future__ import annotations

from devs_git.domain.checkpoints import rewind_selection
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History
from devs_git.domain.recall import message_cuts
from devs_git.errors import DevsError
from devs_git.storage.ledger import own_operations
from devs_git.storage.worktree.backups import load
from devs_git.storage.worktree.engine_site import Site


def since(site: Site, history: History, branch: str, op_id: str | None) -> list[Event]:
    """The operation to undo and those after it, oldest first: `op_id`, or the last one. NOTHING_TO_UNDO."""
    of_branch = rewind_selection.operations_of_branch(history, site.places.worktree_id, branch)
    op_id = _complete(op_id, of_branch)
    operations = select(site, of_branch, op_id)
    if not operations and not op_id:
        _refuse_abandoned(abandoned_in(history, site.places.worktree_id))
    operation = rewind_selection.operation_to_undo(operations, op_id)
    return operations[operations.index(operation) :]


def abandoned_in(history: History, worktree: str) -> list[str]:
    """The tasks of a worktree that were given up, in the order of their first events."""
    tasks = history.tasks.items()
    return [name for name, task in tasks if (task.status, task.worktree) == ("abandoned", worktree)]


def _refuse_abandoned(given_up: list[str]) -> None:
    """NOTHING_TO_UNDO, if tasks were given up here: who did that may look for the way back in an undo."""
    if given_up:
        text = "undo moves files, and {0} was abandoned without moving any. To take it up again: devs-git task switch {0}"
        hint = text.format(given_up[-1])
        raise DevsError("NOTHING_TO_UNDO", "There is nothing to undo here.", hint=hint)


def last(site: Site, history: History, branch: str) -> tuple[Event, str]:
    """The operation that an undo would take back, and the commit to which it would go ('' if it moved no file).

    `branch`: without refs/heads/, '' for a detached HEAD. NOTHING_TO_UNDO.
    """
    event = since(site, history, f"refs/heads/{branch}" if branch else "", None)[0]
    if message_cuts.moved_nothing(event):
        return event, ""
    return event, load(site.objects, Movement.of(event).backup).head


def _complete(op_id: str | None, operations: list[Event]) -> str | None:
    """The whole id of the operation that the caller names by its beginning; INVALID_ARGUMENTS if several begin so."""
    if not op_id:
        return op_id
    from devs_git.domain.text import beginnings  # most people undo the last one

    known = (event.op_id for event in operations)
    return beginnings.complete(op_id, known, field="op_id", what="operations") or op_id


def select(site: Site, events: list[Event], op_id: str | None) -> list[Event]:
    """The operations of this clone whose backup is here. NOTHING_TO_UNDO if the one to undo has no backup, or if the way
    back needs a backup that was purged.

    Another clone may have a worktree and a branch with the same names; its backups are never here.
    """
    held, purged = own_operations.select_own(site.git, events)
    here = [event for event in held if site.objects.exists(Movement.of(event).backup)]
    every = [event for event in events if event in here or event in purged]
    meant = [event for event in every if event.op_id == op_id] or every[-1:]
    lost = next(
        (event for event in reversed(every[every.index(meant[0]) :] if meant else ()) if event in purged),
        None,
    )
    if lost:
        raise DevsError(
            "NOTHING_TO_UNDO",
            f"The backup of {lost.op_id} was purged, because it contained something that had to be removed.",
            hint="Continue from the current state, or choose a checkpoint: devs-git log",
        )
    known = {event.op_id for event in here}
    gone = [event.op_id for event in events if event.op_id not in known]
    if op_id in gone or (gone and not here and not op_id):
        raise DevsError(
            "NOTHING_TO_UNDO",
            f"The backup of {op_id or gone[-1]} is not here. It was pruned, or the operation belongs to another clone.",
            hint="List the backups: git for-each-ref refs/devs/backup",
        )
    return here
