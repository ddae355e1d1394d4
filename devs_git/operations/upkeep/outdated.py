"""Finds what is older than the policy allows: moments, backups, preserved branches, unread payloads, the catalog's. Reads only."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

from devs_git.domain.checkpoints import retention
from devs_git.domain.checkpoints.retention import Kept, Outdated
from devs_git.domain.ledger.event_branches import SnapshotCreated
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.ids import is_operation
from devs_git.domain.moments.moment import STATES
from devs_git.operations.recall import spool
from devs_git.operations.upkeep import old_records
from devs_git.storage.catalog.database import TROUBLE, Catalog
from devs_git.storage.git import refs
from devs_git.storage.git.object_graph import contents
from devs_git.storage.moments import prune_moments
from devs_git.storage.moments.prune_moments import Day
from devs_git.workspace import Workspace

PRESERVED = "refs/heads/devs/preserved/"


def find(workspace: Workspace, catalog: Catalog) -> tuple[Outdated, ...]:
    """What is older than its time, by kind. POLICY_INVALID, and the refusals of a ledger that nobody may believe."""
    backups = _backups(workspace)
    every = refs.list_refs(workspace.store_git, refs.BACKUPS.rstrip("/"))
    staying = {ref.removeprefix(refs.BACKUPS) for ref in every}.difference(backups.names)
    return (
        _moments(workspace),
        backups,
        _preserved(workspace),
        _payloads(workspace),
        *old_records.find(workspace, catalog, {retention.operation_of(name) for name in staying}),
    )


def look(workspace: Workspace) -> tuple[Outdated, ...]:
    """As `find`, for a reader: nothing is written. Without a catalog that can be read, it names nothing of the catalog."""
    places = workspace.places
    try:
        held = Catalog.look(places.shared)
    except TROUBLE:
        # There is no such folder, so this catalog is empty and in memory.
        held = Catalog.look(places.shared / "none")
    with held as catalog:
        return find(workspace, catalog)


def _moments(workspace: Workspace) -> Outdated:
    """Old days. Of a day that has the moment of a snapshot or of a live fork, this moment stays."""
    policy = workspace.policy
    bound = retention.first_kept_day(workspace.clock(), policy.days_of_moments)
    old = [day for day in prune_moments.days(workspace.store_git) if day.day < bound]
    held = {**old_records.fork_moments(workspace), **_moments_of_snapshots(workspace)} if old else {}
    going = [day for day in old if not held.keys() & set(day.ids)]
    mixed = [(day, held.keys() & set(day.ids)) for day in old if day not in going]
    return Outdated(
        "moments",
        policy.days_of_moments * 86400,
        sum(day.moments for day in going) + sum(_count_of_others(day, stay) for day, stay in mixed),
        tuple(f"{day.worktree} {day.day}" for day in going),
        tuple(
            Kept(f"{day.worktree} {day.day}", f"{held[one]} needs a moment of it")
            for day, stay in mixed
            for one in stay
        ),
        prune_moments.deletions(going),
        reduced=tuple(
            (ref, oid, frozenset(stay))
            for day, stay in mixed
            for ref, oid in day.refs
            if ref.startswith(STATES) and _count_of_others(day, stay)
        ),
    )


def _count_of_others(day: Day, stay: Collection[str]) -> int:
    return sum(one not in stay for one in day.ids)


def _moments_of_snapshots(workspace: Workspace) -> dict[str, str]:
    """The moments of snapshots whose branch exists, each with the name of the branch."""
    heads = refs.list_refs(workspace.store_git, "refs/heads/snapshot")
    tip = workspace.ledger.tip().oid
    events = workspace.ledger.events(tip) if heads else ()
    made = (
        SnapshotCreated.of(event)
        for event in events
        if event.type == SnapshotCreated.type and not event.failed
    )
    return {one.moment: one.branch for one in made if one.moment and f"refs/heads/{one.branch}" in heads}


def _backups(workspace: Workspace) -> Outdated:
    seconds = workspace.policy.keep_backups
    bound = workspace.clock().timestamp() - seconds
    found = {name: (oid, at) for name, oid, at in _dated(workspace, refs.BACKUPS)}
    young = [retention.operation_of(name) for name, (_, at) in found.items() if at >= bound]
    old = {name: oid for name, (oid, at) in found.items() if at < bound}
    reasons = _reasons(workspace, young) if old else {}
    going = {name: oid for name, oid in old.items() if retention.operation_of(name) not in reasons}
    kept = [Kept(name, reasons[retention.operation_of(name)]) for name in old if name not in going]
    return Outdated(
        "backups", seconds, len(going), tuple(going), tuple(kept), _deletions(refs.BACKUPS, going.items())
    )


def _reasons(workspace: Workspace, young: list[str]) -> dict[str, str]:
    """Why the backup of an operation stays although it is old."""
    operations = workspace.ledger.tip().history.operations
    needed = retention.needed_by_undo(operations, young)
    heads = refs.list_refs(workspace.store_git, "refs/heads")
    return {
        **dict.fromkeys(needed, "the undo of a newer operation needs it"),
        **{
            op_id: f"the branch {name} is as the operation left it"
            for op_id, name in retention.branches_left(operations, heads).items()
        },
        **{path.stem: "its operation was interrupted" for path in workspace.places.journals.glob("*.json")},
    }


def _preserved(workspace: Workspace) -> Outdated:
    """Branches that a rewind preserved, that are still where it left them, and that nobody has checked out."""
    seconds = workspace.policy.keep_preserved
    bound = workspace.clock().timestamp() - seconds
    old = {
        name: oid
        for name, oid, _ in _dated(workspace, PRESERVED)
        if is_operation(name) and _time_of(name) < bound
    }
    going, kept = {}, []
    left = _left_by_us(workspace) if old else set()
    open_now = _checked_out(workspace) if old else set()
    for name, oid in old.items():
        ref = PRESERVED + name
        if ref in open_now:
            kept.append(Kept(name, "it is checked out"))
        elif (ref, oid) not in left:
            kept.append(Kept(name, "it has moved since a rewind left it"))
        else:
            going[name] = oid
    return Outdated(
        "preserved", seconds, len(going), tuple(going), tuple(kept), _deletions(PRESERVED, going.items())
    )


def _left_by_us(workspace: Workspace) -> set[tuple[str, ...]]:
    """Name and oid of the refs that operations left. The operation may be older than its backup is kept."""
    return {tuple(event.preserved.split()) for event in workspace.ledger.tip().history.operations}


def _checked_out(workspace: Workspace) -> set[str]:
    out = workspace.store_git.run("for-each-ref", "--format=%(worktreepath)%00%(refname)", PRESERVED)
    rows = (os.fsdecode(line).split("\0") for line in out.split(b"\n") if line)
    return {name for place, name in rows if place}


def _payloads(workspace: Workspace) -> Outdated:
    seconds = workspace.policy.keep_spool
    bound = workspace.clock().timestamp() - seconds
    files = tuple(sorted(os.fspath(path) for path in spool.rejected_before(workspace.places, bound)))
    return Outdated("spool", seconds, len(files), files=files)


def _dated(workspace: Workspace, folder: str) -> Iterator[tuple[str, str, int]]:
    """Short name, oid and time (seconds) of each ref below a folder. A ref whose commit is missing is left out."""
    git = workspace.store_git
    found = refs.list_refs(git, folder.rstrip("/"))
    times = {oid: _committed(data) for oid, data in contents(git, list(dict.fromkeys(found.values())))}
    yield from ((ref.removeprefix(folder), oid, times[oid]) for ref, oid in found.items() if oid in times)


def _committed(commit: bytes) -> int:
    """When a commit was made; 0 if it does not say."""
    said = re.search(rb"^committer .* (\d{1,15}) [+-]\d+$", commit.partition(b"\n\n")[0], re.MULTILINE)
    return int(said[1]) if said else 0


def _time_of(op_id: str) -> float:
    """When an operation began, in seconds, by its id (`20010203T040506-1a2b3c4d`). Infinity if the id has no such time."""
    try:
        return datetime.strptime(op_id[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return math.inf


def _deletions(folder: str, going: Iterable[tuple[str, str]]) -> tuple[RefUpdate, ...]:
    return tuple(RefUpdate(folder + name, NO_OID, oid) for name, oid in going)
