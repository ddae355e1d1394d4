"""The plan of a rewind to a moment: what it would do, and why it is refused. Nothing is moved.

No ancestry is asked for. Checkpoints whose commits no branch has afterwards are undone, as in a rewind. Checkpoints that were
live then, and whose commits are on the branch again, become live again, as in an undo.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from devs_git.domain.checkpoints import moment_effect, rewind_selection, task_activity
from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.history import History, fold
from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Details, Moment
from devs_git.errors import DevsError, immovable
from devs_git.operations.moments import lost_refs, moment_files
from devs_git.operations.rewind import reach, refusals, rewind_plan
from devs_git.operations.rewind.rewind_plan import Destination, RewindPlan
from devs_git.storage.git import refs
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.ledger.clone_history import Standpoint, clone_of
from devs_git.storage.moments import moment_store, read_moments
from devs_git.storage.worktree import active_task, survey
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey
from devs_git.values import replace


def plan_only(site: Site, options: Options, moment: Moment) -> RewindPlan:
    """The plan of a dry run: it reads the objects where they are."""
    loaded = read_moments.look_up(site.objects, moment.id)
    git = moment_store.with_objects(site.git, site.places.common)
    reading = replace(site, git=git, objects=moment_store.objects_of(site.objects))
    return _plan(reading, options, moment, loaded)


def make_plan(site: Site, options: Options, moment: Moment) -> RewindPlan:
    """The plan for the current state; GIT_RESET_FAILED if the moment has no commit, MOMENT_NOT_FOUND, HISTORY_REWRITTEN.

    The moment's objects are in the user's store then, so the plan can be carried out.
    """
    return _plan(site, options, moment, read_moments.load(site.objects, moment.id))


def _plan(site: Site, options: Options, moment: Moment, loaded: tuple[State, Details]) -> RewindPlan:
    state, details = loaded
    name = f"moment:{moment.id}"
    with (
        survey.begin(site.git, site.top) as finish_survey,
        refs.list_refs_alongside(site.git, lines_of_work.HEADS, lines_of_work.FOLDER) as listed,
    ):
        site.ledger.require()
        found = finish_survey()
        held = listed()
    _require_commit(site, found, state, moment)
    files = moment_files.compare(site, found, state, details, options.untracked)
    reached = reach.commits_since(site.git, found.head, state.head).commits
    branches = {ref: oid for ref, oid in held.items() if ref.startswith(lines_of_work.HEADS)}
    now, before = _histories(site, details.created_at)
    rewind_plan.require_checkpoints_in_place(site, now, held, reached)
    others = reach.other_tips(site.git, found.branch, now, branches, reached)
    lost = reach.commits_only_here(site.git, found.head, state.head, others) if others else reached
    effect = _effect(site, (now, before), (found.branch, state.head), lost, reached)
    active = active_task.read(site.places)
    against = (
        *survey.reasons_against_moving(site.places, found),
        *_refusals_of_moment(moment, details),
        *_refusals_of_branch(site, found, state, branches),
        *rewind_selection.refuse_reused_tasks(now, before, effect.revived),
        *refusals.of_changes(found, files.footprint, options.preserve, state),
        *refusals.of_obstacles(files.footprint, files.untracked.saved, options.untracked),
        *refusals.of_objects(found, files.footprint, state.head),
    )
    digest = rewind_plan.digest(found, files.footprint, effect, moment.id, files.untracked)
    after = task_activity.after_moment(now, effect, state.active, active)
    return RewindPlan(
        target=Destination(name, state.head, state.worktree),
        state=replace(files.state, active=after),
        found=found,
        footprint=files.footprint,
        effect=effect,
        commits=reached,
        refusals=against,
        preserve=options.preserve or "branch",
        plan_id=replace(options, target=name).text(digest),
        others=others,
        untracked=files.untracked,
        active=active,
        moment=files,
        refs=lost_refs.find_lost(site, details, branches),
        moved=lost_refs.find_moved(site, details, branches, state.branch),
    )


def _require_commit(site: Site, found: Survey, state: State, moment: Moment) -> None:
    """GIT_RESET_FAILED if there was no commit yet and there is one now, or if the moment's commit is gone."""
    way_out = f"Bring its files back: devs-git restore {names.short_name(moment.id)}"
    if not state.head:
        if found.head:
            raise immovable("no_commit", "The moment was made before the first commit.", hint=way_out)
        return
    survey.require_commit(found)
    if not site.objects.exists(state.head):
        text = f"The moment's commit {state.head[:12]} no longer exists."
        raise immovable("missing_objects", text, hint=way_out)


def _histories(site: Site, created_at: str) -> tuple[History, History]:
    """The ledger as this clone sees it, now and at the time of the moment."""
    clone = clone_of(site.places.common)
    events = site.ledger.events(oldest_first=True)
    before = fold(event for event in events if event.finished <= created_at)
    return clone_view.own_view(site.ledger.tip().history, clone), clone_view.own_view(before, clone)


def _effect(
    site: Site,
    histories: tuple[History, History],
    position: tuple[str, str],
    lost: frozenset[str],
    passed: frozenset[str],
) -> Effect:
    """The effect on checkpoints. `position`: the branch, and its commit afterwards."""
    (now, before), (branch, commit) = histories, position
    known = {event.oid for event in before.operations}
    operations = rewind_selection.operations_of_branch(now, site.places.worktree_id, branch)
    risen = {tag for event in operations if event.oid not in known for tag in event.revived}
    asked = moment_effect.forgotten_since(now, before)
    on_head = lines_of_work.tags_reached(site.git, asked, [commit])
    way = moment_effect.Passage(lost, passed, risen, on_head)
    effect = moment_effect.effect_of_moment(now, before, way)
    turns = Standpoint.here(site.git, site.places.common).live_changes(
        site.ledger.tip().history, effect, {branch: commit} if branch else {}
    )
    return rewind_selection.restore_statuses(
        effect, now, before, [point for points in turns for point in points]
    )


def _refusals_of_moment(moment: Moment, details: Details) -> Iterator[DevsError]:
    """A moment of a half-done merge or rebase is not gone to: git's own record of that operation is not in it."""
    hint = f"Bring its files back: devs-git restore {names.short_name(moment.id)} -- PATH"
    if details.under_way:
        text = f"The moment was made during {details.under_way}, which cannot be continued from it."
        yield immovable("operation_under_way", text, hint=hint)
    elif details.unmerged:
        yield immovable("unmerged", "The index of the moment has unmerged entries.", hint=hint)


def _refusals_of_branch(
    site: Site, found: Survey, state: State, branches: Mapping[str, str]
) -> Iterator[DevsError]:
    """The moment's branch is not the one that is checked out."""
    if found.branch == state.branch:
        return
    name = state.branch.removeprefix(lines_of_work.HEADS)
    if not name:
        yield immovable(
            "other_branch",
            "The moment was made with a detached HEAD.",
            hint="Detach HEAD first: git switch --detach",
        )
        return
    text = f"The moment is of the branch {name}, which is not checked out here."
    place = refs.holder_of(site.git, state.branch)
    if place:
        hint = f"It is checked out in {place}: run the command there. Or bring the files back with devs-git restore."
    elif state.branch in branches:
        hint = f"Switch to it first: git switch {name}"
    else:
        hint = f"The branch is gone. Make it again first: git switch -c {name} {state.head[:12]}"
    yield immovable("other_branch", text, hint=hint)
