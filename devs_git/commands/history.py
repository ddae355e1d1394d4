"""`history`: the events of the ledger, newest first, or those after an event, oldest first, as they happen. Tier 0."""

from __future__ import annotations

from contextlib import closing

from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_names import subtype_of
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.paging import check_limit
from devs_git.domain.text import field_values
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.storage.ledger import watch
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

MOST = 10_000


@immutable
class Request(VerbRequest):
    """At most `limit` events, newest first, that are older than `cursor`; only of a task or a contract, if one is named.

    With `after`: the events after that one, oldest first. `follow`: wait until there is one; without `after`, wait for the
    next event.
    """

    limit: int = 50
    task_id: str = ""
    contract: str = ""
    cursor: str = ""
    after: str = ""
    follow: bool = False

    def __post_init__(self) -> None:
        check_limit(self.limit, MOST)
        if self.task_id:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        field_values.check_value("contract", self.contract)
        for name in ("cursor", "after"):
            if getattr(self, name) and not ids.is_oid(getattr(self, name)):
                raise invalid(
                    name,
                    "The value must be the id of an event: the id or the next_cursor of an earlier answer.",
                )
        if self.cursor and (self.after or self.follow):
            raise invalid(
                "cursor",
                "A cursor goes back in time, and after and follow go forward. Use only one direction.",
            )

    def next_request(self, result: Result) -> Request | None:
        """With `follow`, the request for the next events."""
        return replace(self, after=result.next_cursor) if self.follow else None


@immutable
class EventRow:
    """One event. `event_data`: all its trailers. `contract`: that of its task."""

    id: str
    actor: str
    contract: str
    task_id: str
    event_type: str
    event_subtype: str
    phase: str
    subject: str
    event_data: dict[str, str | list[str]]
    created_at: str


@immutable
class Result(VerbResult):
    """`more`: there are older events, after `next_cursor`. With `after`, `next_cursor` is the last event that was read.

    `not_believed`: as in `status`, but '' with `follow`.
    """

    events: tuple[EventRow, ...]
    next_cursor: str
    more: bool = False
    not_believed: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, TASK_NOT_FOUND, CONTRACT_NOT_FOUND, INVALID_ARGUMENTS for an unknown event."""
    tip = workspace.ledger.require()
    _must_exist(tip.history, request)
    if request.after or request.follow:
        return _events_after(workspace, request, request.after or tip.oid)
    found: list[EventRow] = []
    skipping = request.cursor
    with closing(workspace.ledger.newest_first(tip.oid)) as events:
        for event in events:
            if skipping:
                skipping = "" if event.oid == skipping else skipping
            elif _is_wanted(event, tip.history, request):
                if len(found) == request.limit:
                    return Result(
                        tuple(found),
                        found[-1].id,
                        more=True,
                        not_believed=workspace.why_not_believed(),
                    )
                found.append(_row(event, tip.history))
    if skipping:
        raise invalid("cursor", "The ledger has no such event.", hint="Start over without a cursor.")
    return Result(tuple(found), "", not_believed=workspace.why_not_believed())


def _events_after(workspace: Workspace, request: Request, since: str) -> Result:
    """The events after `since`, oldest first."""
    git = workspace.store_git
    if git.attempt("merge-base", "--is-ancestor", since, workspace.ledger.require().oid, ok=(0, 1, 128))[0]:
        raise invalid("after", "The ledger has no such event.", hint="Start over without it.")
    found: list[EventRow] = []
    for moved in watch.looks(workspace.places.common, None if request.follow else 0):
        if not moved:
            continue
        tip = workspace.ledger.require()
        if tip.oid != since:
            with closing(workspace.ledger.events(tip.oid, since=since, oldest_first=True)) as events:
                for event in events:
                    since = event.oid
                    if _is_wanted(event, tip.history, request):
                        found.append(_row(event, tip.history))
                    if len(found) == request.limit:
                        break
        if found:
            break
    return Result(
        tuple(found),
        since,
        not_believed="" if request.follow else workspace.why_not_believed(),
    )


def _must_exist(history: History, request: Request) -> None:
    hint = "List all: devs-git history"
    if request.task_id and request.task_id not in history.tasks:
        raise DevsError(
            "TASK_NOT_FOUND", f"There is no {request.task_id}.", hint=hint, task_id=request.task_id
        )
    if request.contract and not any(task.contract == request.contract for task in history.tasks.values()):
        raise DevsError(
            "CONTRACT_NOT_FOUND", "There is no such contract.", hint=hint, contract=request.contract
        )


def _is_wanted(event: Event, history: History, request: Request) -> bool:
    tasks = event.tasks
    if request.task_id and request.task_id not in tasks:
        return False
    return not request.contract or any(_contract(task, history) == request.contract for task in tasks)


def _contract(task_id: str, history: History) -> str:
    task = history.tasks.get(task_id)
    return task.contract if task else ""


def _row(event: Event, history: History) -> EventRow:
    return EventRow(
        id=event.oid,
        actor=event.actor,
        contract=_contract(event.task, history),
        task_id=event.task,
        event_type=event.type,
        event_subtype=subtype_of(event),
        phase=event.phase,
        subject=event.subject,
        event_data=event.data,
        created_at=event.finished,
    )
