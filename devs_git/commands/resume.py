"""`resume`: go on with a task or a contract, in a new session or in the one that it had; without a name, list them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devs_git.domain.ledger import paging
from devs_git.domain.resume import bundle_text, choices, start_command
from devs_git.domain.resume.bundle import Bundle, Mode
from devs_git.domain.text import field_values
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.recall import open_catalog
from devs_git.operations.resume import bundle_facts, make_bundle, resumable
from devs_git.operations.resume.resumable import Named, Row
from devs_git.storage.catalog import conversation_snapshots, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions.newest_messages import Span
from devs_git.storage.ledger.store import Tip
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@2` (the conversation up to there), a contract, or '' for the list.

    `contract`: the name is a contract's, if a task has it, too. `context`: what the new session is told besides. `to`: the
    client, by default that of the last session. `tokens`: of the bundle. `limit`, `cursor`: of the list.
    `choose` asks a person for one of so many rows.
    """

    target: str = ""
    mode: str = ""
    contract: bool = False
    context: str = ""
    to: str = ""
    tokens: int = choices.BUDGET
    limit: int = 50
    cursor: str = ""
    choose: Callable[[int], int] | None = None

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, choices.ROWS)
        if self.mode and self.mode not in choices.MODES:
            raise invalid("mode", "There is no such mode.", hint="Use one of: " + ", ".join(choices.MODES))
        if not choices.LEAST <= self.tokens <= choices.MOST:
            raise invalid(
                "tokens", f"A bundle has from {choices.LEAST} to {choices.MOST} tokens, not {self.tokens}."
            )
        field_values.check_body("context", self.context, longest=choices.LONGEST)
        if self.to:
            start_command.command(self.to)

    @property
    def only_reads(self) -> bool:
        """Whether nothing is written: a bundle is shown, or the list."""
        return True

    def next_request(self, result: Any) -> Request | None:
        """The request for the row that the person chooses; None if nobody is asked."""
        if not isinstance(result, Listing) or not result.rows or self.choose is None:
            return None
        row = result.rows[self.choose(len(result.rows)) - 1]
        return replace(self, target=row.task_id or row.contract, contract=not row.task_id)


@immutable
class Result:
    """`bundle`: what the new session is told. `start_command`: the words that start the client, with the bundle's text as its
    first message; it belongs into the folder `worktree` ('' if the worktree of the task is gone). One of `task_id` and
    `contract` is absent. `markdown` is the text of the bundle.
    """

    mode: Mode
    bundle: Bundle
    session: None
    start_command: tuple[str, ...]
    rewind: None
    fork: None
    worktree: str
    client: str
    markdown: str
    task_id: str | None = field(default=None, metadata={"optional": True})
    contract: str | None = field(default=None, metadata={"optional": True})


@immutable
class Listing:
    """What can be resumed, the newest first. `next_cursor`: for the older ones, '' for none."""

    rows: tuple[Row, ...]
    next_cursor: str


def find(workspace: Workspace, request: Request) -> Named | None:
    """What the request names; None for the list. TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, CONTRACT_NOT_FOUND."""
    if not request.target:
        return None
    history = workspace.ledger.require().here
    return resumable.find(workspace.store_git, history, request.target, contract=request.contract)


def run(workspace: Workspace, request: Request) -> Result | Listing:
    """NOT_INITIALIZED, why nobody may believe the ledger, and the codes of `find`."""
    tip = workspace.ledger.require()
    workspace.require_believed()
    named = find(workspace, request)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        if named is None:
            found = resumable.rows(tip.here, catalog)
            page, more = paging.cut(found, resumable.key, request.limit, request.cursor, downwards=True)
            return Listing(page, more)
        return _with_context(workspace, tip, catalog, request, named)


def _with_context(workspace: Workspace, tip: Tip, catalog: Catalog, request: Request, named: Named) -> Result:
    """The bundle, and a new session."""
    task = named.task
    if task is None:
        raise invalid("mode", "A contract goes on in its session: with_context is for a task.")
    wanted = bundle_facts.Wanted("with_context", request.context, named.point)
    facts = bundle_facts.of_task(workspace, tip, task, wanted)
    bundle = make_bundle.make(catalog, facts, _span(catalog, named), request.tokens)
    text = bundle_text.as_markdown(bundle)
    last = messages.session_of_task(catalog, task.task_id)
    client = request.to or (last.client if last else "") or start_command.CLIENTS[0]
    return Result(
        mode="with_context",
        bundle=bundle,
        session=None,
        start_command=start_command.command(client, text),
        rewind=None,
        fork=None,
        worktree=bundle.code.worktree,
        client=client,
        markdown=text,
        task_id=task.task_id,
    )


def _span(catalog: Catalog, named: Named) -> Span:
    """The messages of the task, up to the checkpoint that is named."""
    assert named.task
    if named.point is None:
        return Span(named.task.task_id)
    kept = conversation_snapshots.of_tag(catalog, named.point.tag)
    span = Span(named.task.task_id, until=named.point.created_at)
    return span._replace(session_id=kept.session_id, upto=kept.message_count) if kept else span
