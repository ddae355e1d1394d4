"""`snapshot list`: the branches below `snapshot/`, newest first. Tier 0."""

from __future__ import annotations

from devs_git.domain.verbs import VerbRequest
from devs_git.operations.checkpoint import snapshots
from devs_git.operations.checkpoint.snapshots import Snapshot
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """It has no arguments."""


@immutable
class Result:
    """Newest first."""

    snapshots: tuple[Snapshot, ...]


def run(workspace: Workspace, request: Request) -> Result:
    """All of them, also branches that a person made."""
    del request
    return Result(snapshots.list_snapshots(workspace.store_git))
