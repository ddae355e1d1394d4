"""`contract show`: a contract with its phase, the conversation of the session that steers it, and its tasks. Tier 0."""

from __future__ import annotations

from typing import Literal

from devs_git.domain.ledger import contracts, paging
from devs_git.domain.ledger.event_contracts import Contract
from devs_git.domain.ledger.history import History, Task
from devs_git.domain.moments.live_sessions import live_sessions
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.contracts import contract_here
from devs_git.operations.recall import open_catalog, session_page
from devs_git.operations.recall.session_page import Page, PageRequest, ShownMessage
from devs_git.operations.sessions import line_of_session
from devs_git.storage.catalog import messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import session_signs
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST = 10_000


@immutable
class Request(VerbRequest):
    """The contract with this `name`, by default that of this worktree. At most `limit` messages, the last ones, and `limit`
    tasks, the newest ones; with a `cursor` the messages before.
    """

    name: str = ""
    limit: int = 50
    cursor: str = ""

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)
        paging.place(self.cursor)


@immutable
class Supervisor:
    """A session and its client, '' if that is not known."""

    client: str
    session_id: str


@immutable
class SpawnedTask:
    """A task of the contract. `last_checkpoint` is the name of its newest live checkpoint, '' for none."""

    task_id: str
    title: str
    status: str
    phase: str
    last_checkpoint: str
    parent: str
    spawned_by: str


@immutable
class Result:
    """`state`: of the supervisor: `live`, `ended`, or `none` if no session is known.

    `message_count` and `task_count` are of all. `next_cursor`: for the messages before these, '' for none.
    """

    contract: str
    state: Literal["live", "ended", "none"]
    messages: tuple[ShownMessage, ...]
    spawned_tasks: tuple[SpawnedTask, ...]
    phase: str
    supervisor: Supervisor | None
    started_at: str
    message_count: int
    task_count: int
    next_cursor: str


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, CONTRACT_NOT_FOUND; INVALID_ARGUMENTS if no contract is named and this worktree has none; why nobody may believe the ledger."""
    here = workspace.ledger.require().here
    workspace.require_believed()
    known = contracts.require(here, request.name or contract_here.name(workspace, here))
    tasks = [task for task in here.tasks.values() if task.contract == known.name]
    newest = sorted(tasks, key=lambda task: task.started_at, reverse=True)[: request.limit]
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        session = line_of_session.newest_recorded(workspace, catalog, known.session)
        page = session_page.read(catalog, session, PageRequest(request.limit, request.cursor))
        state = _state(workspace, catalog, session)
    return _result(known, state, page, tuple(_task(here, task) for task in newest), len(tasks))


def _result(
    known: Contract,
    state: Literal["live", "ended", "none"],
    page: Page,
    tasks: tuple[SpawnedTask, ...],
    task_count: int,
) -> Result:
    return Result(
        contract=known.name,
        state=state,
        messages=page.messages,
        spawned_tasks=tasks,
        phase=known.phase,
        supervisor=Supervisor(known.client, known.session) if known.session else None,
        started_at=known.started_at,
        message_count=page.message_count,
        task_count=task_count,
        next_cursor=page.next_cursor,
    )


def _state(workspace: Workspace, catalog: Catalog, session_id: str) -> Literal["live", "ended", "none"]:
    if not session_id:
        return "none"
    session = messages.session(catalog, session_id)
    seen = max(session.seen_at if session else "", session_signs.last_message(catalog, session_id))
    live = live_sessions({session_id: seen}, session_signs.ends(catalog), workspace.clock())
    return "live" if live else "ended"


def _task(history: History, task: Task) -> SpawnedTask:
    live = [point for point in history.of_task(task.task_id) if point.live]
    return SpawnedTask(
        task_id=task.task_id,
        title=task.title,
        status=task.status,
        phase=history.phase_of(task),
        last_checkpoint=live[-1].name if live else "",
        parent=task.parent,
        spawned_by=task.spawned_by,
    )
