"""`snapshot open`: open a snapshot in a separate worktree with a detached HEAD; the current worktree does not change."""

from __future__ import annotations

import os
from pathlib import Path

from devs_git.domain.ledger.event_branches import SnapshotOpened
from devs_git.domain.ledger.events import Draft
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import snapshots
from devs_git.operations.checkpoint.snapshots import Snapshot
from devs_git.storage.git.program import GitFailed
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`name`: with or without `snapshot/`. `at`: the folder of the new worktree, '' for one in the git directory."""

    name: str
    at: str = ""

    def __post_init__(self) -> None:
        bare = self.name.removeprefix(snapshots.BRANCHES).removeprefix(snapshots.PREFIX)
        if not bare or "\0" in bare:
            raise invalid(
                "name", "The name of the snapshot is empty.", hint="List them: devs-git snapshot list"
            )
        object.__setattr__(self, "name", snapshots.PREFIX + bare)


@immutable
class Result:
    """`path`: the folder of the worktree. `opened` is false if it was open already."""

    snapshot: str
    commit: str
    path: str
    opened: bool


def find(workspace: Workspace, request: Request) -> Snapshot:
    """The snapshot; SNAPSHOT_NOT_FOUND."""
    for snapshot in snapshots.list_snapshots(workspace.store_git):
        if snapshot.name == request.name:
            return snapshot
    raise DevsError(
        "SNAPSHOT_NOT_FOUND", f"There is no {request.name}.", hint="List them: devs-git snapshot list"
    )


def run(workspace: Workspace, request: Request) -> Result:
    """Make the worktree and record it; CONFLICT if git cannot make it there."""
    workspace.ledger.require()
    snapshot = find(workspace, request)
    place = Path(os.path.abspath(request.at)) if request.at else _own_place(workspace, snapshot)  # noqa: PTH100
    if not request.at and (place / ".git").exists():
        return Result(snapshot.name, snapshot.commit, os.fspath(place), opened=False)
    try:
        workspace.git.with_config("core.hooksPath=/dev/null").run(
            "worktree", "add", "--detach", "--", os.fspath(place), snapshot.commit
        )
    except GitFailed as error:
        from devs_git.storage.worktree.capture import git_words

        raise DevsError(
            "CONFLICT",
            f"git cannot check {snapshot.name} out there: {git_words(error).replace(os.fspath(place), 'the folder')}",
            hint="Choose another folder with --at.",
        ) from error
    workspace.append(
        lambda _tip: Draft(
            workspace.event_of(
                SnapshotOpened(snapshot.name, snapshot.commit),
                f"snapshot: open {snapshot.name}",
                verb_name="snapshot open",
            )
        )
    )
    return Result(snapshot.name, snapshot.commit, os.fspath(place), opened=True)


def _own_place(workspace: Workspace, snapshot: Snapshot) -> Path:
    """The folder in the git directory for this state of the snapshot."""
    return workspace.places.shared / "open" / f"{snapshot.name.replace('/', '-')}-{snapshot.commit[:10]}"
