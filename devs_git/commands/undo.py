"""`undo`: undo a rewind, restore or undo of this worktree and branch, byte for byte.

It returns to the state in the operation's backup. To undo an undo is to redo the operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devs_git.domain.checkpoints import branch_names, rewind_selection, task_activity
from devs_git.domain.checkpoints.rewind_selection import Effect, preserve_mode, require_untracked_mode
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.event_operations import Movement, Undone
from devs_git.domain.ledger.events import Draft, Event
from devs_git.domain.ledger.history import Checkpoint, fold
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.rewind import reach, refusals, rewind_plan, undo_effect, undoable_operations
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.return_to_state import StateChange, carry_out, movement, objections
from devs_git.storage.git import filters
from devs_git.storage.git.filters import UndecidedFile
from devs_git.storage.ledger.clone_history import clone_of, name_clone
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import (
    active_task,
    backups,
    footprint,
    journal,
    move_tree,
    survey,
    untracked_files,
)
from devs_git.storage.worktree.backups import State, load
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.raw_bytes import list_files, merged_modes, merged_raw
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.untracked_files import Untracked
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`op_id`: an operation that is not the last one. `preserve` and `untracked`: as for a rewind."""

    op_id: str | None = None
    preserve: str | None = None
    branch_name: str | None = None
    untracked: str | None = None
    dry_run: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "preserve", preserve_mode(self.preserve))
        if self.branch_name and self.preserve is None:
            object.__setattr__(self, "preserve", "branch")
        if self.branch_name and self.preserve != "branch":
            raise invalid(
                "branch_name",
                "A branch name needs --preserve branch.",
                hint="Remove one of the two.",
            )
        if self.branch_name is not None:
            branch_names.check(self.branch_name)
        require_untracked_mode(self.untracked)


@immutable
class Result(VerbResult):
    """What an undo did, or would do in a dry run (then `undo_id` is '').

    `edited`: files that somebody saved during the undo; they stay as they were saved. `was_active` and `now_active`: the
    worktree's active task before and after; '' for none. `removed_untracked`: the untracked files that are only in the
    backup now, at most 1000.
    """

    undone_operation: str
    undone_verb: str
    undo_id: str
    commit: str
    branch: str
    revived: tuple[str, ...]
    undone: tuple[str, ...]
    files: int
    preserved_as: dict[str, str]
    not_exact: tuple[str, ...]
    edited: tuple[str, ...]
    backup: str
    blocked_by: tuple[dict[str, Any], ...] = ()
    not_told: tuple[UndecidedFile, ...] = ()
    was_active: str = ""
    now_active: str = ""
    removed_untracked: tuple[str, ...] = ()
    removed_untracked_count: int = 0


@immutable
class _UndoPlan:
    operation: Event
    state: State
    later: tuple[State, ...]
    found: Survey
    footprint: Footprint
    untracked: Untracked
    effect: Effect
    turns: tuple[tuple[Checkpoint, ...], tuple[Checkpoint, ...]]
    mode: str
    refusals: Sequence[DevsError]


def run(workspace: Workspace, request: Request) -> Result:
    """NOTHING_TO_UNDO, TASK_EXISTS, HISTORY_REWRITTEN, and the codes of a rewind."""
    with move_tree.translate_failures("GIT_RESET_FAILED"):
        if request.dry_run:
            return _plan(workspace, request)
        return _move(workspace, request)


def _plan(workspace: Workspace, request: Request) -> Result:
    plan, active = _make_plan(workspace, workspace.site, request), active_task.read(workspace.places)
    change = _state_change(workspace, request, plan)
    found = (
        *plan.refusals,
        *objections(workspace.site, change),
        *journal.interruption_errors(workspace.places),
    )
    blocked = tuple(error.envelope() for error in found)
    files = len(plan.footprint.affected) + len(plan.untracked.removed)
    result = _result(plan, "", files, active)
    return replace(result, blocked_by=blocked, not_told=filters.sort_files(plan.found.not_told))


def _move(workspace: Workspace, request: Request) -> Result:
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        plan = _make_plan(workspace, site, request)
        if plan.refusals:
            raise plan.refusals[0]
        return _undo(workspace, site, request, plan)


def _make_plan(workspace: Workspace, site: Site, request: Request) -> _UndoPlan:
    backups.restore(site)
    clone = clone_of(site.places.common)
    history = clone_view.own_view(workspace.ledger.require().history, clone)
    found = survey.take(site.git, site.top)
    operations = undoable_operations.select(
        site,
        rewind_selection.operations_of_branch(history, site.places.worktree_id, found.branch),
        request.op_id,
    )
    operation = rewind_selection.operation_to_undo(operations, request.op_id)
    survey.require_commit(found)
    since = operations[operations.index(operation) :]
    state, *later = (load(site.objects, Movement.of(event).backup) for event in since)
    before = clone_view.own_view(
        fold(workspace.ledger.events(operation.parents[0], oldest_first=True)), clone
    )
    effect, turns = undo_effect.compute(site, found, since, (history, before), state.head)
    plan = _footprint(site, found, [state, *later])
    known = untracked_files.Known(_brought_since(site, since))
    untracked = untracked_files.choose(found, state.worktree, plan, request.untracked, known)
    commits = reach.commits_since(site.git, found.head, Movement.of(since[-1]).after).commits
    refused = [
        *rewind_selection.refuse_reused_tasks(history, before, effect.revived),
        *survey.reasons_against_moving(site.places, found),
        *(
            refusals.of_new_commits(found, Movement.of(operation).after)
            if commits and not request.preserve
            else ()
        ),
        *refusals.of_changes(found, plan, request.preserve),
        *refusals.of_obstacles(plan, untracked.saved, request.untracked),
        *refusals.of_objects(found, plan, state.head),
    ]
    state = replace(state, active=task_activity.after_undo(history, effect, state.active))
    return _UndoPlan(
        operation,
        state,
        tuple(later),
        found,
        plan,
        untracked,
        effect,
        turns,
        request.preserve or "",
        refused,
    )


def _brought_since(site: Site, since: Sequence[Event]) -> dict[str, str]:
    """The untracked files that operations brought back, with the oids of their bytes."""
    found: dict[str, str] = {}
    for event in since:
        found |= backups.load_brought(site.objects, Movement.of(event).backup)
    return found


def _footprint(site: Site, found: Survey, states: Sequence[State]) -> Footprint:
    """The footprint of a move to the first of `states`; the later ones only add files whose bytes were captured."""
    raw = (path for each in states for path in (*list_files(site.git, each.raw), *each.modes))
    only = tuple(dict.fromkeys(path for path in raw if not path.endswith("/")))
    return replace(footprint.compute(found, site.top, states[0].worktree), bytes_only=only)


def _undo(workspace: Workspace, site: Site, request: Request, plan: _UndoPlan) -> Result:
    change = _state_change(workspace, request, plan)
    folder, states = journal.make_folder(site.places, change.op_id), (plan.state, *plan.later)
    raw, exact = merged_raw(site.git, site.places, folder, states)
    change = replace(
        change, new=replace(plan.state, raw=raw, modes=merged_modes(site.git, states)), exact=exact
    )

    clone = name_clone(site.places.common, workspace.new_nonce)

    def build(_tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        content = Undone(
            plan.operation.op_id, plan.mode or "none", clone, movement(change, old, kept, backup)
        )
        return Draft(workspace.event_of(content, change.subject, verb_name="undo"))

    active = active_task.read(site.places)
    result = carry_out(site, change, active, build)
    kept = {"type": result.kept.type, "reference": result.kept.reference}
    done = _result(plan, change.op_id, result.moved.files, active)
    return replace(
        done,
        preserved_as=kept,
        not_exact=result.moved.not_exact,
        edited=result.moved.edited,
        backup=f"refs/devs/backup/{change.op_id}",
    )


def _state_change(workspace: Workspace, request: Request, plan: _UndoPlan) -> StateChange:
    verb = plan.operation.verb
    return StateChange(
        op_id=workspace.new_id("undo"),
        verb="undo",
        subject=f"undo: of {verb} {plan.operation.op_id}",
        found=plan.found,
        footprint=plan.footprint,
        new=plan.state,
        effect=plan.effect,
        saved=plan.untracked.saved,
        marks=plan.untracked.marks,
        mode=plan.mode,
        name=request.branch_name,
        limit=lambda: workspace.policy.backup_limit,
    )


def _result(plan: _UndoPlan, op_id: str, files: int, active: str) -> Result:
    back, gone = plan.turns
    return Result(
        undone_operation=plan.operation.op_id,
        undone_verb=plan.operation.verb,
        undo_id=op_id,
        commit=plan.state.head,
        branch=plan.state.branch.removeprefix("refs/heads/"),
        revived=tuple(point.name for point in (*plan.effect.revived, *back)),
        undone=tuple(point.name for point in (*plan.effect.undone, *gone)),
        files=files,
        preserved_as={},
        not_exact=(),
        edited=(),
        backup="",
        was_active=task_activity.task_of(active),
        now_active=task_activity.task_of(plan.state.active),
        removed_untracked=plan.untracked.removed[: rewind_plan.LISTED],
        removed_untracked_count=len(plan.untracked.removed),
    )
