"""`restore`: bring files of a checkpoint or snapshot back to the current branch, as a new commit.

Files of a moment come into the working tree without a commit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devs_git.domain.checkpoints import targets
from devs_git.domain.checkpoints.rewind_selection import preserve_mode
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.moments import names
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import named_checkpoint, snapshots
from devs_git.operations.rewind import restore_commit, restored_tree
from devs_git.operations.rewind.commit_on_head import REFUSAL
from devs_git.operations.rewind.restore_commit import RestoreJob
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.worktree import journal, move_tree
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment
    from devs_git.operations.rewind.return_to_state import ChangeResult
    from devs_git.storage.ledger.store import Tip


@immutable
class Request(VerbRequest):
    """`target`: a checkpoint, a snapshot's branch or a moment. `paths`: relative to `folder` or to the root; () for all files.

    `preserve` and `branch_name`: as for a rewind, for the local changes that are in the way; None refuses to overwrite them.
    `dry_run`: only say what would happen. `worktree`: make a linked worktree in this folder, in the moment's state, and change nothing here.
    """

    target: str
    paths: tuple[str, ...] = ()
    folder: str = ""
    worktree: str | None = None
    dry_run: bool = False
    preserve: str | None = None
    branch_name: str | None = None

    def __post_init__(self) -> None:
        if self.preserve is not None or self.branch_name is not None:
            self._check_preserve()
        if self.worktree is not None:
            self._check_worktree()
        object.__setattr__(self, "target", targets.parse(self.target))
        if any(not path or "\0" in path for path in self.paths):
            raise invalid("paths", "A path is empty or contains a NUL character.")

    def _check_preserve(self) -> None:
        from devs_git.domain.checkpoints import branch_names  # few choose how to save what they overwrite

        mode = branch_names.choose_mode(self.branch_name, preserve_mode(self.preserve))
        object.__setattr__(self, "preserve", mode)

    def _check_worktree(self) -> None:
        """INVALID_ARGUMENTS if there cannot be such a worktree."""
        if not self.worktree or "\0" in self.worktree:
            raise invalid("worktree", "The folder of the worktree is empty or contains a NUL character.")
        if not names.is_name(self.target):
            hint = "For a checkpoint: git worktree add DIR devs/task-10"
            raise invalid("worktree", "A worktree is made of a moment or a snapshot.", hint=hint)
        if self.dry_run:
            raise invalid("dry_run", "A new worktree changes nothing that is here, so it has no dry run.")
        if self.preserve is not None:
            raise invalid(
                "preserve", "A new worktree changes nothing that is here.", hint="Leave out --preserve."
            )
        if self.paths:
            raise invalid("paths", "A worktree gets all files of the moment.", hint="Leave out the paths.")


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
    not_exact: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    backup: str = ""
    left_out: tuple[str, ...] = ()
    worktree: str = ""
    detached: str = ""
    under_way: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    blocked_by: tuple[dict[str, Any], ...] = ()

    @property
    def needs_question(self) -> bool:
        """Not if no file would change."""
        return bool(self.changes.get("count"))


@immutable
class PreservedResult(Result):
    """With `preserved_as`: where the local changes are that were in the way, as in the result of a rewind."""

    preserved_as: dict[str, str] = field(default_factory=dict)


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


def _source(workspace: Workspace, tip: Tip, request: Request) -> tuple[str, Request]:
    """The commit of a snapshot, or of a checkpoint, which must be as recorded: HISTORY_REWRITTEN. And the request with the
    name of the checkpoint as the ledger has it.
    """
    if request.target.startswith(names.SNAPSHOT):
        return snapshots.commit_of(workspace.git, request.target), request
    point = _point(workspace, tip, request)
    rewritten_commits.require(tip.ledger.reader, point)
    return point.commit, replace(request, target=named_checkpoint.canonical(request.target, point))


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
        source, request = _source(workspace, tip, request)
        paths = restored_tree.below_top(site.top, request.folder, request.paths)
        found, trees = restore_commit.look(site, tip, source, paths)
        op_id = workspace.new_id("restore", request.target)
        with journal.remove_leftovers_on_failure(site.places, op_id):
            folder = journal.make_folder(site.places, op_id)
            way = (request.preserve, request.branch_name)
            job = RestoreJob(op_id, folder, found, trees, paths, request.target, way)
            commit, done = _make(workspace, site, job)
            if not done.op_id:
                journal.drop_folder(site.places, op_id)
            return _of_change(request, _Change(request.target, found, commit, paths, done))


def _make(workspace: Workspace, site: Site, job: RestoreJob) -> tuple[str, ChangeResult]:
    if job.way[0] is None:
        return restore_commit.make(workspace, site, job)
    from devs_git.operations.rewind import restore_over  # few overwrite local changes

    return restore_over.carry(workspace, site, job)


def _preview(workspace: Workspace, request: Request) -> Result:
    from devs_git.operations.rewind import restore_preview

    site, tip = workspace.site, workspace.ledger.require()
    paths = restored_tree.below_top(site.top, request.folder, request.paths)
    if request.target.startswith(names.PREFIX):
        seen = restore_preview.of_moment(site, _moment(workspace, request), paths)
    else:
        source, request = _source(workspace, tip, request)
        seen = restore_preview.of_commit(site, tip, source, paths, over=request.preserve is not None)
    told = Result(
        restored_from=request.target,
        commit=seen.found.head,
        branch=seen.found.branch.removeprefix("refs/heads/"),
        restore_id="",
        files=seen.changes["count"],
        paths=paths,
        changes=seen.changes,
        blocked_by=tuple(error.envelope() for error in _reasons(request, seen.refusals)),
    )
    return told if request.preserve is None else _preserved(told, request.preserve, "")


def _preserved(told: Result, mode: str, reference: str) -> PreservedResult:
    return PreservedResult(**vars(told), preserved_as={"type": mode, "reference": reference})


def _reasons(request: Request, found: Sequence[DevsError]) -> list[DevsError]:
    """The refusals; with `--preserve` local changes are none."""
    from devs_git.operations.rewind import refusals  # of a dry run

    if request.preserve is None:
        return [refusals.offer_preserve(error) for error in found]
    return [error for error in found if not refusals.can_preserve(error)]


def _restore_moment(workspace: Workspace, site: Site, request: Request) -> Result:
    from devs_git.operations.moments import restore_files

    moment, paths = (
        _moment(workspace, request),
        restored_tree.below_top(site.top, request.folder, request.paths),
    )
    saving = (request.preserve or "", request.branch_name)
    done = restore_files.restore_files(workspace, site, moment, paths, saving)
    name = f"{names.PREFIX}{moment.id}"
    change = _Change(name, done.found, done.found.head, paths, done.moved)
    return _of_change(request, change, done.left_out)


@immutable
class _Change:
    """A restore that is done: from what, where HEAD is then, and what the engine says."""

    name: str
    found: Survey
    commit: str
    paths: tuple[str, ...]
    done: ChangeResult


def _of_change(request: Request, change: _Change, left_out: tuple[str, ...] = ()) -> Result:
    done = change.done
    told = Result(
        restored_from=change.name,
        commit=change.commit,
        branch=change.found.branch.removeprefix("refs/heads/"),
        restore_id=done.op_id,
        files=done.files,
        paths=change.paths,
        not_exact=done.not_exact,
        edited=done.edited,
        backup=done.backup,
        left_out=left_out,
    )
    if request.preserve is None:
        return told
    return _preserved(told, done.kept.type, done.kept.reference)


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
        left_out=made.left_out,
        worktree=made.path,
        detached=made.detached,
        under_way=made.under_way,
    )
