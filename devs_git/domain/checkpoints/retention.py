"""What is older than the policy's time, and why some of it stays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Final

from devs_git.domain.ledger.events import Event, RefUpdate
from devs_git.values import immutable

# Below it are the branches that devs-git names itself.
OWN_BRANCHES: Final = "refs/heads/devs/"
# A thing of each kind, for a count of one and of more.
NOUNS: Final = {
    "moments": ("moment", "moments"),
    "backups": ("backup", "backups"),
    "preserved": ("preserved branch", "preserved branches"),
    "spool": ("unread payload", "unread payloads"),
    "conversations": ("conversation", "conversations"),
    "conversation snapshots": ("snapshot of a conversation", "snapshots of conversations"),
    "traces": ("trace", "traces"),
    "written sessions": (
        "session that devs-git wrote for a client",
        "sessions that devs-git wrote for clients",
    ),
}


@immutable
class Kept:
    """Something old that stays, and why."""

    name: str
    reason: str


@immutable
class Outdated:
    """What of one kind goes, and what old things of it stay. `seconds`: how long this kind is kept. `count` counts moments, not days.

    `names` has a name for each thing that people know by a name. `updates` delete its refs, `files` are its files,
    `rows` are ids of rows of the catalog.
    """

    kind: str
    seconds: int
    count: int = 0
    names: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    updates: tuple[RefUpdate, ...] = ()
    files: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    # Refs of days of which some moments stay, with their oids, and the ids of these moments.
    reduced: tuple[tuple[str, str, frozenset[str]], ...] = ()

    @property
    def amount(self) -> str:
        """How many went, as the event and `doctor` say it: `412 moments`, `1 backup`."""
        one, more = NOUNS[self.kind]
        return f"{self.count} {one if self.count == 1 else more}"


def first_kept_day(now: datetime, days: int) -> str:
    """The oldest day that stays (`2026-11-09`, UTC) if today and `days` whole days before it stay. '' if every day stays."""
    number = now.astimezone(UTC).toordinal() - days
    return date.fromordinal(number).isoformat() if number > 0 else ""


def operation_of(backup: str) -> str:
    """The operation of a backup's name: recovery and `doctor` save a second one as `<operation>-found…`."""
    return backup.partition("-found")[0]


def needed_by_undo(operations: Sequence[Event], young: Iterable[str]) -> frozenset[str]:
    """The operations from the first `young` one on, in the ledger's order.

    An undo of an operation goes back over all that came after it, and needs their backups, too. A clock that was set back
    may have given one of those an older time.
    """
    order = [event.op_id for event in operations]
    places = [order.index(op_id) for op_id in young if op_id in order]
    return frozenset(order[min(places) :]) if places else frozenset()


def branches_left(operations: Iterable[Event], heads: Mapping[str, str]) -> dict[str, str]:
    """For each operation that left a branch under a name of the person's: the branch, if it has not moved.

    Only the backup tells that such a branch is no line of work of its own.
    """
    found = {}
    for event in operations:
        name, _, oid = event.preserved.partition(" ")
        if name.startswith("refs/heads/") and not name.startswith(OWN_BRANCHES) and heads.get(name) == oid:
            found[event.op_id] = name.removeprefix("refs/heads/")
    return found


def plan_id(kinds: Sequence[Outdated]) -> str:
    """An id for exactly these refs at these oids, and these files."""
    lines = [f"{one.ref} {one.old}" for kind in kinds for one in kind.updates]
    lines += [file for kind in kinds for file in kind.files]
    lines += [f"{kind.kind} {row}" for kind in kinds for row in kind.rows]
    lines += [f"{ref} {oid} {' '.join(sorted(stay))}" for kind in kinds for ref, oid, stay in kind.reduced]
    digest = hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogateescape")).hexdigest()
    return f"prune:{sum(kind.count for kind in kinds)}:{digest[:12]}"
