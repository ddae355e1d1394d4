"""Return to a state, for rewind and undo: capture the current state, write its backup, preserve it, move the tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Draft, RefUpdate
from devs_git.errors import DevsError
from devs_git.operations.rewind import preserve, same_state
from devs_git.operations.rewind.preserve import NOT_PRESERVED, Preserved
from devs_git.storage.git import refs
from devs_git.storage.ledger import own_operations
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import backups, journal, left_state, move_tree, untracked_files
from devs_git.storage.worktree.backups import State, store
from devs_git.storage.worktree.capture import Capture, CapturedState, require_room
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.interrupted import positions
from devs_git.storage.worktree.move_plan import Known
from devs_git.storage.worktree.move_tree import Move
from devs_git.storage.worktree.ref_changes import NO_CHANGES, RefChanges
from devs_git.storage.worktree.survey import Survey, paths_of
from devs_git.values import field, immutable, replace

ROOM_UNASKED = 64 << 20  # bytes that every policy allows: below this the policy is not read


@immutable
class StateChange:
    """The change to the state `new`. `mode` and `name` say how the previous state is preserved; `mode` '' is only the backup.

    `saved`: untracked paths that move into the backup. `exact`: paths whose bytes in the new state were captured.
    `limit`: the bytes that the policy allows for a backup. `marks`: how those `saved` files looked that a person asked to
    remove. `refs`: branches and stash entries that are made or removed, too. `complete` makes the new
    state from the captured one; then `new` has only its position. `only_if_needed`: nothing is done or recorded if the new
    state is there already. `cuts` of conversations: those to make, and those to take back.
    """

    op_id: str
    verb: str
    subject: str
    found: Survey
    footprint: Footprint
    new: State
    effect: Effect
    saved: tuple[str, ...]
    mode: str
    name: str | None
    limit: Callable[[], int]
    exact: frozenset[str] = frozenset()
    marks: untracked_files.Marks = field(default_factory=dict)
    refs: RefChanges = NO_CHANGES
    complete: Callable[[CapturedState], State] | None = None
    only_if_needed: bool = False
    cuts: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@immutable
class ChangeResult:
    """What was changed, and how the previous state is preserved. `op_id` is '' if there was nothing to change.

    For `files`, `not_exact` and `edited` see `MoveResult`. `backup`: the full name of the ref, '' for none.
    """

    op_id: str = ""
    kept: Preserved = NOT_PRESERVED
    files: int = 0
    not_exact: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()

    @property
    def backup(self) -> str:
        return f"{refs.BACKUPS}{self.op_id}" if self.op_id else ""


def carry_out(
    site: Site, change: StateChange, active: str, build: Callable[[Tip, State, Preserved, str], Draft]
) -> ChangeResult:
    """Make the change; the caller holds the worktree's lock. `active` is the worktree's active task before the change.

    `build` makes the event from the ledger's tip, the previous state, how it is preserved, and the oid of its backup.
    """
    with journal.remove_leftovers_on_failure(site.places, change.op_id):
        found = _capture(site, change, active)
        old = found.state
        new = change.complete(found) if change.complete else change.new
        known = Known(found.file_states, found.blobs, change.exact, paths_of(change.found.listed))
        if change.only_if_needed and _is_there(site, change, (old, new), known):
            journal.drop_folder(site.places, change.op_id)
            return ChangeResult()
        mode = change.mode or "discard"
        kept = preserve.keep(site, old, change.op_id, mode, change.name)
        backup = store(
            site.objects,
            old,
            site.ledger.signature(),
            f"Before {change.subject}",
            *own_operations.backup_fields(site.ledger.tip().oid, movement(change, old, kept, "")),
            more=_besides(site, new, change),
        )
        site.step("backup")
        backups.keep(site, change.op_id, backup)
        move = Move(
            op_id=change.op_id,
            verb=change.verb,
            subject=change.subject,
            old=old,
            new=new,
            trees=(old.worktree, new.worktree),
            known=known,
            build=lambda tip: build(tip, old, kept, backup),
            updates=(
                *_position(old, change.new),
                *tag_updates(site, change.effect),
                *change.refs.updates,
                *kept.updates,
            ),
            backup=backup,
            stash=(change.refs.stashed, change.refs.unstashed, change.refs.order),
        )
        moved = move_tree.execute(site, move)
        return ChangeResult(change.op_id, kept, moved.files, moved.not_exact, moved.edited)


def _besides(site: Site, new: State, change: StateChange) -> backups.Besides:
    """What the backup has besides the state before: what an undo must know, and the commits of refs that are removed."""
    brought = backups.brought_entries(site.objects, untracked_files.brought_back(site.git, new))
    left = left_state.entries(site.objects, new, change.refs)
    return backups.Besides({**brought, **left}, (*change.refs.removed.values(), *change.refs.unstashed))


def _is_there(site: Site, change: StateChange, states: tuple[State, State], known: Known) -> bool:
    """Whether the change would change nothing at all."""
    if change.refs or change.saved or any(change.cuts) or not same_state.changes_nothing(change.effect):
        return False
    folder = journal.folder_of(site.places, change.op_id)
    return same_state.is_there(site, folder, change.found, states, known)


def movement(change: StateChange, old: State, kept: Preserved, backup: str) -> Movement:
    """What the event has to say, so that `undo` can undo the change."""
    moved = Movement(change.op_id, old.branch, old.head, change.new.head, backup, kept.type, kept.trailer)
    undone, revived = change.cuts
    return replace(change.effect.added_to(moved), messages_undone=undone, messages_revived=revived)


def objections(site: Site, change: StateChange) -> list[DevsError]:
    """Why the previous state could not be saved: too many bytes, or a branch that cannot be made. Writes nothing."""
    room = partial(_require_room, site, change)
    name = partial(preserve.require_free, site, change.mode, change.name)
    found = []
    for check in (room, name):
        try:
            check()
        except DevsError as error:
            found.append(error)
    return found


def _saved_paths(change: StateChange) -> tuple[str, ...]:
    found = change.found
    return (*found.dirty, *found.inexact, *found.intended, *change.footprint.hidden, *change.saved)


def _require_room(site: Site, change: StateChange) -> None:
    require_room(site.top, _saved_paths(change), ROOM_UNASKED, change.limit)


def _capture(site: Site, change: StateChange, active: str) -> CapturedState:
    _require_room(site, change)
    site.step("capture")
    folder = journal.make_folder(site.places, change.op_id)
    capture = Capture(site.git, site.places, site.objects, folder)
    captured = capture.take(change.found, change.footprint, change.saved, active)
    untracked_files.require_unchanged(change.marks, captured.file_states)
    return captured


def _position(old: State, new: State) -> tuple[RefUpdate, ...]:
    """The update of the branch, or of a detached HEAD."""
    if old.head == new.head:
        return ()
    if old.branch:
        return (RefUpdate(old.branch, new.head, old.head),)
    return (RefUpdate("HEAD", new.head, old.head, no_deref=True),)


def tag_updates(site: Site, effect: Effect) -> tuple[RefUpdate, ...]:
    """The updates of the visible tags of the tasks that change."""
    if not (effect.undone or effect.revived):
        return ()
    held = {ref: refs.loose(site.places.common, ref) for ref, _, _ in effect.visible}
    updates = effect.tag_updates(held if all(held.values()) else refs.list_refs(site.git, *held))
    positions.restore_archived_tags(site, updates)
    return updates
