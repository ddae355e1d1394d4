"""`rewind`: go back to a checkpoint, a moment or a snapshot without losing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.checkpoints import branch_names, targets
from devs_git.domain.checkpoints.plan_id import Options, read_plan_id, require_agreement
from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.text.plain_text import check_text
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.rewind import destinations, go_back
from devs_git.storage.worktree import move_tree
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@3` or a checkpoint's oid; `moment:…`; `snapshot/…`; or a `plan_id`, which contains target
    and options.

    `override_reason` lets a person at a terminal rewind while a gate is open; the gate stays open.
    `preserve`: branch, stash, discard or None. `untracked`: `save` moves untracked files that are in the way into the
    backup, `remove` all untracked files that git does not ignore. `force`: although another session is at work here.
    """

    target: str = ""
    preserve: str | None = None
    branch_name: str | None = None
    untracked: str | None = None
    plan_id: str | None = None
    dry_run: bool = False
    override_reason: str | None = None
    at_terminal: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        if not self.target and not self.plan_id:
            raise invalid(
                "target",
                "The target is missing.",
                hint="For example: devs-git rewind task-10. List the checkpoints: devs-git log",
            )
        require_untracked_mode(self.untracked)
        if self.branch_name and preserve_mode(self.preserve) not in (None, "branch"):
            raise invalid(
                "branch_name", "A branch name needs --preserve branch.", hint="Remove one of the two."
            )
        if self.override_reason is not None:
            check_text("override_reason", self.override_reason, least=1, most=2000)
        targets.parse(self.options.target)
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
            own = replace(own, target=targets.parse(self.target))
        if not self.plan_id:
            return own
        planned = read_plan_id(self.plan_id)
        if self.target and not targets.may_agree(own.target, planned.target):
            raise invalid(
                "plan_id",
                f"The plan is for {planned.target}, not for {own.target}.",
                hint="Give only one of them.",
            )
        require_agreement(own, planned)
        return planned


Plan = go_back.Plan
Result = go_back.Result


def find(workspace: Workspace, request: Request) -> Checkpoint | Moment:
    """The checkpoint or the moment that the request names."""
    return destinations.find(workspace, request.options.target)


def run(workspace: Workspace, request: Request) -> Plan | Result:
    """Rewind, or with `dry_run` say what a rewind would do; GIT_RESET_FAILED, PLAN_STALE, BUSY and `resolve`'s codes.

    TASK_RUNNING if another session is at work in this worktree.
    """
    at_work = _at_work(workspace, request)
    with move_tree.translate_failures("GIT_RESET_FAILED"):
        if request.dry_run:
            plan = go_back.preview(workspace, request)
            return replace(plan, blocked_by=(*plan.blocked_by, *(error.envelope() for error in at_work)))
        with move_tree.worktree_lock(workspace.site, alone=True) as site:
            moves = go_back.make_plan(workspace, site, request)
            for error in at_work:
                raise error
            result = go_back.rewind(workspace, site, request, moves)
    go_back.note_what_is_back(workspace, result)
    return result


def _at_work(workspace: Workspace, request: Request) -> list[DevsError]:
    """TASK_RUNNING if another session is at work here. The module is imported only where a client has worked."""
    if request.force or not (workspace.places.own / "turns").is_dir():
        return []
    from devs_git.operations.sessions import running_sessions

    return running_sessions.in_worktree(workspace, workspace.places)
