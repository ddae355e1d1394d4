"""`conversation snapshots`: the recorded states of conversations, newest first."""

from __future__ import annotations

from devs_git.domain.ledger import ids, paging
from devs_git.domain.recall.conversation_snapshots import Snapshot, cursor_after, key_in
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import conversation_snapshots
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST = 10_000


@immutable
class Request(VerbRequest):
    """`task`: only the snapshots of this task."""

    task: str = ""
    limit: int = 20
    cursor: str = ""

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)
        key_in(self.cursor)
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))


@immutable
class Result:
    """`next_cursor`: for the snapshots after these; '' if there are none."""

    snapshots: tuple[Snapshot, ...]
    next_cursor: str


def run(workspace: Workspace, request: Request) -> Result:
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        after = key_in(request.cursor)
        found = conversation_snapshots.list_newest(catalog, request.task, request.limit + 1, after)
    shown = found[: request.limit]
    return Result(shown, cursor_after(shown[-1]) if len(found) > len(shown) else "")
