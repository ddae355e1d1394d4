"""`snapshot list`: the branches below `snapshot/`, newest first. Tier 0."""

from __future__ import annotations

from devs_git.domain.ledger import paging
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.checkpoint import snapshots
from devs_git.operations.checkpoint.snapshots import Snapshot
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST = 10_000


@immutable
class Request(VerbRequest):
    """At most `limit` of them, after those before `cursor`."""

    limit: int = 200
    cursor: str = ""

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)


@immutable
class Result:
    """Newest first. `next_cursor` is '' at the end of the list."""

    snapshots: tuple[Snapshot, ...]
    next_cursor: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """All of them, also branches that a person made."""
    found = snapshots.list_snapshots(workspace.store_git)
    return Result(*paging.cut(found, _key, request.limit, request.cursor, downwards=True))


def _key(row: Snapshot) -> str:
    return f"{row.created_at} {row.name}"
