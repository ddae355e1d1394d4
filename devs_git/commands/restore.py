"""`restore`: bring files of a checkpoint or snapshot back to the current branch, as a new commit.

Files of a moment come into the working tree without a commit.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devs_git.domain.checkpoints import targets
from devs_git.domain.ledger.event_operations import Restored
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.moments import names
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import invalid
from devs_git.operations.checkpoint import named_checkpoint, snapshots
from devs_git.operations.gates import check_tas_lock
from devs_git.operations.rewind import commit_on_head, restored_tree
from devs_git.operations.rewind.commit_on_head import REFUSAL, NewCommit
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.worktree import active_task, journal, move_tree, survey
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment
    from devs_git.storage.ledger.store import Tip


@immutable
class Request(VerbRequest):
    """`target`: a checkpoint, a snapshot's branch or a moment. `paths`: relative to `folder` or to the root; () for all files.

    `dry_run`: only say what would happen. `worktree`: make a linked worktree in this folder, in the moment's state, and change nothing here.
    """

    target: str
    paths: tuple[str, ...] = ()
    folder: str = ""
    worktree: str | None = None
    dry_run: bool = False

    def __post_init__(self) -> None:
        if self.worktree is not None:
            self._check_worktree()
        object.__setattr__(self, "target", targets.parse(self.target))
        if any(not path or "\0" in path for path in self.paths):
            raise invalid("paths", "A path is empty or contains a NUL character.")

    def _check_worktree(self) -> None:
        """INVALID_ARGUMENTS if there cannot be such a worktree."""
        if not self.worktree or "\0" in self.worktree:
            raise invalid("worktree", "The folder of the worktree is empty or contains a NUL character.")
        if not names.is_name(self.target):
            hint = "For a checkpoint: git worktree add DIR devs/task-10"
            raise invalid("worktree", "A worktree is made of a moment or a snapshot.", hint=hint)
        if self.dry_run:
            raise invalid("dry_run", "A new worktree changes nothing that is here, so it has no dry run.")
        if self.paths:
            raise invalid("paths", "A worktree gets all files of the moment.", hint="Leave the paths away.")


@immutable
class Result(VerbResult):
    """`commit` is HEAD afterwards: the new commit, or the old one for a moment, and if no file had to change (`files` is 0).

    `left_out`: what the moment does not have: nested repositories, and files that were too large. `worktree`: the folder of
    the worktree that was made, '' for none; if its HEAD is detached, `detached` says why. `under_way`: git's operation of
    then, which git does not know any more. Of a dry run, `changes` has the files, with counts and at most 1000 names of each
    kind; `commit` is HEAD as it is, and `restore_id` is ''.
    """

    restored_from: str
    commit: str
    branch: str
    restore_id: str
    files: int
    paths: tuple[str, ...]
    not_exact: tuple[str, ...]
    edited: tuple[str, ...]
    backup: str
    left_out: tuple[str, ...] = ()
    worktree: str = ""
    detached: str = ""
    under_way: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    blocked_by: tuple[dict[str, Any], ...] = ()


def find(workspace: Workspace, request: Request) -> str:
    """The commit or the moment whose files come back."""
    if request.target.startswith(names.PREFIX) or request.worktree is not None:
        return _moment(workspace, request).id
    if request.target.startswith(names.SNAPSHOT):
        return snapshots.commit_of(workspace.git, request.target)
    return _point(workspace, workspace.ledger.require(), request).commit


def _moment(workspace: Workspace, request: Request) -> Moment:
    # Late: a restore from a checkpoint does not need it.
    from devs_git.operations.moments import resolve_moment

    return resolve_moment.resolve(workspace, request.target)


def _point(workspace: Workspace, tip: Tip, request: Request) -> Checkpoint:
    return named_checkpoint.confirm(workspace.store_git, tip, request.target)


def _source(workspace: Workspace, tip: Tip, request: Request) -> str:
    """The commit of a snapshot, or of a checkpoint, which must be as recorded: HISTORY_REWRITTEN."""
    if request.target.startswith(names.SNAPSHOT):
        return snapshots.commit_of(workspace.git, request.target)
    point = _point(workspace, tip, request)
    rewritten_commits.require(tip.ledger.reader, point)
    return point.commit


def _canonical(workspace: Workspace, tip: Tip, request: Request) -> Request:
    """The request with the name of the checkpoint as the ledger has it."""
    if names.is_name(request.target):
        return request
    point = _point(workspace, tip, request)
    return replace(request, target=named_checkpoint.canonical(request.target, point))


def run(workspace: Workspace, request: Request) -> Result:
    """GIT_RESET_FAILED if it would overwrite tracked changes or untracked files, HISTORY_REWRITTEN, MOMENT_NOT_FOUND.

    TAS_UNAPPROVED if the new commit would change the TAS in a way that nobody approved.
    """
    if request.worktree is not None:
        return _restore_worktree(workspace, request, request.worktree)
    if request.dry_run:
        with move_tree.translate_failures(REFUSAL):
            return _preview(workspace, request)
    with move_tree.translate_failures(REFUSAL), move_tree.worktree_lock(workspace.site) as site:
        tip = workspace.ledger.require()
        if request.target.startswith(names.PREFIX):
            return _restore_moment(workspace, site, request)
        source, request = _source(workspace, tip, request), _canonical(workspace, tip, request)
        found = survey.take(site.git, site.top)
        survey.require_movable(site.places, found)
        paths = restored_tree.below_top(site.top, request.folder, request.paths)
        op_id = workspace.new_id("restore", request.target)
        with journal.remove_leftovers_on_failure(site.places, op_id):
            folder = journal.make_folder(site.places, op_id)
            tree = restored_tree.write(site, found, source, paths)
            check_tas_lock.check_tree(site.git, tip, found.head, tree)
            return _restore(workspace, site, request, _Job(op_id, folder, found, tree, paths))


def _preview(workspace: Workspace, request: Request) -> Result:
    from devs_git.operations.rewind import restore_preview

    site, tip = workspace.site, workspace.ledger.require()
    paths = restored_tree.below_top(site.top, request.folder, request.paths)
    if request.target.startswith(names.PREFIX):
        seen = restore_preview.of_moment(site, _moment(workspace, request), paths)
    else:
        source, request = _source(workspace, tip, request), _canonical(workspace, tip, request)
        seen = restore_preview.of_commit(site, tip, source, paths)
    return Result(
        restored_from=request.target,
        commit=seen.found.head,
        branch=seen.found.branch.removeprefix("refs/heads/"),
        restore_id="",
        files=seen.changes["count"],
        paths=paths,
        not_exact=(),
        edited=(),
        backup="",
        changes=seen.changes,
        blocked_by=tuple(error.envelope() for error in seen.refusals),
    )


def _restore_moment(workspace: Workspace, site: Site, request: Request) -> Result:
    from devs_git.operations.moments import restore_files

    moment, paths = (
        _moment(workspace, request),
        restored_tree.below_top(site.top, request.folder, request.paths),
    )
    done = restore_files.restore_files(workspace, site, moment, paths)
    return Result(
        restored_from=f"{names.PREFIX}{moment.id}",
        commit=done.found.head,
        branch=done.found.branch.removeprefix("refs/heads/"),
        restore_id=done.op_id,
        files=done.moved.files if done.moved else 0,
        paths=paths,
        not_exact=done.moved.not_exact if done.moved else (),
        edited=done.moved.edited if done.moved else (),
        backup=f"refs/devs/backup/{done.op_id}" if done.op_id else "",
        left_out=done.left_out,
    )


def _restore_worktree(workspace: Workspace, request: Request, folder: str) -> Result:
    from devs_git.operations.moments import restore_worktree

    workspace.ledger.require()
    moment = _moment(workspace, request)
    place = Path(os.path.abspath(os.path.join(request.folder, folder)))  # noqa: PTH100, PTH118 - as it is named
    with move_tree.translate_failures(REFUSAL):
        made = restore_worktree.restore_worktree(workspace, moment, place)
    return Result(
        restored_from=f"{names.PREFIX}{moment.id}",
        commit=made.commit,
        branch=made.branch,
        restore_id="",
        files=made.files,
        paths=(),
        not_exact=(),
        edited=(),
        backup="",
        left_out=made.left_out,
        worktree=made.path,
        detached=made.detached,
        under_way=made.under_way,
    )


@immutable
class _Job:
    op_id: str
    folder: Path
    found: Survey
    tree: str
    paths: tuple[str, ...]


def _restore(workspace: Workspace, site: Site, request: Request, job: _Job) -> Result:
    found, op_id = job.found, job.op_id
    branch = found.branch.removeprefix("refs/heads/")
    if job.tree == site.git.text("rev-parse", "--verify", f"{found.head}^{{tree}}"):
        journal.drop_folder(site.places, op_id)
        return Result(request.target, found.head, branch, "", 0, job.paths, (), (), "")
    subject = f"restore: {request.target}{f' (paths named: {len(job.paths)})' if job.paths else ''}"
    new = NewCommit(
        op_id=op_id,
        verb="restore",
        subject=subject,
        folder=job.folder,
        found=found,
        tree=job.tree,
        message=f"Restore files of {request.target}",
        active=active_task.read(site.places),
        make_event=lambda way: workspace.event_of(
            Restored(request.target, way), subject, verb_name="restore"
        ),
    )
    done = commit_on_head.commit(workspace, site, new)
    return Result(
        request.target,
        done.commit,
        branch,
        op_id,
        done.moved.files,
        job.paths,
        done.moved.not_exact,
        done.moved.edited,
        f"refs/devs/backup/{op_id}",
    )
