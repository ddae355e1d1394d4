"""`log`: checkpoints, newest first, with the rewinds between them. It reads only as much of the ledger as it needs."""

from __future__ import annotations

from devs_git.domain.checkpoints.rows import Row
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.recent import newest
from devs_git.domain.ledger.task_standing import Statuses
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import commit_locations
from devs_git.storage.ledger import clone_history, untrusted_ledger
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST = 100_000


@immutable
class Request(VerbRequest):
    """At most `limit` rows of `task` ('' for all tasks), after the row whose tag is `cursor`."""

    limit: int = 20
    task: str = ""
    cursor: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise invalid("limit", f"The limit must be from 1 to {MOST}, not {self.limit}.")
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))
        if self.cursor and not ids.is_oid(self.cursor):
            raise invalid("cursor", "The cursor must be the next_cursor of an earlier answer.")


@immutable
class Operation:
    """A rewind or another operation; `position` is the number of rows above it."""

    type: str
    subject: str
    event: str
    created_at: str
    position: int


@immutable
class Result(VerbResult):
    """`next_cursor` is '' at the end of the list. `not_believed`: as in `status`."""

    checkpoints: tuple[Row, ...]
    operations: tuple[Operation, ...]
    next_cursor: str
    not_believed: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED without a ledger, TASK_NOT_FOUND for a task that it does not know."""
    workspace.ledger.require()
    points: list[Checkpoint] = []
    operations: list[Operation] = []
    read: list[Event] = []
    statuses = Statuses()
    more, skipping = False, bool(request.cursor)
    for item in newest(statuses.note_each(workspace.ledger.newest_first())):
        if isinstance(item, Event):
            read.append(item)
            if not skipping:
                operations.append(_operation(item, len(points)))
        elif not request.task or item.task_id == request.task:
            if skipping:
                skipping = item.tag != request.cursor
                continue
            if len(points) == request.limit:
                more = True
                break
            points.append(item)
    if skipping:
        raise invalid("cursor", "The ledger has no such row.", hint="Start over without a cursor.")
    if request.task and not points and not request.cursor:
        _must_exist(workspace, request.task)
    # Older operations do not affect these checkpoints, which were recorded later.
    newer = History("", {}, {point.tag: point for point in points}, read)
    here = clone_history.view_here(workspace.store_git, workspace.places.common, newer)
    seen = list(here.checkpoints.values())
    rows = commit_locations.rows(workspace, seen, newer, lambda point: _status(workspace, point, statuses))
    return Result(
        rows,
        tuple(operations),
        rows[-1].tag if more else "",
        untrusted_ledger.reason(workspace.require_believed),
    )


def _status(workspace: Workspace, point: Checkpoint, statuses: Statuses) -> str:
    """The status of a checkpoint's task, only if its row depends on it.

    Before a merge of two ledgers the order of events does not tell the status, and an operation gives a status only on
    one clone's branch.
    """
    if point.completed or not point.live:
        return ""
    said = statuses.of(point.task_id)
    return said or workspace.ledger.tip().here.tasks[point.task_id].status


def _operation(event: Event, position: int) -> Operation:
    return Operation(event.type, event.subject, event.oid, event.finished, position)


def _must_exist(workspace: Workspace, task: str) -> None:
    if task not in workspace.ledger.tip().history.tasks:
        raise DevsError("TASK_NOT_FOUND", f"There is no {task}.", hint="List all: devs-git log", task_id=task)
