"""From an outlook to a moved tree: capture, backup, preserve, move. What rewind, undo and restore have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Draft, RefUpdate
from devs_git.errors import DevsError
from devs_git.operations.rewind import preserve
from devs_git.operations.rewind.preserve import Kept
from devs_git.storage.git import refs
from devs_git.storage.ledger import own_operations
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import backups, journal, move_tree
from devs_git.storage.worktree.backups import State, store
from devs_git.storage.worktree.capture import Capture, CapturedState, require_room
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.move_plan import Known
from devs_git.storage.worktree.move_tree import Move, MoveResult
from devs_git.storage.worktree.survey import Survey, paths_of
from devs_git.values import immutable

ROOM_UNASKED = 64 << 20  # bytes that any policy allows: below it the policy is not even read


@immutable
class StateChange:
    """Where to: `new` without `active`, which `active` gives; `mode` and `name` say what is left in sight.

    `mode` '' leaves nothing but the backup. `saved` are untracked paths that move into it; `exact` are paths whose bytes
    in the new state were captured.
    """

    op_id: str
    verb: str
    subject: str
    found: Survey
    plan: Footprint
    new: State
    effect: Effect
    saved: tuple[str, ...]
    mode: str
    name: str | None
    limit: Callable[[], int]
    exact: frozenset[str] = frozenset()


@immutable
class ChangeResult:
    """What came of a journey."""

    moved: MoveResult
    kept: Kept
    backup: str


def carry_out(
    site: Site, way: StateChange, active: str, build: Callable[[Tip, State, Kept, str], Draft]
) -> ChangeResult:
    """Carry out the journey; the caller holds the worktree's lock. `build` makes the event once all is known."""
    with journal.remove_leftovers_on_failure(site.places, way.op_id):
        found = _capture(site, way, active)
        old = found.state
        mode = way.mode or "discard"
        kept = preserve.keep(site, old, way.op_id, mode, way.name)
        backup = store(
            site.objects,
            old,
            site.signature(),
            f"Before {way.subject}",
            *own_operations.backup_fields(site.ledger.tip().oid, movement(way, old, kept, "")),
        )
        site.step("backup")
        backups.keep(site, way.op_id, backup)
        move = Move(
            op_id=way.op_id,
            verb=way.verb,
            subject=way.subject,
            old=old,
            new=way.new,
            trees=(old.worktree, way.new.worktree),
            known=Known(found.sights, found.blobs, way.exact, paths_of(way.found.listed)),
            build=lambda tip: build(tip, old, kept, backup),
            updates=(*_position(old, way.new), *_tags(site, way.effect), *kept.updates),
            backup=backup,
        )
        return ChangeResult(move_tree.execute(site, move), kept, backup)


def movement(way: StateChange, old: State, kept: Kept, backup: str) -> Movement:
    """What the ledger remembers of a journey: enough to undo it."""
    moved = Movement(way.op_id, old.branch, old.head, way.new.head, backup, kept.type, kept.trailer)
    return way.effect.added_to(moved)


def objections(site: Site, way: StateChange) -> list[DevsError]:
    """What would stop the journey while it keeps what is there: no room for it, or no room for its branch. Writes nothing."""
    room = partial(_require_room, site, way)
    name = partial(preserve.require_free, site, way.mode, way.name)
    found = []
    for check in (room, name):
        try:
            check()
        except DevsError as error:
            found.append(error)
    return found


def _taken(way: StateChange) -> tuple[str, ...]:
    found = way.found
    return (*found.dirty, *found.inexact, *found.intended, *way.plan.hidden, *way.saved)


def _require_room(site: Site, way: StateChange) -> None:
    require_room(site.top, _taken(way), ROOM_UNASKED, way.limit)


def _capture(site: Site, way: StateChange, active: str) -> CapturedState:
    _require_room(site, way)
    site.step("capture")
    folder = journal.make_folder(site.places, way.op_id)
    capture = Capture(site.git, site.places, site.objects, folder)
    return capture.take(way.found, way.plan, way.saved, active)


def _position(old: State, new: State) -> tuple[RefUpdate, ...]:
    """The branch moves, or a detached HEAD does."""
    if old.head == new.head:
        return ()
    if old.branch:
        return (RefUpdate(old.branch, new.head, old.head),)
    return (RefUpdate("HEAD", new.head, old.head, no_deref=True),)


def _tags(site: Site, effect: Effect) -> tuple[RefUpdate, ...]:
    if not (effect.undone or effect.revived):
        return ()
    held = {ref: refs.loose(site.places.common, ref) for ref, _, _ in effect.visible}
    return effect.tag_updates(held if all(held.values()) else refs.list_refs(site.git, "refs/tags/devs"))
