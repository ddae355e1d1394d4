"""`du`: what of devs-git takes how much space in this repository, and how much of it is older than the policy keeps it."""

from __future__ import annotations

from devs_git.domain.checkpoints.retention import Outdated
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.operations.upkeep import disk_use, outdated
from devs_git.operations.upkeep.disk_use import Use
from devs_git.storage.moments import prune_moments
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """Nothing to choose."""


@immutable
class Kind:
    """How much one kind takes: a count, and bytes on disk (-1 if git cannot read its objects).

    `keep`: for how many seconds the policy keeps it; -1 if `prune` never deletes it. `old`: how many `prune` would delete.
    """

    kind: str
    count: int
    bytes: int
    keep: int
    old: int


@immutable
class DayOfMoments:
    """The moments of one worktree (git's name, `.` for the main one) on one day in UTC."""

    worktree: str
    day: str
    moments: int


@immutable
class Result(VerbResult):
    """All kinds, and the days of moments, oldest first. `bytes`: the sum of what could be measured."""

    kinds: tuple[Kind, ...]
    days: tuple[DayOfMoments, ...]
    bytes: int


def run(workspace: Workspace, request: Request) -> Result:  # noqa: ARG001 - every verb has one
    """The sizes now; reads only. POLICY_INVALID."""
    workspace.ledger.require()
    old = {one.kind: one for one in outdated.look(workspace)}
    days = prune_moments.days(workspace.store_git)
    kinds = tuple(_kind(use, old) for use in disk_use.measure(workspace, days))
    listed = tuple(DayOfMoments(day.worktree, day.day, day.moments) for day in days)
    return Result(kinds, listed, sum(max(kind.bytes, 0) for kind in kinds))


def _kind(use: Use, old: dict[str, Outdated]) -> Kind:
    going = old.get(use.kind)
    return Kind(use.kind, use.count, use.bytes, going.seconds if going else -1, going.count if going else 0)
