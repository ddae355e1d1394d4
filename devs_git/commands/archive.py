"""`archive`: keep the checkpoints of old tasks behind one ref, so that git has fewer refs to list. Nothing is lost.

`task-10@2` still names the checkpoint. With `undo` all refs come back.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from devs_git.domain.checkpoints.wanted_refs import VISIBLE
from devs_git.domain.text.quantities import span
from devs_git.domain.text.times import stamp
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import invalid
from devs_git.operations.archive import archive_checkpoints
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`older_than`: a span such as 30d; a task that was completed before it is archived. `tags`: its visible tag, too.

    `undo`: take all archives back.
    """

    older_than: str = "30d"
    tags: bool = False
    undo: bool = False
    dry_run: bool = False

    def __post_init__(self) -> None:
        try:
            span(self.older_than)
        except ValueError as error:
            raise invalid("older_than", str(error)) from error
        if self.undo and self.tags:
            raise invalid("tags", "All tags come back with --undo.", hint="Leave --tags out.")


@immutable
class Result(VerbResult):
    """`refs`: how many refs were deleted, or made again with `undo`; `tags` of them are visible tags.

    `archives`: the commits that were written, or deleted with `undo`.
    """

    refs: int
    tags: int
    archives: tuple[str, ...]
    undo: bool
    dry_run: bool
    blocked_by: tuple[dict[str, Any], ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """Archive, or take back; CONFLICT if another process moves a ref meanwhile."""
    workspace.ledger.require()
    if request.undo:
        found, entries = archive_checkpoints.plan_return(workspace)
        if found and not request.dry_run:
            archive_checkpoints.take_back(workspace, found, entries)
    else:
        before = stamp(workspace.clock() - timedelta(seconds=span(request.older_than)))
        plan = archive_checkpoints.make_plan(workspace, before, with_tags=request.tags)
        entries, found = plan.wanted, ()
        if entries and not request.dry_run:
            made, entries = archive_checkpoints.carry_out(workspace, plan)
            found = (made,) if made else ()
    tags = sum(entry.ref.startswith(VISIBLE) for entry in entries)
    return Result(len(entries), tags, found, request.undo, request.dry_run)
