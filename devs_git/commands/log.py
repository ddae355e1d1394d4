"""`log`: checkpoints newest first, with the rewinds between them. It reads the ledger only as far as it must."""

from __future__ import annotations

from devs_git.domain import ids
from devs_git.domain.events import Event
from devs_git.domain.recent import newest
from devs_git.domain.rows import Row, row
from devs_git.domain.standing import Statuses
from devs_git.errors import DevsError, invalid
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST = 100_000


@immutable
class Request:
    """`limit` rows of `task` (every task where it is ''), those after the row whose tag is `cursor`."""

    limit: int = 20
    task: str = ""
    cursor: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise invalid("limit", f"The limit is a number from 1 to {MOST}; this is {self.limit}.")
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))
        if self.cursor and not ids.is_oid(self.cursor):
            raise invalid("cursor", "A cursor is the next_cursor of an earlier answer.")


@immutable
class Operation:
    """A rewind or another operation; `position` is the number of rows above it."""

    type: str
    subject: str
    event: str
    created_at: str
    position: int


@immutable
class Result:
    """`next_cursor` is '' at the end of the list."""

    checkpoints: tuple[Row, ...]
    operations: tuple[Operation, ...]
    next_cursor: str


def run(workspace: Workspace, request: Request) -> Result:
    """The rows; NOT_INITIALIZED without a ledger, TASK_NOT_FOUND for a task that it never heard of."""
    workspace.ledger.require()
    rows: list[Row] = []
    operations: list[Operation] = []
    statuses = Statuses()
    more, skipping = False, bool(request.cursor)
    for item in newest(statuses.passing(workspace.ledger.newest_first())):
        if isinstance(item, Event):
            if not skipping:
                operations.append(_operation(item, len(rows)))
        elif not request.task or item.task_id == request.task:
            if skipping:
                skipping = item.tag != request.cursor
                continue
            if len(rows) == request.limit:
                more = True
                break
            rows.append(row(item, statuses.of(item.task_id) or _folded(workspace, item.task_id)))
    if skipping:
        raise invalid("cursor", "The ledger has no such row.", hint="Start over without a cursor.")
    if request.task and not rows and not request.cursor:
        _must_exist(workspace, request.task)
    return Result(tuple(rows), tuple(operations), rows[-1].tag if more else "")


def _folded(workspace: Workspace, task_id: str) -> str:
    """Beyond a merge of two clones' ledgers the order of events does not say how a task stands."""
    return workspace.ledger.tip().history.tasks[task_id].status


def _operation(event: Event, position: int) -> Operation:
    return Operation(event.type, event.subject, event.oid, event.get("Devs-Finished"), position)


def _must_exist(workspace: Workspace, task: str) -> None:
    if task not in workspace.ledger.tip().history.tasks:
        raise DevsError(
            "TASK_NOT_FOUND", f"There is no {task}.", hint="See what there is: devs-git log", task_id=task
        )
