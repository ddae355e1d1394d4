"""The plan of a drop: which commits and checkpoints it takes back, and why it is refused. It writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devs_git.domain.checkpoints import rewind_selection
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.checkpoints.task_commits import TaskCommit
from devs_git.domain.ledger.history import History
from devs_git.errors import DevsError, immovable
from devs_git.operations.gates import check_tas_lock
from devs_git.operations.rewind import refusals, reverted_tree
from devs_git.storage.git import object_folders, refs
from devs_git.storage.git.program import OTHER_OBJECTS, OWN_OBJECTS, Git
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.worktree import footprint, survey
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey
from devs_git.values import immutable, replace


@immutable
class DropPlan:
    """`commits` are those of the task on HEAD, newest first. `title` is the task's."""

    task_id: str
    title: str
    commits: tuple[TaskCommit, ...]
    effect: Effect
    found: Survey


@immutable
class Preview:
    """What a new commit would change, and why it is refused. `files`: the paths that are added, modified and deleted."""

    files: dict[str, tuple[str, ...]]
    refusals: tuple[DevsError, ...]


def make_plan(site: Site, task_id: str) -> DropPlan:
    """The plan; TASK_NOT_FOUND, NO_CHECKPOINT if HEAD has no commit of the task, TASK_ACTIVE, CONFLICT."""
    history = site.ledger.require().here
    task = history.tasks.get(task_id)
    if task is None:
        from devs_git.domain.ledger import resolve

        raise resolve.task_not_found(history.tasks, task_id)
    if task.status == "active" and task.worktree != site.places.worktree_id:
        raise DevsError(
            "TASK_ACTIVE",
            f"The worktree {task.worktree} works on {task_id}.",
            hint="Complete it there first: devs-git task complete",
            task_id=task_id,
        )
    found = survey.take(site.git, site.top)
    survey.require_commit(found)
    drops = {point.drop for point in history.of_task(task_id) if point.drop}
    commits = reverted_tree.find_commits(site.git, found.head, task_id, drops)
    if not commits:
        raise _nothing_to_drop(task_id, "HEAD has no commit of it")
    _require_whole(site, task.started_on, commits)
    return DropPlan(task_id, task.title, commits, _effect(site.git, history, task_id, found.head), found)


def _require_whole(site: Site, start: str, commits: Sequence[TaskCommit]) -> None:
    """GIT_RESET_FAILED if this clone is shallow and lacks a part of the task, or what was before one of its commits."""
    cut = refs.cut_commits(site.places.common)
    if cut and (any(one.oid in cut for one in commits) or (start and not refs.commit_of(site.git, start))):
        text = "This clone is shallow: what was before the task's commits is not here."
        raise immovable("missing_objects", text, hint="Fetch the rest: git fetch --unshallow")


def _effect(git: Git, history: History, task_id: str, head: str) -> Effect:
    """Its checkpoints that HEAD has are no longer live. Those that only another branch has stay."""
    live = [point for point in history.of_task(task_id) if point.live]
    here = lines_of_work.tags_reached(git, live, [head])
    undone = tuple(point for point in live if point.tag in here)
    return Effect(
        undone=undone,
        statuses=((task_id, "dropped"),),
        affected=(task_id,),
        visible=rewind_selection.visible_changes(history, undone, ()),
    )


def write_tree(site: Site, git: Git, plan: DropPlan) -> str:
    """The tree of the new commit, whose objects `git` writes. CONFLICT, TAS_UNAPPROVED, NO_CHECKPOINT if nothing changes."""
    before = git.text("rev-parse", f"{plan.found.head}^{{tree}}")
    tree = reverted_tree.write(git, before, plan.commits, plan.task_id)
    if tree == before:
        raise _nothing_to_drop(plan.task_id, "what it changed is not in HEAD any more")
    check_tas_lock.check_tree(git, site.ledger.require(), plan.found.head, tree)
    return tree


def preview(site: Site, plan: DropPlan) -> Preview:
    """What the drop would change. All objects are written into a temporary folder."""
    return preview_commit(site, plan.found, lambda git: write_tree(site, git, plan))


def preview_commit(site: Site, found: Survey, write: Callable[[Git], str]) -> Preview:
    """What a new commit on HEAD would change. `write` makes its tree with a git that writes into a temporary folder."""
    against = survey.reasons_against_moving(site.places, found)
    with object_folders.temporary(site.git, site.places.common / "objects") as git:
        try:
            tree = write(git)
        except DevsError as error:
            return Preview({"added": (), "modified": (), "deleted": ()}, (*against, error))
        files = reverted_tree.changed_files(git, found.head, tree)
        moved = footprint.compute(replace(found, git=_same_objects(found.git, git)), site.top, tree)
    touched = {path for paths in files.values() for path in paths}
    changed = sorted(touched & {*found.staged, *found.dirty, *found.intended, *moved.hidden})
    if changed:
        against.append(_local_changes(changed))
    return Preview(files, (*against, *refusals.of_obstacles(moved, (), None)))


def _same_objects(git: Git, other: Git) -> Git:
    names = (OWN_OBJECTS, OTHER_OBJECTS)
    return git.with_env(**{name: other.env[name] for name in names})


def _local_changes(paths: list[str]) -> DevsError:
    return immovable(
        "dirty",
        f"This would change files with local changes, such as {paths[0]!r} ({len(paths)} in all).",
        hint="Commit or stash them first.",
        paths=paths[:100],
    )


def _nothing_to_drop(task_id: str, why: str) -> DevsError:
    return DevsError(
        "NO_CHECKPOINT",
        f"There is nothing to drop of {task_id}: {why}.",
        hint=f"See its checkpoints: devs-git log --task {task_id}",
        task_id=task_id,
    )
