"""`rewind`: go back to a checkpoint without losing anything."""

from __future__ import annotations

from typing import Any

from devs_git.domain.checkpoints import branch_names, task_activity
from devs_git.domain.checkpoints.plan_id import Options, read_plan_id, require_agreement
from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.ledger import ids, resolve
from devs_git.domain.ledger.event_operations import Rewound
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.text.plain_text import check_text
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import commit_locations
from devs_git.operations.rewind import reach, rewind_plan
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.return_to_state import StateChange, carry_out, movement, objections
from devs_git.operations.rewind.rewind_plan import LISTED, RewindPlan
from devs_git.storage.documents import yaml_documents
from devs_git.storage.git import filters
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, footprint, journal, move_tree, survey
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import as_mapping, field, immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@3` or a checkpoint's oid; or a `plan_id`, which contains target and options.

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
        ids.parse_target(self.options.target)
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
            own = replace(own, target=str(ids.parse_target(self.target)))
        if not self.plan_id:
            return own
        planned = read_plan_id(self.plan_id)
        if self.target and own.target != planned.target:
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

    For `not_told` see `filters`, for `was_active` and `removed_untracked` see `Result`.
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


@immutable
class Result:
    """What a rewind did. `preserved_as` has `type` and `reference`. `backup` has the whole previous state in every mode.

    `edited`: files that somebody saved during the rewind; they stay as they were saved.
    `was_active`, `now_active`: the worktree's active task before and after; '' for none. `removed_untracked`: the
    untracked files that are only in the backup now, at most 1000.
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


def find(workspace: Workspace, request: Request) -> Checkpoint:
    """The checkpoint that the request names."""
    return resolve.resolve(workspace.ledger.require().here, ids.parse_target(request.options.target))


def run(workspace: Workspace, request: Request) -> Plan | Result:
    """Rewind, or with `dry_run` say what a rewind would do; GIT_RESET_FAILED, PLAN_STALE, BUSY and `resolve`'s codes."""
    with move_tree.translate_failures("GIT_RESET_FAILED"):
        if request.dry_run:
            return _plan(workspace, request)
        return _move(workspace, request)


def _move(workspace: Workspace, request: Request) -> Result:
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        plan = rewind_plan.make_plan(site, request.options)
        survey.require_movable(site.places, plan.found)
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
    change = _state_change(workspace, request.options, plan, "")
    return [
        *_stale(request, plan),
        *plan.refusals,
        *objections(site, change),
        *journal.interruption_errors(workspace.places),
    ]


def _plan(workspace: Workspace, request: Request) -> Plan:
    site = workspace.site
    plan, active = rewind_plan.make_plan(site, request.options), active_task.read(site.places)
    point, rest = plan.target, footprint.find_uncovered(plan.found, site.top)
    after = task_activity.after_rewind(workspace.ledger.tip().here, plan.effect, active)
    from devs_git.storage.catalog import ledger_marks

    catalog = workspace.places.shared / "catalog.db"
    return Plan(
        would_reset_to_commit=point.commit,
        affected_tasks=plan.effect.affected,
        sqlite_tables_affected=ledger_marks.tables_with(catalog, plan.effect.affected),
        plan_id=plan.plan_id,
        target=request.options.target,
        commits=len(plan.commits),
        files=rewind_plan.count_files(plan),
        preserve=plan.preserve,
        undone=tuple(point.name for point in plan.effect.undone),
        kept_by=reach.keepers(site.git, plan.target, plan.effect.kept[:LISTED], plan.others),
        still_on=commit_locations.still_on(workspace, plan.effect.undone[:LISTED]),
        not_covered=as_mapping(rest),
        now_visible=footprint.find_now_visible(
            plan.found, point.tree, plan.footprint, plan.untracked.removed
        ),
        not_told=filters.sort_files(plan.found.not_told),
        was_active=task_activity.task_of(active),
        now_active=task_activity.task_of(after),
        blocked_by=tuple(error.envelope() for error in _objections(workspace, site, request, plan)),
        removed_untracked=plan.untracked.removed[:LISTED],
        removed_untracked_count=len(plan.untracked.removed),
    )


def _rewind(workspace: Workspace, site: Site, request: Request, plan: RewindPlan) -> Result:
    point, active = plan.target, active_task.read(site.places)
    change = _state_change(workspace, request.options, plan, active)
    clone = name_clone(site.places.common, workspace.new_nonce)

    def build(tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        _require_same(tip, plan)
        moved = movement(change, old, kept, backup)
        content = Rewound(point.task_id, request.options.target, request.override_reason or "", clone, moved)
        subject = f"rewind: to {content.target} (undoes {', '.join(plan.effect.affected) or 'no task'})"
        event = workspace.event_of(content, subject, verb_name="rewind")
        record = _record(content, site.places.worktree_id, plan, kept)
        return Draft(event, ((f"rewinds/{change.op_id}.yaml", record),))

    result = carry_out(site, change, active, build)
    return Result(
        rewound_to=request.options.target,
        reset_commit=point.commit,
        cleared_tasks=len(plan.effect.affected),
        tree=point.tree,
        rewind_id=change.op_id,
        preserved_as={"type": result.kept.type, "reference": result.kept.reference},
        affected_tasks=plan.effect.affected,
        kept_by=reach.keepers(site.git, plan.target, plan.effect.kept[:LISTED], plan.others),
        still_on=commit_locations.still_on(workspace, plan.effect.undone[:LISTED]),
        not_exact=result.moved.not_exact,
        files=result.moved.files,
        edited=result.moved.edited,
        backup=f"refs/devs/backup/{change.op_id}",
        was_active=task_activity.task_of(active),
        now_active=task_activity.task_of(change.new.active),
        removed_untracked=plan.untracked.removed[:LISTED],
        removed_untracked_count=len(plan.untracked.removed),
    )


def _state_change(workspace: Workspace, options: Options, plan: RewindPlan, active: str) -> StateChange:
    point = plan.target
    after = task_activity.after_rewind(workspace.ledger.tip().here, plan.effect, active)
    return StateChange(
        op_id=workspace.new_id("rewind"),
        verb="rewind",
        subject=f"rewind: to {options.target}",
        found=plan.found,
        footprint=plan.footprint,
        new=State(point.commit, plan.found.branch, point.tree, point.tree, active=after),
        effect=plan.effect,
        saved=plan.untracked.saved,
        marks=plan.untracked.marks,
        mode=plan.preserve,
        name=options.branch_name,
        limit=lambda: workspace.policy.backup_limit,
    )


def _require_same(tip: Tip, plan: RewindPlan) -> None:
    """PLAN_STALE if another worktree undid one of the checkpoints meanwhile."""
    points = tip.here.checkpoints
    if any(not points[point.tag].live for point in plan.effect.undone):
        raise DevsError(
            "PLAN_STALE", "The checkpoints changed during the rewind.", hint="See them: devs-git log"
        )


def _record(content: Rewound, worktree: str, plan: RewindPlan, kept: Preserved) -> bytes:
    """The file `rewinds/<op_id>.yaml` of the ledger: the facts of the event, for people."""
    moved = content.movement
    facts = {
        "rewind_id": moved.op_id,
        "target": content.target,
        "branch": moved.branch,
        "worktree": worktree,
        "from_commit": moved.before,
        "to_commit": moved.after,
        "backup": f"refs/devs/backup/{moved.op_id}",
        "preserve": plan.preserve,
        "preserved_as": kept.reference,
        "undone": [point.name for point in plan.effect.undone],
        "tasks": list(plan.effect.affected),
    }
    return yaml_documents.dump(facts | ({"reason": content.reason} if content.reason else {}), "rewind")
