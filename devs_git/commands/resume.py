"""`resume`: go on with a task or a contract, in a new session or in the one that it had; without a name, list them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from devs_git.domain.checkpoints.rewind_selection import preserve_mode
from devs_git.domain.ledger import paging
from devs_git.domain.resume import bundle_text, choices, earlier_options, start_command
from devs_git.domain.resume.bundle import Bundle, Mode
from devs_git.domain.text import field_values
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.fork import make_fork
from devs_git.operations.recall import open_catalog
from devs_git.operations.resume import code_state, native_session, prepare, resume_targets
from devs_git.operations.resume.native_session import ReadySession, ResumedSession, Wish
from devs_git.operations.resume.prepare import BundleRequest, LastSession
from devs_git.operations.resume.resume_targets import ResumeTarget, Row
from devs_git.operations.rewind import go_back
from devs_git.operations.sessions import line_of_session
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.rewound import ledger_marks
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import Checkpoint
    from devs_git.operations.resume.earlier_state import Way


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@2` (the conversation up to there), or a contract. `contract`: a contract; it counts before
    `target`. Without both it is the list. `mode`: '' for that of the table in docs/resume.md. `context`: what else the new
    session is told. `to`: the client, by default that of the last session. `tokens`: of the bundle. `limit`, `cursor`: of
    the list. `choose` asks a person for one of so many rows. `force`: go on although a session is at work on it. `execute`:
    also start the client, at the terminal, and wait until it ends.

    In a mode that goes on from an earlier state: `checkpoint`: of a task also its number alone. `fork`: leave this worktree,
    and begin a new task with this `name` and `plan`. `preserve` and `untracked`: those of a rewind, without `fork`.
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
    checkpoint: str = ""
    name: str = ""
    plan: str = ""
    fork: bool = False
    preserve: str | None = None
    untracked: str | None = None
    execute: bool = False
    choose: Callable[[int], int] | None = None

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, choices.ROWS)
        if self.mode and self.mode not in choices.MODES:
            raise invalid("mode", "There is no such mode.", hint="Use one of: " + ", ".join(choices.MODES))
        if not choices.LEAST <= self.tokens <= choices.MOST:
            raise invalid(
                "tokens", f"The tokens must be from {choices.LEAST} to {choices.MOST}, not {self.tokens}."
            )
        field_values.check_body("context", self.context, longest=choices.LONGEST)
        if self.to:
            start_command.command(self.to)
        given = {name: getattr(self, name) for name in earlier_options.NAMES}
        earlier_options.check(self.mode, given)

    @property
    def only_reads(self) -> bool:
        """Whether nothing is written: a bundle is shown, or the list. `settle` has filled in the mode."""
        return self.mode in ("", "with_context") and not self.execute

    @property
    def frozen_option(self) -> str:
        """A mode that moves code waits while a gate is open."""
        return f"--mode {self.mode}" if self.mode in choices.FROM_EARLIER else ""

    def goes_on(self, result: Any) -> bool:
        """Whether a person is to choose one of the rows."""
        return isinstance(result, Listing) and bool(result.rows) and self.choose is not None

    def next_request(self, result: Any) -> Request | None:
        """The request for the row that the person chooses; None if nobody is asked."""
        row = result.rows[self.choose(len(result.rows)) - 1] if self.choose and self.goes_on(result) else None
        return row and replace(self, target=row.task_id, contract="" if row.task_id else row.contract)


@immutable
class Result:
    """`bundle`: what the new session is told; `markdown` is its text. `session` goes on; it is null if a new one begins.

    `start_command`: the words that start the client, in the folder `worktree` ('' if the worktree of the task is gone). A new
    session gets the bundle's text as its first message. `rewind`, `fork`: what brought the code to an earlier state.
    One of `task_id` and `contract` is absent; a fork goes on as its own task. `exit_code`: of the client, if it was started.
    """

    mode: Mode
    bundle: Bundle
    session: ResumedSession | None
    start_command: tuple[str, ...]
    rewind: go_back.Result | None
    fork: make_fork.Result | None
    worktree: str
    client: str
    markdown: str
    task_id: str | None = field(default=None, metadata={"optional": True})
    contract: str | None = field(default=None, metadata={"optional": True})
    exit_code: int | None = field(default=None, metadata={"optional": True})


@immutable
class Listing:
    """What can be resumed, the newest first. `next_cursor`: for the older ones, '' for none."""

    rows: tuple[Row, ...]
    next_cursor: str


def find(workspace: Workspace, request: Request) -> ResumeTarget | None:
    """What the request names; None for the list. TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, CONTRACT_NOT_FOUND."""
    name = request.contract or request.target
    if not name:
        return None
    tip, contract = workspace.ledger.require(), bool(request.contract)
    if not contract and request.mode not in choices.FROM_EARLIER:
        return resume_targets.look_up(workspace.store_git, tip, name)
    return resume_targets.find(workspace.store_git, tip.here, name, contract=contract)


def settle(workspace: Workspace, request: Request) -> Request:
    """The request, with the default mode if it names none. The codes of `find`."""
    named = None if request.mode else find(workspace, request)
    return replace(request, mode="with_context" if named.task else "continue") if named else request


def run(workspace: Workspace, request: Request) -> Result | Listing:
    """NOT_INITIALIZED, why nobody may believe the ledger, and the codes of `find`, `native_session.find` and `earlier_state.go`.

    TASK_RUNNING.
    """
    result = _prepare(workspace, request)
    if not request.execute or isinstance(result, Listing):
        return result
    from devs_git.operations.resume import start_client

    session = result.session.session_id if result.session else ""
    folder = workspace.places.common.parent / result.worktree
    start = start_client.Start(result.start_command, folder, result.task_id or "", session)
    return replace(result, exit_code=start_client.run(workspace, start))


def _prepare(workspace: Workspace, request: Request) -> Result | Listing:
    """All but the start of the client."""
    tip = workspace.ledger.require()
    workspace.require_believed()
    named = find(workspace, request)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        if named is None:
            found = resume_targets.rows(tip.here, catalog, line_of_session.successors(workspace))
            return Listing(
                *paging.cut(found, resume_targets.key, request.limit, request.cursor, downwards=True)
            )
        known = prepare.find_session(workspace, catalog, named)
        for error in [] if request.force else _at_work(workspace, request, named, known):
            raise error
        if request.execute:
            _require_client(workspace, request, known)
        if request.mode in choices.FROM_EARLIER:
            return _from_earlier(workspace, catalog, request, named, known)
        return _from_now(workspace, catalog, request, named, known)


def _at_work(
    workspace: Workspace, request: Request, named: ResumeTarget, known: LastSession
) -> list[DevsError]:
    """TASK_RUNNING if its session is at work, or another session in the worktree of the task or in the one that is rewound."""
    from devs_git.operations.sessions import running_sessions

    active = known.places and named.task and named.task.status == "active"
    folders = [known.places] if active and known.places else []
    if request.mode in choices.FROM_EARLIER and not _begins_a_task(request, named):
        folders.append(workspace.places)
    here = (error for places in folders for error in running_sessions.in_worktree(workspace, places))
    newest = line_of_session.newest(workspace, known.session_id, shown=request.only_reads)
    names = (known.session_id, *((newest.session_id,) if newest else ()))
    return [*(error for name in names for error in running_sessions.of_session(workspace, name)), *here]


def _require_client(workspace: Workspace, request: Request, known: LastSession) -> None:
    """INVALID_ARGUMENTS {execute} if the client cannot be started: nothing has moved yet."""
    from devs_git.operations.resume import start_client

    start_client.require_program(workspace, start_command.client_of(request.to, known.client))
    if known.places is None and request.mode not in choices.FROM_EARLIER:
        raise invalid("execute", "The worktree of this work is gone.", hint="Leave out --exec.")


def _begins_a_task(request: Request, named: ResumeTarget) -> bool:
    """Whether it is a fork. From a checkpoint, a task always goes on as a new one."""
    return request.fork or (request.mode == "from_checkpoint" and named.task is not None)


def _from_now(
    workspace: Workspace, catalog: Catalog, request: Request, named: ResumeTarget, known: LastSession
) -> Result:
    mode: Mode = "continue" if request.mode == "continue" else "with_context"
    wanted = BundleRequest(mode, request.context, request.tokens, named.point)
    bundle = prepare.make_bundle_of(workspace, catalog, named, known.places, wanted)
    if mode != "continue":
        return _result(request, named, known, bundle, None)
    if named.point:
        raise invalid("target", "A session goes on where it ended.", hint="Name the task without a point.")
    wish = Wish(request.to, known.places or workspace.places, f"devs {named.name}", request.context)
    ready = native_session.find(workspace, catalog, known.session_id, wish)
    return _result(request, named, known, bundle, ready)


def _from_earlier(
    workspace: Workspace, catalog: Catalog, request: Request, named: ResumeTarget, known: LastSession
) -> Result:
    """Bring the code to the earlier state, and say what the new session is told."""
    from devs_git.operations.resume import earlier_state, restart_point

    point = restart_point.find(workspace, named, request.mode, request.checkpoint)
    way = _way(request, named, known, point)
    if way.fork is None:
        earlier_state.require_here(workspace, known.places)
    outcome = earlier_state.go(workspace, catalog, way)
    ledger_marks.catch_up(catalog, workspace.ledger)
    made = outcome.fork
    # A task that was rewound to its beginning has nothing but what is known of it now.
    restarted = request.mode == "clean_restart" and made is None
    wanted = BundleRequest(
        mode=cast("Mode", request.mode),
        context=request.context,
        tokens=request.tokens,
        point=None if restarted else point,
        conversation=request.mode != "clean_restart",
        new_task=made.task_id if made else "",
    )
    places = code_state.places_of(workspace, "", made.task_id) if made else workspace.places
    bundle = prepare.make_bundle_of(workspace, catalog, named, places, wanted)
    first_message = "\n\n".join(filter(None, (request.plan, request.context)))
    ready = native_session.with_command(outcome.session, first_message) if outcome.session else None
    result = _result(request, named, known, bundle, ready)
    if made and named.task:
        result = replace(result, task_id=made.task_id)
    return replace(result, rewind=outcome.rewind, fork=made)


def _way(request: Request, named: ResumeTarget, known: LastSession, point: Checkpoint) -> Way:
    from devs_git.operations.resume.earlier_state import Way

    goes_on = request.mode == "from_checkpoint"
    session_id = known.session_id if goes_on and named.contract else ""
    if not _begins_a_task(request, named):
        if request.name or request.plan:
            raise invalid("name", "Only a new task has a name and a plan.", hint="Begin one: --fork")
        kept = preserve_mode(request.preserve), request.untracked
        return Way(point, None, *kept, session_id, request.to)
    for name in ("preserve", "untracked"):
        if getattr(request, name):
            raise invalid(name, "A fork leaves this worktree as it is.")
    for name in ("name", "plan") if goes_on and named.task else ():
        if not getattr(request, name):
            hint = "For example: --name task-10b --plan 'Use the new API.'"
            raise invalid(name, f"A new task goes on from a checkpoint, and it needs a {name}.", hint=hint)
    new = make_fork.ForkRequest(
        request.name, request.plan, to=request.to, conversation=goes_on and named.task is not None
    )
    return Way(point, new, session_id=session_id, to=request.to)


def _result(
    request: Request, named: ResumeTarget, known: LastSession, bundle: Bundle, ready: ReadySession | None
) -> Result:
    text = bundle_text.as_markdown(bundle)
    client = ready.session.client if ready else start_command.client_of(request.to, known.client)
    return Result(
        mode=bundle.mode,
        bundle=bundle,
        session=ready.session if ready else None,
        start_command=ready.command if ready else start_command.command(client, text),
        rewind=None,
        fork=None,
        worktree=bundle.code.worktree,
        client=client,
        markdown=text,
        task_id=named.task.task_id if named.task else None,
        contract=named.contract.name if named.contract else None,
    )
