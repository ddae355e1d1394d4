"""`resume`: go on with a task or a contract, in a new session or in the one that it had; without a name, list them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devs_git.domain.ledger import paging
from devs_git.domain.resume import bundle_text, choices, start_command
from devs_git.domain.resume.bundle import Bundle, Mode
from devs_git.domain.text import field_values
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.recall import open_catalog
from devs_git.operations.resume import native_session, prepare, resumable
from devs_git.operations.resume.native_session import Ready, ResumedSession, Wish
from devs_git.operations.resume.prepare import Prepared, Wanted
from devs_git.operations.resume.resumable import Named, Row
from devs_git.storage.catalog.database import Catalog
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@2` (the conversation up to there), or a contract. `contract` is a contract, in any case, and
    counts if both are there.
    Without both it is the list. `mode`: '' for that of the table in docs/resume.md. `context`: what the new session is told besides. `to`: the
    client, by default that of the last session. `tokens`: of the bundle. `limit`, `cursor`: of the list.
    `choose` asks a person for one of so many rows. `force`: although a session is at work on it.
    """

    target: str = ""
    mode: str = ""
    contract: str = ""
    context: str = ""
    to: str = ""
    tokens: int = choices.BUDGET
    limit: int = 50
    cursor: str = ""
    force: bool = False
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
        """Whether nothing is written: a bundle is shown, or the list. `settle` has filled in the mode."""
        return self.mode in ("", "with_context")

    def next_request(self, result: Any) -> Request | None:
        """The request for the row that the person chooses; None if nobody is asked."""
        if not isinstance(result, Listing) or not result.rows or self.choose is None:
            return None
        row = result.rows[self.choose(len(result.rows)) - 1]
        return replace(self, target=row.task_id, contract="" if row.task_id else row.contract)


@immutable
class Result:
    """`bundle`: what the new session is told; `markdown` is its text. `session` goes on; it is null if a new one begins.

    `start_command`: the words that start the client, in the folder `worktree` ('' if the worktree of the task is gone). A new
    session gets the bundle's text as its first message. One of `task_id` and `contract` is absent.
    """

    mode: Mode
    bundle: Bundle
    session: ResumedSession | None
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
    name = request.contract or request.target
    if not name:
        return None
    history = workspace.ledger.require().here
    return resumable.find(workspace.store_git, history, name, contract=bool(request.contract))


def settle(workspace: Workspace, request: Request) -> Request:
    """The request with the mode that it has if nobody says one. The codes of `find`."""
    named = None if request.mode else find(workspace, request)
    return replace(request, mode="with_context" if named.task else "continue") if named else request


def run(workspace: Workspace, request: Request) -> Result | Listing:
    """NOT_INITIALIZED, why nobody may believe the ledger, and the codes of `find` and of `native_session.find`. TASK_RUNNING."""
    tip = workspace.ledger.require()
    workspace.require_believed()
    named = find(workspace, request)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        if named is None:
            found = resumable.rows(tip.here, catalog)
            page, more = paging.cut(found, resumable.key, request.limit, request.cursor, downwards=True)
            return Listing(page, more)
        wanted = Wanted(
            "continue" if request.mode == "continue" else "with_context", request.context, request.tokens
        )
        prepared = prepare.prepare(workspace, tip, catalog, named, wanted)
        for error in [] if request.force else _at_work(workspace, named, prepared):
            raise error
        ready = _go_on(workspace, catalog, request, named, prepared) if request.mode == "continue" else None
        return _result(request, named, prepared, ready)


def _at_work(workspace: Workspace, named: Named, prepared: Prepared) -> list[DevsError]:
    """TASK_RUNNING if the session is at work, or another one in the worktree in which the task is active."""
    from devs_git.operations.sessions import running

    active = prepared.places and named.task and named.task.status == "active"
    here = running.in_worktree(workspace, prepared.places) if active and prepared.places else []
    return [*running.of_session(workspace, prepared.session_id), *here]


def _go_on(
    workspace: Workspace, catalog: Catalog, request: Request, named: Named, prepared: Prepared
) -> Ready:
    """The session that the task or the contract had."""
    if named.point:
        raise invalid(
            "target", "A session goes on where it ended.", hint="Name the task without a checkpoint."
        )
    if not prepared.session_id:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "No session is known that could go on.",
            hint="Begin a new one: devs-git resume TASK --mode with_context",
        )
    places = prepared.places or workspace.places
    wish = Wish(request.to, places, f"devs {named.name}", request.context)
    return native_session.find(workspace, catalog, prepared.session_id, wish)


def _result(request: Request, named: Named, prepared: Prepared, ready: Ready | None) -> Result:
    text = bundle_text.as_markdown(prepared.bundle)
    client = ready.session.client if ready else request.to or prepared.client or start_command.CLIENTS[0]
    return Result(
        mode=prepared.bundle.mode,
        bundle=prepared.bundle,
        session=ready.session if ready else None,
        start_command=ready.command if ready else start_command.command(client, text),
        rewind=None,
        fork=None,
        worktree=prepared.bundle.code.worktree,
        client=client,
        markdown=text,
        task_id=named.task.task_id if named.task else None,
        contract=named.contract.name if named.contract else None,
    )
