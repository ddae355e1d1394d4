"""`history-rewritten`: move the checkpoints to the new commits after a program such as git filter-repo rewrote the history.

No file of the working tree changes. A checkpoint whose commit did not change keeps its number.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from devs_git.domain.checkpoints.rewritten_history import parse_map
from devs_git.domain.ledger.events import Draft
from devs_git.domain.text import limits
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.archive import archive_checkpoints
from devs_git.operations.checkpoint import follow_rewritten_history
from devs_git.operations.checkpoint.follow_rewritten_history import Plan
from devs_git.storage.git import bounded, refs
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

_LISTED = 10
_WITHOUT_MAP = (
    "Without --map, a checkpoint moves only if no branch, here or of a remote, has its commit, and exactly one other commit "
    "has its files. If the history was rewritten, name the program's map: "
    "devs-git history-rewritten --map .git/filter-repo/commit-map"
)
_WITH_MAP = "The map has no new commit for the commit of any checkpoint."


@immutable
class Request(VerbRequest):
    """`map`: a file with old and new commits, such as filter-repo's `commit-map`, relative to `folder`. '' to compare trees."""

    map: str = ""
    folder: str = ""
    dry_run: bool = False


@immutable
class MovedCheckpoint:
    """A checkpoint that moved; `name` is its new name ('' in a dry run)."""

    before: str
    name: str
    old_commit: str
    commit: str


@immutable
class Result(VerbResult):
    """`emptied`: checkpoints whose commits are not in the new history. `lost`: checkpoints that this clone no longer has.
    `refs`: refs of devs-git that the rewrite had changed, and that were repaired. `event` is '' if nothing moved; then
    `reason` says why.
    """

    moved: tuple[MovedCheckpoint, ...]
    emptied: tuple[str, ...]
    lost: tuple[str, ...]
    refs: tuple[str, ...]
    event: str
    dry_run: bool
    reason: str = ""
    blocked_by: tuple[dict[str, Any], ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """Move and record in one transaction. CONFLICT{unknown} if nobody can tell where a checkpoint is now,
    INVALID_ARGUMENTS{map}, LEDGER_FORK, HISTORY_REWRITTEN.
    """
    new_of = _read(request) if request.map else None
    ledger = workspace.ledger
    of_ledger = follow_rewritten_history.find_ledger_rewrite(workspace, new_of)
    if not (of_ledger.back or of_ledger.believed):
        workspace.require_believed()
    if request.dry_run:
        tip = Tip(ledger, of_ledger.back) if of_ledger.back else ledger.tip()
        return _result(_make_plan(workspace, tip, new_of), new_of, dry_run=True)
    try:
        follow_rewritten_history.repair_ledger(workspace, of_ledger)
        follow_rewritten_history.restore_archived_tags(workspace.store_git)
        result = _carry_out(workspace, new_of)
        # Last: until the checkpoints moved, only the archive may have their commits.
        archive_checkpoints.take_back_rewritten(workspace)
    except refs.RefMoved as error:
        text = "Another git process moved a ref at this moment. Nothing was changed."
        raise DevsError("CONFLICT", text, hint="Run the command again.") from error
    return result


class _NothingMoved(Exception):
    """No checkpoint moved; refs may need a repair."""


def _carry_out(workspace: Workspace, new_of: dict[str, str] | None) -> Result:
    plans: list[Plan] = []
    names: tuple[str, ...] = ()

    def build(tip: Tip) -> Draft:
        nonlocal names
        plans.append(_make_plan(workspace, tip, new_of))
        if not (plans[-1].found.moves or plans[-1].found.emptied or plans[-1].lost):
            raise _NothingMoved
        changes = follow_rewritten_history.build_changes(
            workspace, tip, plans[-1], "trees" if new_of is None else "map"
        )
        names, count = changes.names, len(changes.names)
        event = workspace.event_of(
            changes.content,
            f"history: rewritten, {count} checkpoint{'' if count == 1 else 's'} moved",
            verb_name="history-rewritten",
        )
        return Draft(event, (), changes.updates)

    try:
        written = workspace.append(build)
        return replace(_result(plans[-1], new_of, names), event=written.oid)
    except _NothingMoved:
        if plans[-1].mended:
            refs.transaction(workspace.ledger.git, plans[-1].mended, "devs: history-rewritten")
        return _result(plans[-1], new_of)


def _read(request: Request) -> dict[str, str]:
    path = Path(os.path.join(request.folder, request.map))  # noqa: PTH118 - odd bytes survive
    try:
        found = parse_map(bounded.read_file(path, limits.REFS, "map").decode("ascii", "replace"))
    except OSError as error:
        hint = "git filter-repo writes it to .git/filter-repo/commit-map"
        raise invalid("map", f"The map cannot be read: {error.strerror}.", hint=hint) from error
    if not found:
        raise invalid("map", "The map has no line with an old and a new commit of 40 digits each.")
    return found


def _make_plan(workspace: Workspace, tip: Tip, new_of: dict[str, str] | None) -> Plan:
    """The plan; CONFLICT with the checkpoints whose new place nobody can tell."""
    plan = follow_rewritten_history.make_plan(workspace, tip, new_of)
    if not plan.found.unknown:
        return plan
    rows = [f"{point.name}: {why}" for point, why in plan.found.unknown]
    more = f"\n  and {len(rows) - _LISTED} more" if len(rows) > _LISTED else ""
    raise DevsError(
        "CONFLICT",
        "devs-git cannot tell where these checkpoints are now. Nothing was changed.\n"
        + "\n".join(f"  {row}" for row in rows[:_LISTED])
        + more,
        hint="Give the map that the program wrote: devs-git history-rewritten --map .git/filter-repo/commit-map"
        if new_of is None
        else "Use the map of all rewrites, fetch the new commits, or add lines to the map: <old commit> <new commit>",
        unknown=tuple(rows),
    )


def _result(
    plan: Plan, new_of: dict[str, str] | None, names: tuple[str, ...] = (), *, dry_run: bool = False
) -> Result:
    moves = plan.found.moves
    nothing = not (moves or plan.found.emptied or plan.lost or plan.mended)
    new_names = names or ("",) * len(moves)
    return Result(
        moved=tuple(
            MovedCheckpoint(point.name, name, point.commit, commit)
            for (point, commit), name in zip(moves, new_names, strict=True)
        ),
        emptied=tuple(point.name for point in plan.found.emptied),
        lost=tuple(point.name for point in plan.lost),
        refs=tuple(dict.fromkeys(update.ref for update in plan.mended)),
        event="",
        dry_run=dry_run,
        reason=(_WITHOUT_MAP if new_of is None else _WITH_MAP) if nothing else "",
    )
