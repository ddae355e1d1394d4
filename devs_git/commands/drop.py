"""`drop`: undo one task in the middle, and keep the later ones. A new commit takes back what its commits changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from devs_git.domain.checkpoints import task_activity
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.event_operations import Dropped, Movement
from devs_git.domain.ledger.events import Event, one_line
from devs_git.domain.text.plain_text import check_text
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import commit_locations
from devs_git.operations.rewind import commit_on_head, drop_plan, reverted_tree
from devs_git.operations.rewind.commit_on_head import REFUSAL, NewCommit
from devs_git.operations.rewind.drop_plan import DropPlan
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, journal, move_tree, survey
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

LISTED = 1000


@immutable
class Request(VerbRequest):
    """`override_reason` lets a person at a terminal drop a task while a gate is open; the gate stays open."""

    task_id: str
    dry_run: bool = False
    override_reason: str | None = None
    at_terminal: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        if self.override_reason is not None:
            check_text("override_reason", self.override_reason, least=1, most=2000)


@immutable
class Result(VerbResult):
    """What a drop did, or would do in a dry run (then `drop_id` and `commit` are '').

    `commit`: the new commit. `dropped`: the commits whose changes it takes back, newest first. `undone`: the checkpoints
    that are no longer live. `files`: the counts and, up to 1000 each, the paths that are added, modified and deleted.
    `still_on`: checkpoints that a branch of a remote still has. `edited`: files that somebody saved meanwhile.
    """

    task_id: str
    title: str
    drop_id: str
    commit: str
    branch: str
    dropped: tuple[str, ...]
    undone: tuple[str, ...]
    files: dict[str, Any]
    sqlite_tables_affected: tuple[str, ...] = ()
    still_on: dict[str, str] = field(default_factory=dict)
    not_exact: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    backup: str = ""
    was_active: str = ""
    now_active: str = ""
    blocked_by: tuple[dict[str, Any], ...] = ()


def find(workspace: Workspace, request: Request) -> DropPlan:
    """The commits of the task that the request names."""
    return drop_plan.make_plan(workspace.site, request.task_id)


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND, NO_CHECKPOINT, TASK_ACTIVE, CONFLICT{paths}, TAS_UNAPPROVED, GIT_RESET_FAILED, BUSY."""
    with move_tree.translate_failures(REFUSAL):
        return _preview(workspace, request) if request.dry_run else _drop(workspace, request)


def _preview(workspace: Workspace, request: Request) -> Result:
    site = workspace.site
    plan = drop_plan.make_plan(site, request.task_id)
    seen = drop_plan.preview(site, plan)
    errors = (*seen.refusals, *journal.interruption_errors(workspace.places))
    return replace(
        _result(workspace, plan, seen.files), blocked_by=tuple(error.envelope() for error in errors)
    )


def _drop(workspace: Workspace, request: Request) -> Result:
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        plan = drop_plan.make_plan(site, request.task_id)
        survey.require_movable(site.places, plan.found)
        op_id = workspace.new_id("drop", request.task_id)
        with journal.remove_leftovers_on_failure(site.places, op_id):
            folder = journal.make_folder(site.places, op_id)
            tree = drop_plan.write_tree(site, site.git, plan)
            planned = _result(workspace, plan, reverted_tree.changed_files(site.git, plan.found.head, tree))
            new = _new_commit(workspace, site, request, plan, (op_id, folder, tree))
            done = commit_on_head.commit(workspace, site, new)
    return replace(
        planned,
        drop_id=op_id,
        commit=done.commit,
        not_exact=done.moved.not_exact,
        edited=done.moved.edited,
        backup=f"refs/devs/backup/{op_id}",
    )


def _new_commit(
    workspace: Workspace, site: Site, request: Request, plan: DropPlan, job: tuple[str, Path, str]
) -> NewCommit:
    """The commit to make. `job`: the id of the operation, the folder of its journal, and the tree."""
    op_id, folder, tree = job
    clone, active = name_clone(site.places.common, workspace.new_nonce), active_task.read(site.places)
    subject = f"drop: {plan.task_id}"
    title = f" ({one_line(plan.title)})" if plan.title else ""
    listed = "".join(f"\n- {one.oid}" for one in plan.commits[:LISTED])

    def make_event(way: Movement) -> Event:
        content = Dropped(plan.task_id, request.override_reason or "", clone, way)
        return workspace.event_of(content, subject, verb_name="drop")

    return NewCommit(
        op_id=op_id,
        verb="drop",
        subject=subject,
        folder=folder,
        found=plan.found,
        tree=tree,
        message=f"Drop {plan.task_id}{title}\n\nThis takes back the changes of:\n{listed}",
        active=_active_after(plan, active),
        make_event=make_event,
        effect=plan.effect,
        trailers=f"{TrailerKey.DROP}: {op_id}\n",
        check=lambda tip: _require_same(tip, plan),
    )


def _active_after(plan: DropPlan, active: str) -> str:
    """The lines of the worktree's active task, '' if it is the one that is dropped."""
    return "" if task_activity.task_of(active) == plan.task_id else active


def _require_same(tip: Tip, plan: DropPlan) -> None:
    """PLAN_STALE if another worktree changed the checkpoints of the task meanwhile."""
    points = tip.here.checkpoints
    if any(not points[point.tag].live for point in plan.effect.undone):
        text = f"The checkpoints of {plan.task_id} changed during the drop."
        raise DevsError("PLAN_STALE", text, hint="See them: devs-git log")


def _result(workspace: Workspace, plan: DropPlan, files: dict[str, tuple[str, ...]]) -> Result:
    from devs_git.storage.catalog.rewound import ledger_marks

    active = active_task.read(workspace.places)
    return Result(
        task_id=plan.task_id,
        title=plan.title,
        drop_id="",
        commit="",
        branch=plan.found.branch.removeprefix("refs/heads/"),
        dropped=tuple(one.oid for one in plan.commits[:LISTED]),
        undone=tuple(point.name for point in plan.effect.undone),
        files={
            "count": sum(map(len, files.values())),
            **{f"{kind}_count": len(names) for kind, names in files.items()},
            **{kind: names[:LISTED] for kind, names in files.items()},
        },
        sqlite_tables_affected=ledger_marks.tables_with(
            workspace.places.shared / "catalog.db", plan.effect.affected
        ),
        still_on=commit_locations.still_on(workspace, plan.effect.undone[:LISTED]),
        was_active=task_activity.task_of(active),
        now_active=task_activity.task_of(_active_after(plan, active)),
    )
