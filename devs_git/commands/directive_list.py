"""`directive list`: directives with their states and times, newest first. Tier 0."""

from __future__ import annotations

from typing import Final

from devs_git.domain.directives.directive import STATES, State
from devs_git.domain.ledger import ids, paging
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.directives import delivery_proofs
from devs_git.operations.directives.judge import Judge, JudgedDirective
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import directives
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST: Final = 10_000


@immutable
class Request(VerbRequest):
    """`task_id` and `state`: only these, '' for all. At most `limit` of them, after those before `cursor`."""

    task_id: str = ""
    state: str = ""
    limit: int = 50
    cursor: str = ""

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)
        if self.task_id:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        if self.state not in ("", *STATES):
            raise invalid("state", f"{self.state!r} is not a state.", hint="Use one of: " + ", ".join(STATES))


@immutable
class Row:
    """One directive. A time is '' for what has not happened. `tries`: how often it was handed over.

    `refused`: why it is never handed over; then `author` is only whom the ledger names.
    """

    directive_id: str
    task_id: str
    text: str
    state: State
    written_at: str
    handed_at: str
    seen_at: str
    withdrawn_at: str
    author: str
    tries: int
    refused: str


@immutable
class Result:
    """Newest first. `next_cursor` is '' at the end of the list."""

    directives: tuple[Row, ...]
    next_cursor: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, and why nobody may believe the ledger."""
    workspace.ledger.require()
    workspace.require_believed()
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        with catalog.allow_unwritable(workspace.say):
            delivery_proofs.note(workspace, catalog, request.task_id)
        known = directives.standings(catalog, request.task_id)
    judge = Judge(workspace)
    found = [one for one in reversed(known) if request.state in ("", one.state)]
    page, more = paging.cut(
        found,
        lambda one: f"{one.written_at} {one.directive_id}",
        request.limit,
        request.cursor,
        downwards=True,
    )
    return Result(tuple(_row(judge.judge(one)) for one in page), more)


def _row(judged: JudgedDirective) -> Row:
    known = judged.standing
    return Row(
        directive_id=known.directive_id,
        task_id=known.task_id,
        text=judged.text,
        state=known.state,
        written_at=known.written_at,
        handed_at=known.handed_at,
        seen_at=known.seen_at,
        withdrawn_at=known.gone_at,
        author=judged.author,
        tries=known.tries,
        refused=judged.refused,
    )
