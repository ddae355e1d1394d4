"""Make the worktree of a fork: its branch, and the state of its point with its uncommitted and untracked files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.operations.fork import half_made_fork
from devs_git.operations.fork.fork_point import ForkPoint
from devs_git.operations.fork.half_made_fork import HalfMadeFork
from devs_git.operations.moments.restore_worktree import Position, fill, new_worktree, require_commit
from devs_git.storage.ledger.lines_of_work import HEADS
from devs_git.storage.moments import read_moments
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class NewWorktree:
    """What to make. `branch` is the short name of the new branch, '' for a detached HEAD."""

    op_id: str
    point: ForkPoint
    place: Path
    branch: str


def default_place(workspace: Workspace, task_id: str) -> Path:
    """The folder beside the repository's main worktree: `repo-task-10b` beside `repo`."""
    places = workspace.places
    top = places.common.parent if places.common.name == ".git" else workspace.top
    return top.with_name(f"{top.name}-{task_id}")


def require_free(place: Path) -> None:
    """CONFLICT if something is in this folder."""
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        hint = "Choose another folder: --worktree DIR"
        raise DevsError("CONFLICT", f"{place.name} exists already, and is not an empty folder.", hint=hint)


def make(workspace: Workspace, new: NewWorktree, record: Callable[[Workspace], None]) -> tuple[str, ...]:
    """Make it, and let `record` write the fork's event in it: then it stays. Returns what the state does not have.

    If a step fails or is interrupted, worktree and branch are removed again. GIT_RESET_FAILED, CONFLICT.
    """
    made = f"{HEADS}{new.branch}" if new.branch else ""
    _require_commit(workspace, new.point)
    with half_made_fork.note(workspace, new.op_id, HalfMadeFork(new.place, made, new.point.commit)) as lock:
        git = workspace.with_identity(workspace.git).with_descriptors(lock)
        whole = new.point.moment is None
        position = Position(new.branch, made=bool(made), files=whole)
        with new_worktree(workspace, git, new.place, new.point.commit, position) as site:
            left_out = () if whole else _fill(workspace, site, new.point)
            # Not the caller's: its cached values are those of the other worktree.
            record(replace(workspace, places=site.places).start(workspace.started))
    return left_out


def _require_commit(workspace: Workspace, point: ForkPoint) -> None:
    if point.moment is None:
        return
    state, _details = read_moments.load(workspace.objects, point.moment.id)
    require_commit(workspace, state, point.moment)


def _fill(workspace: Workspace, site: Site, point: ForkPoint) -> tuple[str, ...]:
    """Write the files and the index of a moment; returns what it does not have."""
    assert point.moment
    state, details = read_moments.load(workspace.objects, point.moment.id)
    fill(site, state, details.ignored)
    under_way = details.under_way or ("a merge or rebase" if details.unmerged else "")
    said = (f"git's unfinished operation: {under_way}",) if under_way else ()
    return (*details.left_out, *said)
