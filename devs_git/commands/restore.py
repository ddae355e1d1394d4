"""`restore`: bring files of a checkpoint or snapshot back to the current branch, as a new commit.

Files of a moment come into the working tree without a commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from devs_git.domain.checkpoints import branch_names
from devs_git.domain.ledger import resolve
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.event_operations import Movement, Restored
from devs_git.domain.ledger.events import Draft, RefUpdate
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.ids import parse_target
from devs_git.domain.moments import names
from devs_git.domain.moments.names import is_name
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.storage.git import refs
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import split_z
from devs_git.storage.ledger import own_operations, rewritten_commits
from devs_git.storage.worktree import (
    active_task,
    backups,
    capture,
    carry_changes,
    footprint,
    journal,
    missing_objects,
    move_tree,
    survey,
)
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.move_plan import Known
from devs_git.storage.worktree.move_tree import Move
from devs_git.storage.worktree.survey import Head, Survey
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment

REFUSAL = "GIT_RESET_FAILED"
SNAPSHOTS = "snapshot/"


@immutable
class Request(VerbRequest):
    """`target`: a checkpoint, a snapshot's branch or a moment. `paths`: relative to `folder` or to the root; () for all files."""

    target: str
    paths: tuple[str, ...] = ()
    folder: str = ""

    def __post_init__(self) -> None:
        if self.target.startswith(SNAPSHOTS):
            branch_names.check(self.target)
        elif is_name(self.target):
            names.parse(self.target)
        else:
            object.__setattr__(self, "target", str(parse_target(self.target)))
        if any(not path or "\0" in path for path in self.paths):
            raise invalid("paths", "A path is empty or contains a NUL character.")


@immutable
class Result:
    """`commit` is HEAD afterwards: the new commit, or the old one for a moment, and if no file had to change (`files` is 0).

    `left_out`: what the moment does not have: nested repositories, and files that were too large.
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


def find(workspace: Workspace, request: Request) -> str:
    """The commit or the moment whose files come back."""
    if request.target.startswith(names.PREFIX):
        return _moment(workspace, request).id
    if request.target.startswith(SNAPSHOTS):
        commit = refs.commit_of(workspace.git, f"refs/heads/{request.target}")
        if not commit:
            raise DevsError(
                "SNAPSHOT_NOT_FOUND",
                f"There is no {request.target}.",
                hint="List them: devs-git snapshot list",
            )
        return commit
    return _point(workspace, request).commit


def _moment(workspace: Workspace, request: Request) -> Moment:
    # Late: a restore from a checkpoint does not need it.
    from devs_git.operations.moments import resolve_moment

    return resolve_moment.resolve(workspace, request.target)


def _point(workspace: Workspace, request: Request) -> Checkpoint:
    return resolve.resolve(workspace.ledger.require().here, parse_target(request.target))


def run(workspace: Workspace, request: Request) -> Result:
    """GIT_RESET_FAILED if it would overwrite tracked changes or untracked files, HISTORY_REWRITTEN."""
    with move_tree.translate_failures(REFUSAL), move_tree.worktree_lock(workspace.site) as site:
        workspace.ledger.require()
        if request.target.startswith(names.PREFIX):
            return _restore_moment(workspace, site, request)
        source = find(workspace, request)
        if not request.target.startswith(SNAPSHOTS):
            rewritten_commits.require(site.ledger.reader, _point(workspace, request))
        found = survey.take(site.git, site.top)
        survey.require_movable(site.places, found)
        paths = _below_top(site.top, request)
        op_id = workspace.new_id("restore", request.target)
        with journal.remove_leftovers_on_failure(site.places, op_id):
            folder = journal.make_folder(site.places, op_id)
            tree = _tree(site, folder, found, source, paths)
            return _restore(workspace, site, request, _Job(op_id, folder, found, tree, paths))


def _restore_moment(workspace: Workspace, site: Site, request: Request) -> Result:
    from devs_git.operations.moments import restore_files

    moment, paths = _moment(workspace, request), _below_top(site.top, request)
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


@immutable
class _Job:
    op_id: str
    folder: Path
    found: Survey
    tree: str
    paths: tuple[str, ...]


def _below_top(top: Path, request: Request) -> tuple[str, ...]:
    """Paths relative to the worktree's root; INVALID_ARGUMENTS{paths} for a path outside of it."""
    base, start = os.path.realpath(top), request.folder or os.fspath(top)
    found = []
    for path in request.paths:
        parent, name = os.path.split(os.path.normpath(os.path.join(start, path)))  # noqa: PTH118 - bytes survive in str
        whole = os.path.join(os.path.realpath(parent), name)  # noqa: PTH118
        relative = os.path.relpath(whole, base)
        if relative == ".." or relative.startswith("../"):
            raise invalid("paths", f"{path!r} is outside the working tree.")
        found.append("" if relative == "." else relative)
    return () if "" in found else tuple(found)


def _tree(site: Site, folder: Path, found: Survey, source: str, paths: Sequence[str]) -> str:
    """The tree of the new commit: the tree of the source, or HEAD's tree with the named paths of the source."""
    if not paths:
        return _tree_of(site, source)
    there = _list_files(site, _tree_of(site, source), paths)
    here = _list_files(site, found.head, paths)
    known = {name for line in (*there, *here) for name in _up(line.split("\t", 1)[1])}
    lost = [path for path in paths if path not in known]
    if lost:
        raise invalid(
            "paths",
            f"{lost[0]!r} exists neither in the source nor here.",
            hint=f"List the files of the source: git ls-tree -r --name-only {source[:10]}",
        )
    own = private(site.git, folder / "index.tree")
    own.run("read-tree", found.head)
    gone = [f"0 {'0' * 40}\t{line.split(chr(9), 1)[1]}" for line in here]
    back = [line.replace(" blob ", " ", 1).replace(" commit ", " ", 1) for line in there]
    script = b"".join(os.fsencode(line) + b"\0" for line in (*gone, *back))
    own.run("update-index", "-z", "--index-info", stdin=script)
    return own.text("write-tree", "--missing-ok")


def _tree_of(site: Site, commit: str) -> str:
    """The commit's tree; GIT_RESET_FAILED{missing_objects} if it is missing."""
    status, out = site.git.attempt("rev-parse", "--verify", f"{commit}^{{tree}}", ok=(0, 128))
    if status:
        tree = site.git.text("rev-list", "--no-walk", "--no-commit-header", "--format=%T", commit)
        raise missing_objects.refusal({tree: tree}, REFUSAL, "oid")
    return out.decode().strip()


def _list_files(site: Site, commit: str, paths: Sequence[str]) -> list[str]:
    """`mode kind oid<TAB>path` of every file at or below the paths."""
    wanted = set(paths)
    lines = split_z(site.git.run("ls-tree", "-r", "-z", "--full-tree", commit))
    return [line for line in lines if not wanted.isdisjoint(_up(line.split("\t", 1)[1]))]


def _up(path: str) -> Iterator[str]:
    """The path and every folder above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _restore(workspace: Workspace, site: Site, request: Request, job: _Job) -> Result:
    found, op_id = job.found, job.op_id
    branch = found.branch.removeprefix("refs/heads/")
    if job.tree == site.git.text("rev-parse", "--verify", f"{found.head}^{{tree}}"):
        journal.drop_folder(site.places, op_id)
        return Result(request.target, found.head, branch, "", 0, job.paths, (), (), "")
    active = active_task.read(site.places)
    subject = f"restore: {request.target}{f' (paths named: {len(job.paths)})' if job.paths else ''}"
    carried = carry_changes.prepare(site, job.folder, Head(found.head, found.branch), job.tree, REFUSAL)
    message = (
        f"Restore files of {request.target}\n\n{active}{TrailerKey.LEDGER}: {workspace.ledger.tip().oid}"
    )
    commit = capture.commit(site.objects, job.tree, [found.head], site.ledger.signature(), message)
    way = Movement(op_id, found.branch, found.head, commit)
    backup = _backup(site, job, active, subject, way)
    content = Restored(request.target, replace(way, backup=backup))
    event = workspace.event_of(content, subject, verb_name="restore")
    move = Move(
        op_id=op_id,
        verb="restore",
        subject=subject,
        old=carry_changes.at_position(carried.old, found.head, found.branch, active),
        new=carry_changes.at_position(carried.new, commit, found.branch, active),
        trees=carried.trees,
        known=Known(carried.file_states, carried.blobs),
        build=lambda _tip: Draft(event),
        updates=(RefUpdate(found.branch or "HEAD", commit, found.head, no_deref=not found.branch),),
        backup=backup,
    )
    moved = move_tree.execute(site, move)
    return Result(
        request.target,
        commit,
        branch,
        op_id,
        moved.files,
        job.paths,
        moved.not_exact,
        moved.edited,
        f"refs/devs/backup/{op_id}",
    )


def _backup(site: Site, job: _Job, active: str, subject: str, way: Movement) -> str:
    """Save the current state with local changes, so that `undo` can restore them."""
    plan = footprint.compute(job.found, site.top, job.tree)
    taker = capture.Capture(site.git, site.places, site.objects, _apart(job.folder))
    state = taker.take(job.found, plan, (), active).state
    backup = backups.store(
        site.objects,
        state,
        site.ledger.signature(),
        f"Before {subject}",
        *own_operations.backup_fields(site.ledger.tip().oid, way),
    )
    backups.keep(site, job.op_id, backup)
    return backup


def _apart(folder: Path) -> Path:
    """A separate folder for the private index of the backup, because the move has one, too."""
    apart = folder / "backup"
    apart.mkdir(mode=0o700)
    return apart
