"""`rewind`: go back to a checkpoint, a moment or a snapshot without losing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devs_git.domain.checkpoints import branch_names, task_activity
from devs_git.domain.checkpoints.plan_id import Options, read_plan_id, require_agreement
from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.ledger.event_operations import Rewound
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.text.plain_text import check_text
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import commit_locations
from devs_git.operations.rewind import destinations, reach, rewind_plan, rewind_record
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.return_to_state import StateChange, carry_out, movement, objections
from devs_git.operations.rewind.rewind_plan import LISTED, RewindPlan
from devs_git.storage.git import filters
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import footprint, journal, move_tree, survey
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import as_mapping, field, immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@3` or a checkpoint's oid; `moment:…`; `snapshot/…`; or a `plan_id`, which contains target
    and options.

    `override_reason` lets a person at a terminal rewind while a gate is open; the gate stays open.
    `preserve`: branch, stash, discard or None. `untracked`: `save` moves untracked files that are in the way into the
    backup, `remove` all untracked files that git does not ignore.
    """

    target: str = ""
    preserve: str | None = None
    branch_name: str | None = None
    untracked: str | None = None
    plan_id: str | None = None
    dry_run: bool = False
    override_reason: str | None = None
    at_terminal: bool = False

    def __post_init__(self) -> None:
        if not self.target and not self.plan_id:
            raise invalid("target", "The target is missing.", hint="For example: devs-git rewind task-10")
        require_untracked_mode(self.untracked)
        if self.branch_name and preserve_mode(self.preserve) not in (None, "branch"):
            raise invalid(
                "branch_name", "A branch name needs --preserve branch.", hint="Remove one of the two."
            )
        if self.override_reason is not None:
            check_text("override_reason", self.override_reason, least=1, most=2000)
        destinations.parse(self.options.target)
        preserve_mode(self.options.preserve)
        if self.options.branch_name is not None:
            branch_names.check(self.options.branch_name)

    @property
    def options(self) -> Options:
        """Target and options, from the plan if one is given; INVALID_ARGUMENTS if plan and request differ."""
        own = Options(self.target, preserve_mode(self.preserve), self.branch_name, self.untracked)
        if own.branch_name and not own.preserve:
            own = replace(own, preserve="branch")
        if self.target:
            own = replace(own, target=destinations.parse(self.target))
        if not self.plan_id:
            return own
        planned = read_plan_id(self.plan_id)
        if self.target and not destinations.may_agree(own.target, planned.target):
            raise invalid(
                "plan_id",
                f"The plan is for {planned.target}, not for {own.target}.",
                hint="Give only one of them.",
            )
        require_agreement(own, planned)
        return planned


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


def find(workspace: Workspace, request: Request) -> Checkpoint | Moment:
    """The checkpoint or the moment that the request names."""
    return destinations.find(workspace, request.options.target)


def run(workspace: Workspace, request: Request) -> Plan | Result:
    """Rewind, or with `dry_run` say what a rewind would do; GIT_RESET_FAILED, PLAN_STALE, BUSY and `resolve`'s codes."""
    with move_tree.translate_failures("GIT_RESET_FAILED"):
        if request.dry_run:
            return _plan(workspace, request)
        result = _move(workspace, request)
    if (workspace.places.moments / "note").exists():
        from devs_git.operations.moments import net_loss

        net_loss.brought_back(workspace, result.rewound_to.removeprefix("moment:"))
    return result


def _move(workspace: Workspace, request: Request) -> Result:
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        plan = destinations.make_plan(workspace, site, request)
        survey.require_quiet(site.places, plan.found)
        for error in _stale(request, plan):
            raise error
        plan.require_allowed()
        return _rewind(workspace, site, request, plan)


def _stale(request: Request, plan: RewindPlan) -> list[DevsError]:
    """PLAN_STALE if the request names a plan that differs from the current one."""
    if not request.plan_id or plan.plan_id == request.plan_id:
        return []
    text = "Files, index, HEAD or checkpoints changed since the plan was made."
    hint = f"Make a new plan: devs-git rewind {request.options.target} --dry-run"
    return [DevsError("PLAN_STALE", text, hint=hint)]


def _objections(workspace: Workspace, site: Site, request: Request, plan: RewindPlan) -> list[DevsError]:
    """All reasons why the rewind would be refused, in the order of a real run."""
    change = _state_change(workspace, request.options, plan)
    return [
        *_stale(request, plan),
        *plan.refusals,
        *objections(site, change),
        *journal.interruption_errors(workspace.places),
    ]


def _plan(workspace: Workspace, request: Request) -> Plan:
    site = workspace.site
    plan = destinations.make_plan(workspace, site, request)
    point, rest = plan.target, footprint.find_uncovered(plan.found, site.top)
    from devs_git.storage.catalog import ledger_marks

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


def _rewind(workspace: Workspace, site: Site, request: Request, plan: RewindPlan) -> Result:
    point, change = plan.target, _state_change(workspace, request.options, plan)
    change = destinations.with_ignored_files(site, change, plan)
    clone = name_clone(site.places.common, workspace.new_nonce)

    def build(tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        _require_same(tip, plan)
        moved = movement(change, old, kept, backup)
        content = Rewound(point.task_id, point.name, request.override_reason or "", clone, moved)
        subject = f"{change.subject} (undoes {', '.join(plan.effect.affected) or 'no task'})"
        event = workspace.event_of(content, subject, verb_name="rewind")
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


def _state_change(workspace: Workspace, options: Options, plan: RewindPlan) -> StateChange:
    return StateChange(
        op_id=workspace.new_id("rewind"),
        verb="rewind",
        subject=f"rewind: to {plan.target.shown}",
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
    )


def _require_same(tip: Tip, plan: RewindPlan) -> None:
    """PLAN_STALE if another worktree undid one of the checkpoints meanwhile."""
    points = tip.here.checkpoints
    if any(not points[point.tag].live for point in plan.effect.undone):
        raise DevsError(
            "PLAN_STALE", "The checkpoints changed during the rewind.", hint="See them: devs-git log"
        )
