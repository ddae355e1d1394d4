"""`undo`: undo a rewind, restore or undo of this worktree and branch, byte for byte.

It returns to the state in the operation's backup. To undo an undo is to redo the operation. The undo of the rewind of a
conversation moves no file, unless the rewind moved some.
"""

from __future__ import annotations

from typing import Any

from devs_git.domain.checkpoints import branch_names, task_activity
from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.ledger.event_operations import Movement, Undone
from devs_git.domain.ledger.events import Draft, Event
from devs_git.domain.recall.message_cuts import cut_of
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.operations.rewind import rewind_plan, undo_messages, undo_plan
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.return_to_state import StateChange, carry_out, movement, objections
from devs_git.operations.rewind.undo_messages import Cuts, MessagesUndo
from devs_git.operations.rewind.undo_plan import UndoPlan
from devs_git.storage.git import filters, refs
from devs_git.storage.git.filters import UndecidedFile
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, journal, left_state, move_tree
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.raw_bytes import merged_modes, merged_raw
from devs_git.values import field, immutable, replace
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
        object.__setattr__(
            self, "preserve", branch_names.choose_mode(self.branch_name, preserve_mode(self.preserve))
        )
        require_untracked_mode(self.untracked)


@immutable
class Result(VerbResult):
    """What an undo did, or would do in a dry run (then `undo_id` is '').

    `edited`: files that somebody saved during the undo; they stay as they were saved. `was_active` and `now_active`: the
    worktree's active task before and after; '' for none. `removed_untracked`: the untracked files that are only in the
    backup now, at most 1000. `sessions_revived`: sessions of which rewound messages count again; `sessions_rewound`: those
    of which messages are rewound again. `removed_branches` and `removed_stashes`: the branch and the stash entry that the
    operation left, and that go with it; `made_branches` and `made_stashes`: those that a redo makes again. `abandoned`: the
    tasks of this worktree that were given up since the operation, and stay so.
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
    sessions_revived: tuple[str, ...] = ()
    sessions_rewound: tuple[str, ...] = ()
    removed_branches: tuple[str, ...] = ()
    removed_stashes: tuple[str, ...] = ()
    made_branches: tuple[str, ...] = ()
    made_stashes: tuple[str, ...] = ()
    abandoned: tuple[str, ...] = ()


@immutable
class Plan(Result):
    """A dry run. `changes` has the files, with counts and at most 1000 names of each kind."""

    changes: dict[str, Any] = field(default_factory=dict)


def run(workspace: Workspace, request: Request) -> Result:
    """NOTHING_TO_UNDO, TASK_EXISTS, HISTORY_REWRITTEN, and the codes of a rewind."""
    with move_tree.translate_failures("GIT_RESET_FAILED"):
        if request.dry_run:
            return _plan(workspace, request)
        return _move(workspace, request)


def _plan(workspace: Workspace, request: Request) -> Plan:
    site = workspace.site
    tip = site.ledger.require()
    scope = undo_plan.scope_of_few_tasks(site, tip, request.op_id)
    if not scope and (messages := undo_messages.find(site, tip, request.op_id)):
        return Plan(**vars(_of_messages(site, messages)))
    plan, active = undo_plan.make_plan(site, tip, request, scope), active_task.read(workspace.places)
    change = _state_change(workspace, request, plan)
    found = (
        *plan.refusals,
        *objections(site, change),
        *journal.interruption_errors(workspace.places),
    )
    blocked = tuple(error.envelope() for error in found)
    moved, leave = plan.footprint, (*plan.footprint.removes, *plan.untracked.removed)
    modified = tuple(path for path in moved.rewrites if path not in plan.stay)
    changes = rewind_plan.counts_of({"added": moved.adds, "modified": modified, "deleted": leave})
    result = replace(
        _result(plan, "", changes["count"], active),
        preserved_as={"type": request.preserve or "none", "reference": ""},
        blocked_by=blocked,
        not_told=filters.sort_files(plan.found.not_told),
    )
    return Plan(**vars(result), changes=changes)


def _move(workspace: Workspace, request: Request) -> Result:
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        tip = site.ledger.require()
        scope = undo_plan.scope_of_few_tasks(site, tip, request.op_id)
        if not scope and (messages := undo_messages.find(site, tip, request.op_id)):
            return _undo_messages(workspace, site, messages)
        plan = undo_plan.make_plan(site, tip, request, scope)
        if plan.refusals:
            raise plan.refusals[0]
        return _undo(workspace, site, request, plan)


def _undo_messages(workspace: Workspace, site: Site, plan: MessagesUndo) -> Result:
    """The undo of operations that rewound a conversation and moved no file: nothing is moved now, either."""
    operation, op_id = plan.operation, workspace.new_id("undo")
    clone = name_clone(site.places.common, workspace.new_nonce)
    undone, revived = plan.cuts
    movement = Movement(
        op_id, undo_messages.branch_of(site), "", "", messages_undone=undone, messages_revived=revived
    )

    def make_event(movement: Movement) -> Event:
        content = Undone(operation.op_id, "none", clone, movement)
        return workspace.event_of(content, _subject(operation), verb_name="undo")

    undo_messages.record(workspace, site, movement, make_event)
    return replace(_of_messages(site, plan), undo_id=op_id, backup=f"{refs.BACKUPS}{op_id}")


def _of_messages(site: Site, plan: MessagesUndo) -> Result:
    active = task_activity.task_of(active_task.read(site.places))
    return Result(
        undone_operation=plan.operation.op_id,
        undone_verb=plan.operation.verb,
        undo_id="",
        commit=refs.read(site.git, "HEAD^{commit}"),
        branch=undo_messages.branch_of(site).removeprefix("refs/heads/"),
        revived=(),
        undone=(),
        files=0,
        preserved_as={"type": "none", "reference": ""},
        not_exact=(),
        edited=(),
        backup="",
        was_active=active,
        now_active=active,
        **_sessions(plan.cuts),
    )


def _sessions(cuts: Cuts) -> dict[str, Any]:
    undone, revived = (tuple(dict.fromkeys(cut_of(text).session_id for text in texts)) for texts in cuts)
    return {"sessions_rewound": undone, "sessions_revived": revived}


def _subject(operation: Event) -> str:
    return f"undo: of {operation.verb} {operation.op_id}"


def _undo(workspace: Workspace, site: Site, request: Request, plan: UndoPlan) -> Result:
    change = _state_change(workspace, request, plan)
    folder, states = journal.make_folder(site.places, change.op_id), (plan.state, *plan.later)
    raw, exact = merged_raw(site.git, site.places, folder, states)
    new = replace(plan.state, raw=raw, modes=merged_modes(site.git, states))
    if plan.clears_flags:
        new = left_state.without_flags(site, folder, new)
    change = replace(change, new=new, exact=exact)

    clone = name_clone(site.places.common, workspace.new_nonce)

    def build(_tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        content = Undone(
            plan.operation.op_id, request.preserve or "none", clone, movement(change, old, kept, backup)
        )
        return Draft(workspace.event_of(content, change.subject, verb_name="undo"))

    active = active_task.read(site.places)
    result = carry_out(site, change, active, build)
    kept = {"type": result.kept.type, "reference": result.kept.reference}
    done = _result(plan, change.op_id, result.files, active)
    return replace(
        done,
        preserved_as=kept,
        not_exact=result.not_exact,
        edited=result.edited,
        backup=result.backup,
    )


def _state_change(workspace: Workspace, request: Request, plan: UndoPlan) -> StateChange:
    return StateChange(
        op_id=workspace.new_id("undo"),
        verb="undo",
        subject=_subject(plan.operation),
        found=plan.found,
        footprint=plan.footprint,
        new=plan.state,
        effect=plan.effect,
        saved=plan.untracked.saved,
        marks=plan.untracked.marks,
        mode=request.preserve or "",
        name=request.branch_name,
        limit=lambda: workspace.policy.backup_limit,
        refs=plan.refs,
        cuts=plan.cuts,
    )


def _result(plan: UndoPlan, op_id: str, files: int, active: str) -> Result:
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
        removed_branches=tuple(ref.removeprefix("refs/heads/") for ref in plan.refs.removed),
        removed_stashes=plan.refs.unstashed,
        made_branches=tuple(ref.removeprefix("refs/heads/") for ref in plan.refs.made),
        made_stashes=plan.refs.stashed,
        abandoned=plan.abandoned,
        **_sessions(plan.cuts),
    )
