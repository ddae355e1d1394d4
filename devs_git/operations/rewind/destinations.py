"""Where a rewind can go: to a checkpoint, or to a moment. A snapshot is a moment with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.moments import names
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.operations.rewind import rewind_plan
from devs_git.operations.rewind.return_to_state import StateChange
from devs_git.operations.rewind.rewind_plan import RewindPlan
from devs_git.storage.worktree import journal
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import as_mapping, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment


class RewindRequest(Protocol):
    """What the request of a rewind says of its destination. `target` is what a person typed, '' for a plan's id alone."""

    @property
    def target(self) -> str: ...
    @property
    def options(self) -> Options: ...
    @property
    def dry_run(self) -> bool: ...
    @property
    def plan_id(self) -> str | None: ...
    @property
    def override_reason(self) -> str | None: ...


def find(workspace: Workspace, target: str) -> Checkpoint | Moment:
    """The checkpoint or the moment that a canonical target names."""
    if not names.is_name(target):
        return named_checkpoint.confirm(workspace.store_git, workspace.ledger.require(), target)
    return _moment(workspace, target)


def _moment(workspace: Workspace, target: str) -> Moment:
    # A rewind to a checkpoint does not need it.
    from devs_git.operations.moments import resolve_moment

    return resolve_moment.resolve(workspace, target)


def make_plan(workspace: Workspace, site: Site, request: RewindRequest) -> RewindPlan:
    """The plan for the request. The plan of a dry run writes no object, either, so nobody can carry it out."""
    options = request.options
    if not names.is_name(options.target):
        return rewind_plan.make_plan(site, options)
    from devs_git.operations.moments import moment_plan

    moment = _moment(workspace, request.target or options.target)
    make = moment_plan.plan_only if request.dry_run else moment_plan.make_plan
    return make(site, options, moment)


def with_ignored_files(site: Site, change: StateChange, plan: RewindPlan) -> StateChange:
    """The change with the ignored files of a moment, too, of which a tree is written now."""
    if plan.moment is None:
        return change
    from devs_git.operations.moments import moment_files

    with journal.remove_leftovers_on_failure(site.places, change.op_id):
        new = moment_files.complete(site, journal.make_folder(site.places, change.op_id), plan.moment)
    return replace(change, new=replace(new, active=plan.state.active))


def what_comes_back(plan: RewindPlan) -> dict[str, Any]:
    """Checkpoints, branches and stash entries that come back, and branches that stay elsewhere, as results have them."""
    return {
        "revived": tuple(point.name for point in plan.effect.revived),
        "made_branches": tuple(ref.removeprefix("refs/heads/") for ref in plan.refs.made),
        "made_stashes": plan.refs.stashed,
        "moved_branches": tuple(as_mapping(one) for one in plan.moved),
    }
