"""A rewind to a checkpoint or a moment: what it would do, and doing it. `rewind` does it, and `conversation rewind --code`."""

from __future__ import annotations

from typing import Any

from devs_git.domain.checkpoints import task_activity
from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.ledger.event_operations import Rewound
from devs_git.domain.ledger.events import Draft
from devs_git.domain.verbs import VerbResult
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import commit_locations
from devs_git.operations.rewind import destinations, reach, rewind_plan, rewind_record
from devs_git.operations.rewind.destinations import RewindRequest
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.return_to_state import StateChange, carry_out, movement, objections
from devs_git.operations.rewind.rewind_plan import LISTED, RewindPlan
from devs_git.storage.git import filters
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import footprint, journal, survey
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import as_mapping, field, immutable
from devs_git.workspace import Workspace


@immutable
class Cause:
    """Why a rewind is made: the verb, and the cuts of conversations that belong to it, with the session that goes on."""

    verb: str = "rewind"
    cuts: tuple[str, ...] = ()
    session: str = ""


@immutable
class CodeRequest:
    """The rewind of the code that belongs to another operation."""

    options: Options
    dry_run: bool = False
    plan_id: str | None = None
    override_reason: str | None = None

    @property
    def target(self) -> str:
        return self.options.target


@immutable
class Plan(VerbResult):
    """What a rewind would do. Lists have at most 1000 entries.

    For `not_told` see `filters`, for `was_active` and the members after `blocked_by` see `Result`.
    """

    would_reset_to_commit: str
    affected_tasks: tuple[str, ...]
    sqlite_tables_affected: tuple[str, ...]
    plan_id: str
    target: str
    commits: int
    files: dict[str, Any]
    preserve: str
    undone: tuple[str, ...]
    kept_by: tuple[dict[str, Any], ...]
    still_on: dict[str, str]
    not_covered: dict[str, Any]
    now_visible: tuple[str, ...]
    not_told: tuple[filters.UndecidedFile, ...] = ()
    was_active: str = ""
    now_active: str = ""
    blocked_by: tuple[dict[str, Any], ...] = field(default=())
    removed_untracked: tuple[str, ...] = ()
    removed_untracked_count: int = 0
    revived: tuple[str, ...] = ()
    made_branches: tuple[str, ...] = ()
    made_stashes: tuple[str, ...] = ()
    moved_branches: tuple[dict[str, str], ...] = ()


@immutable
class Result:
    """What a rewind did. `preserved_as` has `type` and `reference`. `backup` has the whole previous state in every mode.
    If everything was as in the target already, nothing was changed: `rewind_id` and `backup` are '', and the type is none.

    `edited`: files that somebody saved during the rewind; they stay as they were saved.
    `was_active`, `now_active`: the worktree's active task before and after; '' for none. `removed_untracked`: the
    untracked files that are only in the backup now, at most 1000. `revived`: checkpoints that are live again. `made_branches` and `made_stashes`: those that the moment
    had and that were gone; `moved_branches`: those that have moved since, with the command of git that moves them back.
    """

    rewound_to: str
    reset_commit: str
    cleared_tasks: int
    tree: str
    rewind_id: str
    preserved_as: dict[str, str]
    affected_tasks: tuple[str, ...]
    kept_by: tuple[dict[str, Any], ...]
    still_on: dict[str, str]
    not_exact: tuple[str, ...]
    files: int
    edited: tuple[str, ...]
    backup: str
    was_active: str = ""
    now_active: str = ""
    removed_untracked: tuple[str, ...] = ()
    removed_untracked_count: int = 0
    revived: tuple[str, ...] = ()
    made_branches: tuple[str, ...] = ()
    made_stashes: tuple[str, ...] = ()
    moved_branches: tuple[dict[str, str], ...] = ()


def make_plan(workspace: Workspace, site: Site, request: RewindRequest) -> RewindPlan:
    """The plan, if nothing is against it; PLAN_STALE, GIT_RESET_FAILED. The caller holds the worktree's lock."""
    plan = destinations.make_plan(workspace, site, request)
    survey.require_quiet(site.places, plan.found)
    for error in _stale(request, plan):
        raise error
    plan.require_allowed()
    return plan


def _stale(request: RewindRequest, plan: RewindPlan) -> list[DevsError]:
    """PLAN_STALE if the request names a plan that differs from the current one."""
    if not request.plan_id or plan.plan_id == request.plan_id:
        return []
    text = "Files, index, HEAD or checkpoints changed since the plan was made."
    hint = f"Make a new plan: devs-git rewind {request.options.target} --dry-run"
    return [DevsError("PLAN_STALE", text, hint=hint)]


def _objections(
    workspace: Workspace, site: Site, request: RewindRequest, plan: RewindPlan
) -> list[DevsError]:
    """All reasons why the rewind would be refused, in the order of a real run."""
    change = _state_change(workspace, request.options, plan, Cause())
    return [
        *_stale(request, plan),
        *plan.refusals,
        *objections(site, change),
        *journal.interruption_errors(workspace.places),
    ]


def preview(workspace: Workspace, request: RewindRequest) -> Plan:
    """What the rewind would do, and what refuses it. It writes nothing."""
    site = workspace.site
    plan = destinations.make_plan(workspace, site, request)
    point, rest = plan.target, footprint.find_uncovered(plan.found, site.top)
    from devs_git.storage.catalog.rewound import ledger_marks

    catalog = workspace.places.shared / "catalog.db"
    return Plan(
        would_reset_to_commit=point.commit,
        affected_tasks=plan.effect.affected,
        sqlite_tables_affected=ledger_marks.tables_with(catalog, plan.effect.affected),
        plan_id=plan.plan_id,
        target=point.name,
        commits=len(plan.commits),
        files=rewind_plan.count_files(plan),
        preserve=plan.preserve,
        undone=tuple(point.name for point in plan.effect.undone),
        kept_by=reach.keepers(site.git, point.commit, plan.effect.kept[:LISTED], plan.others),
        still_on=commit_locations.still_on(workspace, plan.effect.undone[:LISTED]),
        not_covered=as_mapping(rest) | {"left_out": plan.moment.left_out if plan.moment else ()},
        now_visible=footprint.find_now_visible(
            plan.found, point.tree, plan.footprint, plan.untracked.removed
        ),
        not_told=filters.sort_files(plan.found.not_told),
        was_active=task_activity.task_of(plan.active),
        now_active=task_activity.task_of(plan.state.active),
        blocked_by=tuple(error.envelope() for error in _objections(workspace, site, request, plan)),
        removed_untracked=plan.untracked.removed[:LISTED],
        removed_untracked_count=len(plan.untracked.removed),
        **destinations.what_comes_back(plan),
    )


def rewind(
    workspace: Workspace, site: Site, request: RewindRequest, plan: RewindPlan, cause: Cause | None = None
) -> Result:
    """Carry the plan out. The caller holds the worktree's lock."""
    cause = cause or Cause()
    point, change = plan.target, _state_change(workspace, request.options, plan, cause)
    change = destinations.with_ignored_files(site, change, plan)
    clone = name_clone(site.places.common, workspace.new_nonce)

    def build(tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        _require_same(tip, plan)
        moved = movement(change, old, kept, backup)
        content = Rewound(
            point.task_id, point.name, request.override_reason or "", clone, moved, cause.session
        )
        subject = f"{change.subject} (undoes {', '.join(plan.effect.affected) or 'no task'})"
        event = workspace.event_of(content, subject, verb_name=cause.verb)
        record = rewind_record.text(content, site.places.worktree_id, plan, kept)
        return Draft(event, ((f"rewinds/{change.op_id}.yaml", record),))

    result = carry_out(site, change, plan.active, build)
    return Result(
        rewound_to=point.name,
        reset_commit=point.commit,
        cleared_tasks=len(plan.effect.affected),
        tree=point.tree,
        rewind_id=result.op_id,
        preserved_as={"type": result.kept.type, "reference": result.kept.reference},
        affected_tasks=plan.effect.affected,
        kept_by=reach.keepers(site.git, point.commit, plan.effect.kept[:LISTED], plan.others),
        still_on=commit_locations.still_on(workspace, plan.effect.undone[:LISTED]),
        not_exact=result.not_exact,
        files=result.files,
        edited=result.edited,
        backup=result.backup,
        was_active=task_activity.task_of(plan.active),
        now_active=task_activity.task_of(plan.state.active),
        removed_untracked=plan.untracked.removed[:LISTED],
        removed_untracked_count=len(plan.untracked.removed),
        **destinations.what_comes_back(plan),
    )


def _state_change(workspace: Workspace, options: Options, plan: RewindPlan, cause: Cause) -> StateChange:
    return StateChange(
        op_id=workspace.new_id("rewind"),
        verb=cause.verb,
        subject=f"{cause.verb}: to {_named(plan.target.shown)}",
        found=plan.found,
        footprint=plan.footprint,
        new=plan.state,
        effect=plan.effect,
        saved=plan.untracked.saved,
        marks=plan.untracked.marks,
        mode=plan.preserve,
        name=options.branch_name,
        limit=lambda: workspace.policy.backup_limit,
        exact=plan.moment.exact if plan.moment else frozenset(),
        refs=plan.refs,
        only_if_needed=True,
        cuts=(cause.cuts, ()),
    )


def _require_same(tip: Tip, plan: RewindPlan) -> None:
    """PLAN_STALE if another worktree undid one of the checkpoints meanwhile."""
    if tip.oid == plan.tip:
        return
    from devs_git.storage.ledger.recent import known_tasks  # only if somebody else wrote meanwhile

    points = known_tasks.history_here(tip, {point.task_id for point in plan.effect.undone}).checkpoints
    if any(not points[point.tag].live for point in plan.effect.undone):
        raise DevsError(
            "PLAN_STALE", "The checkpoints changed during the rewind.", hint="See them: devs-git log"
        )


def note_what_is_back(workspace: Workspace, result: Result) -> None:
    """If a moment brought back what a command destroyed, nobody is told of that loss any more."""
    if (workspace.places.moments / "note").exists():
        from devs_git.operations.moments import net_loss

        net_loss.brought_back(workspace, result.rewound_to.removeprefix("moment:"))


def _named(target: str) -> str:
    """`before task-11` for `task-11^`, which a person did not type."""
    return f"before {target[:-1]}" if target.endswith("^") else target
