"""`trace prune`: delete old traces. They exist nowhere else, so this is tier 3: it shows its plan and asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from devs_git.domain.checkpoints.snapshot_pruning import plan_id
from devs_git.domain.ledger.event_upkeep import TracesPruned
from devs_git.domain.ledger.events import Draft
from devs_git.domain.recall.traces import TraceRow
from devs_git.domain.text.quantities import size, span
from devs_git.domain.text.times import stamp
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import invalid, stale_plan
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import fulltext, prune_traces
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`older_than`: a span such as 90d. `max_size`: a size such as 2GB. At least one of them.

    `plan_id`: only the plan that was shown, else PLAN_STALE.
    """

    older_than: str = ""
    max_size: str = ""
    dry_run: bool = False
    plan_id: str = ""

    def __post_init__(self) -> None:
        if not self.older_than and not self.max_size:
            raise invalid("older_than", "Choose what to delete: --older-than 90d, --max-size 2GB, or both.")
        for field, read in (("older_than", span), ("max_size", size)):
            value = getattr(self, field)
            try:
                if value:
                    read(value)
            except ValueError as error:
                raise invalid(field, str(error)) from error


@immutable
class Result(VerbResult):
    """`traces`: how many were deleted, or would be. `bytes`: the size of their outputs. `upto`: the time of the newest."""

    traces: int
    bytes: int
    upto: str
    plan_id: str
    dry_run: bool
    event: str
    blocked_by: tuple[dict[str, Any], ...] = ()

    @property
    def needs_question(self) -> bool:
        """Not if nothing would be deleted."""
        return bool(self.traces)


def run(workspace: Workspace, request: Request) -> Result:
    """Delete them and record it. The event is written inside the transaction: what cannot be recorded is not deleted."""
    if request.dry_run:
        with open_catalog.catalog_for_reading(workspace) as catalog:
            return _result(_rows_to_delete(workspace, catalog, request), dry_run=True)
    workspace.ledger.require()
    with open_catalog.open_catalog(workspace) as catalog:
        going = _rows_to_delete(workspace, catalog, request)
        plan = _result(going, dry_run=False)
        if request.plan_id and request.plan_id != plan.plan_id:
            raise stale_plan("The traces changed since the plan was made.")
        if not going:
            return plan
        with fulltext.write_transaction(catalog):
            done = _result(prune_traces.delete(catalog, going, workspace.progress), dry_run=False)
            recorded = _record(workspace, done)
        workspace.progress("freeing disk space", 0, 0)
        prune_traces.give_back(catalog)
    return replace(done, event=recorded)


def _record(workspace: Workspace, done: Result) -> str:
    """The event's oid; '' if another process deleted all of them meanwhile."""
    event = workspace.event_of(
        TracesPruned(done.traces, done.bytes, done.upto),
        f"trace: prune {done.traces} up to {done.upto}",
        verb_name="trace prune",
    )
    return workspace.append(lambda _tip: Draft(event)).oid if done.traces else ""


def _rows_to_delete(workspace: Workspace, catalog: Catalog, request: Request) -> list[TraceRow]:
    found: dict[str, TraceRow] = {}
    if request.older_than:
        before = stamp(workspace.clock() - timedelta(seconds=span(request.older_than)))
        found |= {row.trace_id: row for row in prune_traces.older(catalog, before)}
    if request.max_size:
        found |= {row.trace_id: row for row in prune_traces.oldest_above(catalog, size(request.max_size))}
    return sorted(found.values(), key=lambda row: (row.created_at, row.trace_id))


def _result(rows: list[TraceRow], *, dry_run: bool) -> Result:
    named = plan_id({row.trace_id: row.digest for row in rows})
    upto = rows[-1].created_at if rows else ""
    return Result(len(rows), sum(row.size for row in rows), upto, named, dry_run, event="")
