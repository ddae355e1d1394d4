"""A new commit on HEAD with another tree, by the engine. Local changes stay, and the backup has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Draft, Event, RefUpdate
from devs_git.operations.rewind.return_to_state import tag_updates
from devs_git.storage.ledger import own_operations
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, backups, capture, carry_changes, move_tree
from devs_git.storage.worktree.carry_changes import CarryPlan
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.move_tree import Move, MoveResult
from devs_git.storage.worktree.survey import Head, Survey
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

REFUSAL: Final = "GIT_RESET_FAILED"


@immutable
class NewCommit:
    """What is committed, and what is recorded of it.

    `folder`: the folder of the journal. `make_event` makes the event from the movement of the branch. `effect`:
    the checkpoints and tasks that change. `active`: the trailer lines of the worktree's active task afterwards. `trailers`: more lines
    of the commit's own. `check`:
    refuses if the ledger's tip does not allow it any more.
    """

    op_id: str
    verb: str
    subject: str
    folder: Path
    found: Survey
    tree: str
    message: str
    active: str
    make_event: Callable[[Movement], Event]
    effect: Effect = field(default_factory=Effect)
    trailers: str = ""
    check: Callable[[Tip], None] = lambda _tip: None


@immutable
class Committed:
    """The new commit, and the move that put its files into the worktree."""

    commit: str
    moved: MoveResult


def commit(workspace: Workspace, site: Site, job: NewCommit) -> Committed:
    """Make the commit; the caller holds the worktree's lock. GIT_RESET_FAILED if local changes or files are in the way."""
    found, active = job.found, active_task.read(site.places)
    head = Head(found.head, found.branch)
    with carry_changes.prepare(site, job.folder, head, job.tree, REFUSAL) as carried:
        message = (
            f"{job.message}\n\n{job.trailers}{job.active}{TrailerKey.LEDGER}: {workspace.ledger.tip().oid}"
        )
        oid = capture.commit(site.objects, job.tree, [found.head], site.ledger.signature(), message)
        way = job.effect.added_to(Movement(job.op_id, found.branch, found.head, oid))
        own = Operation(job.op_id, job.folder, job.subject, active)
        backup = save_before(site, own, found, carried, way)
        event = job.make_event(replace(way, backup=backup))

        def build(tip: Tip) -> Draft:
            job.check(tip)
            return Draft(event)

        move = Move(
            op_id=job.op_id,
            verb=job.verb,
            subject=job.subject,
            old=carry_changes.at_position(carried.old, found.head, found.branch, active),
            new=carry_changes.at_position(carried.new, oid, found.branch, job.active),
            trees=carried.trees,
            known=carried.known,
            build=build,
            updates=(
                RefUpdate(found.branch or "HEAD", oid, found.head, no_deref=not found.branch),
                *tag_updates(site, job.effect),
            ),
            backup=backup,
        )
        return Committed(oid, move_tree.execute(site, move))


@immutable
class Operation:
    """`folder`: that of the journal. `active`: the trailer lines of the worktree's active task before it; '' for none."""

    op_id: str
    folder: Path
    subject: str
    active: str


def save_before(
    site: Site, own: Operation, found: Survey, carried: CarryPlan, way: Movement | None = None
) -> str:
    """Save the current state, with local changes, under a ref before the files move. `undo` needs `way` to restore it."""
    state = carry_changes.capture_all(site, own.folder, found, carried, own.active)
    backup = backups.store(
        site.objects,
        state,
        site.ledger.signature(),
        f"Before {own.subject}",
        *own_operations.backup_fields(site.ledger.tip().oid, way),
    )
    backups.keep(site, own.op_id, backup)
    return backup
