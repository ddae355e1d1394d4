"""Which snapshots may be deleted: old ones that did not change after `snapshot create`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from devs_git.domain.ledger.event_branches import SnapshotCreated
from devs_git.domain.ledger.events import Event
from devs_git.values import immutable


@immutable
class KeptSnapshot:
    """An old snapshot that stays, and why."""

    name: str
    reason: str


def recorded_snapshots(events: Iterable[Event]) -> frozenset[tuple[str, str]]:
    """The branch and commit of every snapshot in the ledger."""
    made = (event for event in events if event.type == SnapshotCreated.type and not event.failed)
    return frozenset((snapshot.branch, snapshot.commit) for snapshot in map(SnapshotCreated.of, made))


def reason_to_keep(name: str, commit: str, recorded: frozenset[tuple[str, str]], *, checked_out: bool) -> str:
    """Why an old branch stays; '' if it may be deleted."""
    if checked_out:
        return "it is checked out"
    if (name, commit) not in recorded:
        return "it has moved, or was not made by 'snapshot create'"
    return ""


def plan_id(branches: Mapping[str, str]) -> str:
    """An id for exactly these branches at these commits."""
    lines = "\n".join(f"{name} {commit}" for name, commit in sorted(branches.items()))
    return (
        f"prune:{len(branches)}:{hashlib.sha256(lines.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"
    )
