"""The plan of a rewind: what it would do, and why it is refused. Both a dry run and a real run make it; it writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.checkpoints import return_path, rewind_selection, task_activity
from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import checkpoint_ref, parse_target
from devs_git.domain.moments import names
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.operations.rewind import reach, refusals, rewind_scope
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.worktree import active_task, footprint, survey, untracked_files
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.ref_changes import NO_CHANGES, RefChanges
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.untracked_files import Untracked
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.operations.moments.lost_refs import MovedBranch
    from devs_git.operations.moments.moment_files import MomentFiles

LISTED: Final = 1000


@immutable
class Destination:
    """Where a rewind goes: a checkpoint of `task_id`, or a moment ('')."""

    name: str
    commit: str
    tree: str
    task_id: str = ""

    @property
    def shown(self) -> str:
        """The name for people: of a moment's id only the first digits."""
        prefix = names.PREFIX
        return names.short_name(self.name.removeprefix(prefix)) if self.name.startswith(prefix) else self.name


@immutable
class RewindPlan:
    """What would move, what would be undone, and the reasons why the rewind is refused.

    `state` is the state that the rewind makes. `active`: the worktree's active task before, as trailer lines. `moment`: what
    a moment has besides tracked files. `refs`: the branches and stash entries that come back. `moved`: branches that are
    not where the moment has them, and stay. `tip`: the ledger's, when the plan was made; '' if unknown.
    """

    target: Destination
    state: State
    found: Survey
    footprint: Footprint
    effect: Effect
    commits: frozenset[str]
    refusals: tuple[DevsError, ...]
    preserve: str
    plan_id: str
    others: Mapping[str, str]
    untracked: Untracked
    active: str
    moment: MomentFiles | None = None
    refs: RefChanges = NO_CHANGES
    moved: tuple[MovedBranch, ...] = ()
    tip: str = ""

    def require_allowed(self) -> None:
        if self.refusals:
            raise self.refusals[0]


def _selection(target: str) -> Callable[..., Effect]:
    """The function that selects what is undone: with `task-10^` the task itself, too."""
    before = parse_target(target).before
    return rewind_selection.effect_before if before else rewind_selection.effect_of_rewind


def make_plan(site: Site, options: Options) -> RewindPlan:
    """The plan for the current state; NOT_INITIALIZED, HISTORY_REWRITTEN, and the codes of `resolve`."""
    with (
        survey.begin(site.git, site.top) as finish_survey,
        rewind_scope.begin(site, options.target) as read,
    ):
        scope = read()
        target = named_checkpoint.find(site.ledger.reader, scope.history, options.target)
        options = replace(options, target=named_checkpoint.canonical(options.target, target))
        rewritten_commits.require(site.ledger.reader, target)
        found = finish_survey()
        survey.require_commit(found)
        plan = footprint.compute(found, site.top, target.tree)
        since = reach.commits_since(site.git, found.head, target.commit)
        passed = {target.commit, *since.commits}
        history = (scope := scope.for_commits(site, passed)).history
        if since.is_ancestor:
            require_checkpoints_in_place(site, history, scope.held, passed)
        else:
            rewritten_commits.require_followed(site.git, site.places.common, target)
        others = reach.other_tips(site.git, found.branch, history, scope.branches, since.commits)
    lost = reach.commits_only_here(site.git, found.head, target.commit, others) if others else since.commits
    effect = _selection(options.target)(history, target, lost, since.commits, site.places.worktree_id)
    untracked = untracked_files.choose(found, target.tree, plan, options.untracked)
    against = (
        *survey.reasons_against_moving(site.places, found),
        *refusals.of_ancestry(
            found, options.target, ancestor=since.is_ancestor, way_back=return_path.way_back(history, target)
        ),
        *refusals.of_changes(found, plan, options.preserve),
        *refusals.of_obstacles(plan, untracked.saved, options.untracked),
        *refusals.of_objects(found, plan, target.commit),
    )
    active = active_task.read(site.places)
    after = task_activity.after_rewind(history, effect, active)
    return RewindPlan(
        target=Destination(options.target, target.commit, target.tree, target.task_id),
        state=State(target.commit, found.branch, target.tree, target.tree, active=after),
        found=found,
        footprint=plan,
        effect=effect,
        commits=since.commits,
        refusals=against,
        preserve=options.preserve or "branch",
        plan_id=options.text(digest(found, plan, effect, target.tag or target.commit, untracked)),
        others=others,
        untracked=untracked,
        active=active,
        tip=scope.tip.oid,
    )


def count_files(plan: RewindPlan) -> dict[str, Any]:
    """The files that the plan adds, modifies and deletes: their counts, and at most 1000 names of each kind."""
    besides = (tuple(plan.moment.ignored), plan.moment.same) if plan.moment else ((), ())
    result = footprint.outcome(plan.found, plan.target.tree, plan.footprint, plan.untracked.saved, besides)
    return counts_of({"added": result.added, "modified": result.modified, "deleted": result.deleted})


def counts_of(kinds: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The counts of the paths, and at most 1000 names of each kind."""
    return {
        "count": sum(map(len, kinds.values())),
        **{f"{kind}_count": len(names) for kind, names in kinds.items()},
        **{kind: tuple(names[:LISTED]) for kind, names in kinds.items()},
    }


def require_checkpoints_in_place(
    site: Site, history: History, held: Mapping[str, str], passed: Collection[str]
) -> None:
    """HISTORY_REWRITTEN if one of the commits `passed` replaces the commit of a live checkpoint: a rewind past it would not
    undo that checkpoint.

    A program that rewrites history makes the numbered ref name the new commit instead of the tag; `held`: refs and values.
    """
    apart = [point for point in history.live() if not point.gone and point.commit not in passed]
    if not (apart and passed):
        return
    moved = [point for point in apart if held.get(checkpoint_ref(point.task_id, point.number)) in passed]
    if moved:
        rewritten_commits.require(site.ledger.reader, *moved)
    rewritten_commits.require_followed(site.git, site.places.common, *apart, among=passed)


def digest(found: Survey, plan: Footprint, effect: Effect, target: str, untracked: Untracked) -> str:
    """A digest of HEAD, branch, index, working tree, obstacles and checkpoints, but not of the ledger's tip.

    `target` is the oid of a checkpoint's tag, of the commit where a task began, or of a moment.
    """
    undone = sorted(point.tag for point in effect.undone)
    parts = [found.digest, target, *undone, "/", *plan.obstacles.files, "/", *plan.hidden]
    parts += ["/", *untracked.digest_input] if untracked.marks else []
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
