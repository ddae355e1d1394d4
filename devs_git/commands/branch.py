"""`branch`: create a branch without switching to it: at a checkpoint, live or not, where a task began, or at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.checkpoints import branch_names, targets
from devs_git.domain.ledger.event_branches import BranchCreated
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.moments import names
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.checkpoint import named_checkpoint, snapshots
from devs_git.storage.git import branches, refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.git.remotes import remote_names
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.moments.moment import Moment

OURS = ("devs/", "snapshot/")


@immutable
class Request(VerbRequest):
    """The branch `name` at `target`: a checkpoint (`task-10`, `task-10@3`, an oid), where a task began (`task-10@0`), a
    moment or a snapshot.
    """

    target: str
    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", targets.parse(self.target))
        branch_names.check(self.name)
        if self.name.startswith(OURS) or f"{self.name}/" in OURS:
            raise branch_names.refusal(f"The name {self.name!r} is reserved for devs-git.", self.name)


@immutable
class Result:
    """The branch, its commit and, of a checkpoint, task, number and tag. Where a task began the number is 0; a moment has
    no task, either.
    """

    branch: str
    commit: str
    task_id: str
    number: int
    tag: str
    event: str


@immutable
class _Place:
    """Where the branch begins: the name for people, the commit, and the checkpoint, if it is one."""

    name: str
    commit: str
    point: Checkpoint | None = None


def find(workspace: Workspace, request: Request) -> object:
    """What the target names; the codes of `resolve`, MOMENT_NOT_FOUND, SNAPSHOT_NOT_FOUND."""
    if request.target.startswith(names.SNAPSHOT):
        return snapshots.commit_of(workspace.git, request.target)
    if names.is_name(request.target):
        return _moment(workspace, request.target)
    return named_checkpoint.look_up(workspace.store_git, workspace.ledger.require(), request.target)[0]


def _moment(workspace: Workspace, target: str) -> Moment:
    # Late: a branch at a checkpoint does not need it.
    from devs_git.operations.moments import resolve_moment

    return resolve_moment.resolve(workspace, target)


def _place(workspace: Workspace, tip: Tip, target: str) -> _Place:
    if target.startswith(names.SNAPSHOT):
        return _Place(target, snapshots.commit_of(workspace.git, target))
    if names.is_name(target):
        from devs_git.operations.moments import moment_commit

        moment = _moment(workspace, target)
        return _Place(names.short_name(moment.id), moment_commit.commit_of(workspace, moment))
    point = named_checkpoint.confirm(workspace.store_git, tip, target)
    rewritten_commits.require(workspace.store_git, point)
    return _Place(point.name, point.commit, point)


def run(workspace: Workspace, request: Request) -> Result:
    """Create the branch and record it, in one transaction; INVALID_BRANCH if the name is taken, HISTORY_REWRITTEN."""
    branch_names.check(request.name, remote_names.names(workspace.places))
    place = _place(workspace, workspace.ledger.require(), request.target)
    task_id, number = (place.point.task_id, place.point.number) if place.point else ("", 0)
    content = BranchCreated(task_id, number, place.commit, request.name)
    event = workspace.event_of(content, f"branch: {request.name} at {place.name}", verb_name="branch")
    made = RefUpdate(f"refs/heads/{request.name}", place.commit, NO_OID)
    branches.require_free(workspace.store_git, request.name)
    try:
        event = workspace.append(lambda _tip: Draft(event, updates=(made,)))
    except (refs.RefMoved, GitFailed) as error:
        from devs_git.storage.git import failures

        branches.require_free(workspace.store_git, request.name)
        raise failures.refusal_of(error) or branch_names.refusal(
            f"git refuses to make the branch {request.name!r}.", request.name
        ) from error
    tag = place.point.tag if place.point else ""
    return Result(request.name, place.commit, task_id, number, tag, event.oid)
