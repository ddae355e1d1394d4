"""The two states that `diff` compares: what each name stands for, and with what a state is compared if nobody says it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from devs_git.domain.checkpoints.previous import candidates
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.ledger.resolve import newest, resolve
from devs_git.domain.moments import names
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.storage.git import refs
from devs_git.storage.git.comparisons.differences import ancestors, parents
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Tip

WORKING_TREE: Final = "the working tree"


@immutable
class Side:
    """One side of a comparison: its name for people, and its commit or tree ('' for the working tree).

    `left_out`: the untracked files that a moment does not have.
    """

    name: str
    commit: str
    is_moment: bool = False
    left_out: tuple[str, ...] = ()


def find(workspace: Workspace, git: Git, text: str, field: str, *, is_turn: bool = False) -> Side:
    """The moment, snapshot or checkpoint with this name, else the commit that git knows by it (a branch, a tag, an oid).

    `is_turn`: `moment:-1` is the state before the last turn, and not one from within it. The errors are those of a
    checkpoint or a moment.
    """
    if text.startswith(names.PREFIX):
        return _moment(workspace, text, field, is_turn=is_turn)
    try:
        if names.is_name(text):
            return _moment(workspace, text, field)
        target = ids.parse_target(text, field=field)
        point, _ = named_checkpoint.look_up(workspace.store_git, workspace.ledger.tip(), target)
    except DevsError:
        commit = refs.commit_of(git, text)
        if not commit:
            raise
        return Side(text, commit)
    return Side(point.name, point.commit)


def checkpoint(workspace: Workspace, git: Git, text: str) -> Checkpoint | Task | None:
    """The checkpoint that a target names, or the task in work, which has none; None if it names another state, or nothing.

    TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, NO_CHECKPOINT.
    """
    if not text or names.is_name(text):
        return None
    from devs_git.storage.ledger.index import listing  # most paths that import this module compare nothing

    tip = workspace.ledger.require()
    try:
        target = ids.parse_target(text)
        if target.number == 0:
            return None
        with suppress(DevsError):
            return resolve(listing.of_target(tip, target), target)
        return resolve(tip.here, target)
    except DevsError as error:
        if error.code == "NO_CHECKPOINT" and tip.here.tasks[error.details["task_id"]].status == "active":
            return tip.here.tasks[error.details["task_id"]]
        if error.code == "NO_CHECKPOINT" or not refs.commit_of(git, text):
            raise
    return None


def before(workspace: Workspace, git: Git, target: ids.Target, point: Checkpoint) -> Side:
    """With what a checkpoint is compared. By the name of its task it stands for all that the task did."""
    from devs_git.storage.ledger.index import listing

    tip = workspace.ledger.require()
    if target.number is None and not target.oid and target.task == point.task_id:
        return begin(workspace, git, listing.of_tasks(tip, point.task_id), point)
    return _previous(git, tip, point)


def begin(workspace: Workspace, git: Git, history: History, point: Checkpoint) -> Side:
    """Where the task of a checkpoint began.

    Its work may be on a branch that does not have this commit, because somebody switched or rebased. Then it is the
    parent of its first commit on this branch.
    """
    known = _begin_on(workspace, git, history, point.task_id, point.commit)
    return known or _parent(git, point)


def so_far(workspace: Workspace, git: Git, task: Task) -> tuple[Side, Side]:
    """The two states that tell what a task in work changed.

    It is compared up to the working tree if it is the task of this worktree, else up to its newest checkpoint:
    NO_CHECKPOINT if it has none.
    """
    from devs_git.storage.worktree import active_task

    history = workspace.ledger.require().here
    if active_task.task_of(active_task.read(workspace.places)) == task.task_id:
        known = _begin_on(workspace, git, history, task.task_id, workspace.head)
        return known or Side("the empty tree", EMPTY_TREE), Side(WORKING_TREE, "")
    # Raises if there is no checkpoint at all.
    point = newest(history, task.task_id) or resolve(history, ids.parse_target(task.task_id))
    return begin(workspace, git, history, point), Side(point.name, point.commit)


def _begin_on(workspace: Workspace, git: Git, history: History, task_id: str, commit: str) -> Side | None:
    """Where a task began, as this commit has it ('' on a branch without one); None if nothing tells it."""
    if not commit:
        return None
    start = None
    # If it was started before the first commit, nothing is found.
    with suppress(DevsError):
        found = _task_begin(workspace, history, task_id)
        start = Side(found.name, found.commit)
        if git.says("merge-base", "--is-ancestor", start.commit, commit):
            return start
    own = [one for one in history.of_task(task_id) if not one.gone]
    first = next((one for one in own if _contains(git, commit, one)), None)
    return _parent(git, first) if first else start


def _contains(git: Git, commit: str, point: Checkpoint) -> bool:
    known = refs.commit_of(git, point.commit)
    return bool(known) and git.says("merge-base", "--is-ancestor", point.commit, commit)


def _previous(git: Git, tip: Tip, point: Checkpoint) -> Side:
    """The nearest earlier live checkpoint that this one descends from; else its parent; else the empty tree."""
    from devs_git.storage.ledger.index import listing

    for commits in ancestors(git, point.commit):
        tasks = listing.tasks_at(tip, commits)
        if tasks is None:
            history = tip.here
        elif tasks:
            history = listing.of_tasks(tip, point.task_id, *tasks)
        else:
            continue
        earlier = candidates(history, point)
        commit = next((commit for commit in commits if commit in earlier), "")
        if commit:
            return Side(earlier[commit].name, commit)
    return _parent(git, point)


def _parent(git: Git, point: Checkpoint) -> Side:
    above = parents(git, point.commit)
    return Side(f"{point.name}^", above[0]) if above else Side("the empty tree", EMPTY_TREE)


def _task_begin(workspace: Workspace, history: History, task_id: str) -> Checkpoint:
    from devs_git.operations.checkpoint import task_begin  # few ask for it

    return task_begin.find(workspace.store_git, history, task_id)


def _moment(workspace: Workspace, text: str, field: str, *, is_turn: bool = False) -> Side:
    """The files of a moment."""
    from devs_git.operations.moments import resolve_moment
    from devs_git.storage.moments import read_moments

    look_for = resolve_moment.begin_of_turn if is_turn else resolve_moment.resolve
    found = look_for(workspace, text, field=field)
    state, details = read_moments.look_up(workspace.objects, found.id)
    return Side(names.short_name(found.id), state.worktree, is_moment=True, left_out=details.left_out)
