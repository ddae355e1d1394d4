"""The plan of an undo: which operation it undoes, what it would do, and why it is refused. It writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from devs_git.domain.checkpoints import rewind_selection, task_activity
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History
from devs_git.domain.recall import message_cuts
from devs_git.errors import DevsError, immovable
from devs_git.operations.rewind import (
    reach,
    refusals,
    undo_effect,
    undo_messages,
    undo_scope,
    undoable_operations,
)
from devs_git.operations.rewind.undo_effect import Turns
from devs_git.operations.rewind.undo_messages import Cuts
from devs_git.operations.rewind.undo_scope import UndoScope
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import backups, footprint, known_changes, left_state, survey, untracked_files
from devs_git.storage.worktree.backups import State, load
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.storage.worktree.ref_changes import RefChanges
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.untracked_files import Untracked
from devs_git.values import immutable, replace


class UndoRequest(Protocol):
    """What the request of an undo says."""

    @property
    def op_id(self) -> str | None: ...
    @property
    def preserve(self) -> str | None: ...
    @property
    def untracked(self) -> str | None: ...


@immutable
class UndoPlan:
    """The state to return to, what moves, and the reasons why the undo is refused.

    `later`: the states before the operations since. `turns`: checkpoints that are live, or no longer live, only because the
    branch moves. `stay`: changed files that the state has as they are now. `clears_flags`: entries of the index have flags, and had none then. `cuts`: what changes for conversations.
    `abandoned`: the tasks of this worktree that were given up since, which no undo takes up again.
    """

    operation: Event
    state: State
    later: tuple[State, ...]
    found: Survey
    footprint: Footprint
    untracked: Untracked
    refs: RefChanges
    effect: Effect
    turns: Turns
    refusals: Sequence[DevsError]
    clears_flags: bool
    cuts: Cuts
    stay: Collection[str]
    abandoned: tuple[str, ...]


@immutable
class _Way:
    """The way back over the operations `since`, the oldest first: `before` is the history then, `after` what the last left.

    `moved`: those that moved files; the others rewound a conversation alone.
    """

    now: History
    before: History
    since: list[Event]
    moved: list[Event]
    states: tuple[State, ...]
    after: State | None

    @property
    def backups(self) -> list[str]:
        return [Movement.of(event).backup for event in self.moved]

    @property
    def left(self) -> list[tuple[str, str]]:
        """The backup of each, and the branch or stash entry that it left."""
        return [(way.backup, way.preserved) for way in map(Movement.of, self.moved)]


def scope_of_few_tasks(site: Site, tip: Tip, op_id: str | None) -> UndoScope | None:
    """What the undo of the last operation needs of a large ledger, if that moved files; None where the whole ledger is needed."""
    if op_id or not listing.has_index(tip):
        return None
    from devs_git.operations.rewind import tasks_undone  # a small ledger is read whole

    return tasks_undone.scope(site, tip)


def make_plan(site: Site, tip: Tip, request: UndoRequest, scope: UndoScope | None = None) -> UndoPlan:
    """The plan to undo the operation `op_id`, or the last one; NOTHING_TO_UNDO, HISTORY_REWRITTEN.

    `scope`: what of the ledger is needed; without it the ledger is read.
    """
    op_id, preserve, untracked = request.op_id, request.preserve, request.untracked
    backups.restore(site)
    found = survey.take(site.git, site.top)
    if scope is None or not _is_current(site, scope, found):
        scope = undo_scope.whole(site, tip, found.branch, op_id)
    way = _find_way(site, scope, found)
    history, state = way.now, way.states[0]
    effect, turns = undo_effect.compute(site, found, way.moved, scope, state.head)
    plan = _footprint(site, found, way.states)
    plan = footprint.with_hidden_edits(found, site.top, plan) if way.after else plan
    chosen = untracked_files.choose(found, state.worktree, plan, untracked, _known(site, way))
    changed = found.staged or found.dirty or found.intended or plan.hidden
    stay = known_changes.find(found, plan.hidden, state.index, state.worktree) if changed else set[str]()
    refused = [
        *rewind_selection.refuse_reused_tasks(history, way.before, effect.revived),
        *survey.reasons_against_moving(site.places, found),
        *_refuse_later_tasks(way, effect, op_id),
        *_refuse_new_commits(found, way, preserve),
        *refusals.of_changes(found, plan, preserve, way.after, stay),
        *refusals.of_obstacles(plan, chosen.saved, untracked),
        *refusals.of_objects(found, plan, state.head),
    ]
    return UndoPlan(
        operation=way.since[0],
        state=replace(state, active=task_activity.after_undo(history, effect, state.active)),
        later=way.states[1:],
        found=found,
        footprint=plan,
        untracked=chosen,
        refs=left_state.reverse_refs(site, way.left),
        effect=effect,
        turns=turns,
        refusals=refused,
        clears_flags=bool(way.after and found.flagged and not state.index_raw),
        stay=stay,
        abandoned=_abandoned_since(way, effect, site.places.worktree_id),
        cuts=undo_messages.cuts_back_to(way.before, way.now, way.since, clone_of(site.places.common)),
    )


def _is_current(site: Site, scope: UndoScope, found: Survey) -> bool:
    """Whether HEAD is where it was when the scope was made."""
    head = load(site.objects, scope.since[0].backup).head
    return scope.covers(found.branch, reach.commits_since(site.git, found.head, head).commits)


def _find_way(site: Site, scope: UndoScope, found: Survey) -> _Way:
    moved = [event for event in scope.since if not message_cuts.moved_nothing(event)]
    states = tuple(load(site.objects, Movement.of(event).backup) for event in moved)
    _require_commit(found, states[0])
    last = Movement.of(moved[-1])
    after = left_state.load_after(site.objects, last.backup, states[0], last.after)
    return _Way(scope.now, scope.before, scope.since, moved, states, after)


def _abandoned_since(way: _Way, effect: Effect, worktree: str) -> tuple[str, ...]:
    """The tasks that were given up since the operation and stay so."""
    before, now = (undoable_operations.abandoned_in(one, worktree) for one in (way.before, way.now))
    return tuple(name for name in now if name not in {*before, *dict(effect.statuses)})


def _require_commit(found: Survey, state: State) -> None:
    """GIT_RESET_FAILED where only one of now and then is before the first commit."""
    if state.head:
        survey.require_commit(found)
    elif found.head:
        text, hint = (
            "The state to return to was before the first commit.",
            "Bring its files back: devs-git restore moment:ID. List the moments: devs-git log --moments",
        )
        raise immovable("no_commit", text, hint=hint)


def _refuse_later_tasks(way: _Way, effect: Effect, op_id: str | None) -> list[DevsError]:
    """Tasks were finished since the last operation. Who does not name it may not know that it is older than they are."""
    if op_id is not None:
        return []
    # The heir of a checkpoint that an amend or a rewritten history moved is old work.
    known = way.before.checkpoints.keys() | {point.heir for point in way.now.checkpoints.values()}
    since = [p.task_id for p in effect.undone if p.completed and p.tag not in known]
    return refusals.of_later_tasks(way.since[0], tuple(dict.fromkeys(since)))


def _refuse_new_commits(found: Survey, way: _Way, preserve: str | None) -> Iterator[DevsError]:
    last, first = Movement.of(way.moved[-1]), Movement.of(way.moved[0])
    if not preserve and reach.commits_since(found.git, found.head, last.after).commits:
        yield from refusals.of_new_commits(found, first.after)


def _known(site: Site, way: _Way) -> untracked_files.Known:
    """The untracked files that operations brought back, with the oids of their bytes."""
    found: dict[str, str] = {}
    for backup in way.backups:
        found |= backups.load_brought(site.objects, backup)
    return untracked_files.Known(found)


def _footprint(site: Site, found: Survey, states: Sequence[State]) -> Footprint:
    """The footprint of a move to the first of `states`; the later ones only add files whose bytes were captured."""
    raw = (path for each in states for path in (*list_files(site.git, each.raw), *each.modes))
    only = tuple(dict.fromkeys(path for path in raw if not path.endswith("/")))
    return replace(footprint.compute(found, site.top, states[0].worktree), bytes_only=only)
