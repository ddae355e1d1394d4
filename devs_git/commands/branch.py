"""`branch`: create a branch at a checkpoint, live or not, without switching to it."""

from __future__ import annotations

from devs_git.domain.checkpoints import branch_names
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_branches import BranchCreated
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.verbs import VerbRequest
from devs_git.storage.git import branches, refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.git.remotes import remote_names
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

OURS = ("devs/", "snapshot/")


@immutable
class Request(VerbRequest):
    """The branch `name` at `target`: `task-10`, `task-10@3` or the oid of a checkpoint."""

    target: str
    name: str

    def __post_init__(self) -> None:
        ids.parse_target(self.target)
        branch_names.check(self.name)
        if self.name.startswith(OURS) or f"{self.name}/" in OURS:
            raise branch_names.refusal(f"The name {self.name!r} is reserved for devs-git.", self.name)


@immutable
class Result:
    """The branch and its checkpoint."""

    branch: str
    commit: str
    task_id: str
    number: int
    tag: str
    event: str


def find(workspace: Workspace, request: Request) -> Checkpoint:
    """The checkpoint; the codes of `domain/ledger/resolve.py`."""
    return resolve(workspace.ledger.require().here, ids.parse_target(request.target))


def run(workspace: Workspace, request: Request) -> Result:
    """Create the branch and record it, in one transaction; INVALID_BRANCH if the name is taken, HISTORY_REWRITTEN."""
    branch_names.check(request.name, remote_names.names(workspace.places))
    made: list[Checkpoint] = []

    def build(tip: Tip) -> Draft:
        point = resolve(tip.here, ids.parse_target(request.target))
        made[:] = [point]
        content = BranchCreated(point.task_id, point.number, point.commit, request.name)
        event = workspace.event_of(content, f"branch: {request.name} at {point.name}", verb_name="branch")
        return Draft(event, updates=(RefUpdate(f"refs/heads/{request.name}", point.commit, NO_OID),))

    rewritten_commits.require(workspace.store_git, find(workspace, request))
    branches.require_free(workspace.store_git, request.name)
    try:
        event = workspace.append(build)
    except (refs.RefMoved, GitFailed) as error:
        from devs_git.storage.git import failures

        branches.require_free(workspace.store_git, request.name)
        raise failures.refusal_of(error) or branch_names.refusal(
            f"git refuses to make the branch {request.name!r}.", request.name
        ) from error
    point = made[0]
    return Result(request.name, point.commit, point.task_id, point.number, point.tag, event.oid)
