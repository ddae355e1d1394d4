"""`history`: everything that was recorded, newest first, or what was recorded after a place, oldest first, as it happens.

Two sources are merged: the events of the ledger, with the files that tasks changed, and the messages of the catalog. Tier 0.
"""

from __future__ import annotations

from itertools import islice
from typing import Literal

from devs_git.domain.checkpoints.commit_trailers import AGENTS
from devs_git.domain.checkpoints.task_states import require_known
from devs_git.domain.ledger import contracts, ids
from devs_git.domain.ledger.event_keys import PHASES
from devs_git.domain.ledger.paging import check_limit
from devs_git.domain.text import field_values
from devs_git.domain.timeline import kinds, positions, spoken_times
from devs_git.domain.timeline.positions import OnwardPlace
from devs_git.domain.timeline.stream_rows import Filter, Row
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import invalid
from devs_git.operations.recall import open_catalog
from devs_git.operations.timeline import page_starts, read_back, read_onward
from devs_git.operations.timeline.row_maker import RowMaker
from devs_git.storage.catalog import steering
from devs_git.storage.catalog.database import NAME, Catalog
from devs_git.storage.ledger import watch
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace, local_time

MOST = 10_000
_AT_ONCE = 200


@immutable
class Request(VerbRequest):
    """At most `limit` rows of these `types`, `subtypes` and so on; without any filter all rows.

    `since`, `until`: times, as ISO 8601, `14:32` or `2 days ago`. With `cursor` the rows before an earlier answer. With `after` (the
    id of an event, or the next_cursor of such an answer) the rows after it, oldest first. `follow`: wait until there is one;
    without `after`, wait for the next row. `format`: for the code that renders the result.
    """

    limit: int = 50
    task_id: str = ""
    contract: str = ""
    cursor: str = ""
    after: str = ""
    follow: bool = False
    types: tuple[str, ...] = ()
    subtypes: tuple[str, ...] = ()
    phase: str = ""
    agent: str = ""
    actor: str = ""
    since: str = ""
    until: str = ""
    format: Literal["table", "json", "jsonl"] = "table"

    def __post_init__(self) -> None:
        check_limit(self.limit, MOST)
        if self.task_id:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        field_values.check_value("phase", self.phase, among=("", *PHASES))
        field_values.check_value("agent", self.agent, among=("", *AGENTS))
        for name, among in (("types", kinds.TYPES), ("subtypes", kinds.ALL_SUBTYPES)):
            for value in getattr(self, name):
                if value not in among:
                    what = f"{value!r} is not a valid {name.removesuffix('s')}."
                    raise invalid(name, what, hint="Use one of: " + ", ".join(among))
        if self.cursor:
            positions.back(self.cursor)
        if self.after:
            positions.onward(self.after)
        if self.cursor and (self.after or self.follow):
            raise invalid(
                "cursor",
                "A cursor goes back in time, and after and follow go forward. Use only one direction.",
            )

    def next_request(self, result: Result) -> Request | None:
        """With `follow`, the request for the next rows."""
        return replace(self, after=result.next_cursor) if self.follow else None

    def filter(self, workspace: Workspace) -> Filter:
        """What is wanted. INVALID_ARGUMENTS for a text that is no time."""

        def time_of(name: str, text: str) -> str:
            return spoken_times.time_of(name, text, workspace.clock(), local_time) if text else ""

        return Filter(
            types=self.types,
            subtypes=self.subtypes,
            task_id=self.task_id,
            contract=self.contract,
            phase=self.phase,
            agent=self.agent,
            actor=self.actor,
            since=time_of("since", self.since),
            until=time_of("until", self.until),
        )


EventRow = Row


@immutable
class Result(VerbResult):
    """`more`: there are older rows, after `next_cursor`. With `after`, `next_cursor` is the place after the last row.

    `not_believed`: as in `status`, but '' with `follow`.
    """

    events: tuple[Row, ...]
    next_cursor: str
    more: bool = False
    not_believed: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, TASK_NOT_FOUND, CONTRACT_NOT_FOUND, INVALID_ARGUMENTS for an unknown event or a text that is no time."""
    tip = workspace.ledger.require().oid
    wanted = request.filter(workspace)
    if request.after or request.follow:
        return _onward(workspace, request, wanted, tip)
    with open_catalog.open_or_empty(workspace) as catalog:
        _must_exist(workspace, catalog, request)
        start = page_starts.back(workspace, catalog, request.cursor, tip)
        at_once = min(request.limit + 1, _AT_ONCE)
        rows = read_back.rows(workspace, catalog, RowMaker(catalog, wanted), start, at_once)
        found = list(islice(rows, request.limit + 1))
    more = len(found) > request.limit
    return Result(
        tuple(row for row, _ in found[: request.limit]),
        found[-1][1].text() if more else "",
        more=more,
        not_believed=workspace.why_not_believed(),
    )


def _onward(workspace: Workspace, request: Request, wanted: Filter, tip: str) -> Result:
    """The rows after a place, oldest first."""
    found: tuple[Row, ...] = ()
    place: OnwardPlace | None = None
    files = tuple(workspace.places.shared / name for name in (NAME, f"{NAME}-wal"))
    beside = (*files, workspace.places.spool)
    for moved in watch.looks(workspace.places.common, None if request.follow else 0, beside):
        if not moved:
            continue
        with open_catalog.open_or_empty(workspace) as catalog:
            if place is None:
                _must_exist(workspace, catalog, request)
                place = page_starts.onward(workspace, catalog, request.after, tip)
            newest = workspace.ledger.tip().oid
            start = place if place.tip else replace(place, tip=newest)
            found, place = read_onward.page(
                workspace, catalog, RowMaker(catalog, wanted), start, request.limit
            )
        if found:
            break
    assert place is not None
    reason = "" if request.follow else workspace.why_not_believed()
    return Result(found, place.text(), not_believed=reason)


def _must_exist(workspace: Workspace, catalog: Catalog, request: Request) -> None:
    if request.task_id and not steering.is_task(catalog, request.task_id):
        from devs_git.storage.ledger.index import listing

        task = listing.of_tasks(workspace.ledger.tip(), request.task_id).tasks.get(request.task_id)
        require_known(request.task_id, task.status if task else "")
    if request.contract and not steering.is_contract(catalog, request.contract):
        from devs_git.storage.ledger.index import listing

        tip = workspace.ledger.tip()
        if not listing.is_named(tip, request.contract):
            raise contracts.not_found(request.contract)
        if not listing.contract(tip, request.contract):
            contracts.require(tip.history, request.contract)
