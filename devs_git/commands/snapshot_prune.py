"""`snapshot prune`: delete old snapshots. They are recovery points, so this is tier 3: it shows its plan and asks.

A branch is deleted only if it still is at the commit that `snapshot create` recorded: somebody may have worked on it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from devs_git.domain.checkpoints.snapshot_pruning import (
    KeptSnapshot,
    plan_id,
    reason_to_keep,
    recorded_snapshots,
)
from devs_git.domain.ledger.event_branches import SnapshotsPruned
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.text.quantities import span
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid, stale_plan
from devs_git.operations.checkpoint import snapshots
from devs_git.operations.checkpoint.snapshots import Snapshot
from devs_git.storage.git import refs
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`older_than`: a span such as 30d. `plan_id`: only the plan that was shown, else PLAN_STALE."""

    older_than: str
    dry_run: bool = False
    plan_id: str = ""

    def __post_init__(self) -> None:
        try:
            span(self.older_than)
        except ValueError as error:
            raise invalid("older_than", str(error)) from error


@immutable
class Result(VerbResult):
    """`snapshots`: those that were deleted, or would be. `kept`: old ones that stay."""

    snapshots: tuple[Snapshot, ...]
    kept: tuple[KeptSnapshot, ...]
    plan_id: str
    dry_run: bool
    event: str
    blocked_by: tuple[dict[str, Any], ...] = ()

    @property
    def needs_question(self) -> bool:
        """Not if nothing would be deleted."""
        return bool(self.snapshots)


def run(workspace: Workspace, request: Request) -> Result:
    """Delete them and record it in one transaction; CONFLICT if one of them moves meanwhile."""
    plan = _plan(workspace, request)
    if request.plan_id and request.plan_id != plan.plan_id:
        raise stale_plan("The snapshots changed since the plan was made.")
    if request.dry_run or not plan.snapshots:
        return replace(plan, dry_run=request.dry_run)
    gone = plan.snapshots
    event = workspace.event_of(
        SnapshotsPruned(tuple((snapshot.name, snapshot.commit) for snapshot in gone)),
        f"snapshot: prune {len(gone)} older than {request.older_than}",
        verb_name="snapshot prune",
    )
    updates = tuple(RefUpdate(snapshots.BRANCHES + one.name, NO_OID, one.commit) for one in gone)
    try:
        written = workspace.append(lambda _tip: Draft(event, updates=updates))
    except refs.RefMoved as error:
        raise DevsError(
            "CONFLICT",
            "Another process moved or deleted a snapshot at this moment. No snapshot was deleted.",
            hint="Run the command again.",
        ) from error
    return Result(gone, plan.kept, plan.plan_id, dry_run=False, event=written.oid)


def _plan(workspace: Workspace, request: Request) -> Result:
    """What would be deleted now; reads only."""
    recorded = recorded_snapshots(workspace.ledger.events(workspace.ledger.require().oid))
    bound = workspace.clock().timestamp() - span(request.older_than)
    going, kept = [], []
    for snapshot in snapshots.list_snapshots(workspace.store_git):
        if datetime.fromisoformat(snapshot.created_at).timestamp() > bound:
            continue
        reason = reason_to_keep(snapshot.name, snapshot.commit, recorded, checked_out=snapshot.checked_out)
        if reason:
            kept.append(KeptSnapshot(snapshot.name, reason))
        else:
            going.append(snapshot)
    named = plan_id({snapshot.name: snapshot.commit for snapshot in going})
    return Result(tuple(going), tuple(kept), named, dry_run=True, event="")
