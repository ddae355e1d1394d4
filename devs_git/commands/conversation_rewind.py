"""`conversation rewind`: take the last messages of a session back, and go on in a new session of its client, cut there.

No message and no transcript is deleted or changed: the catalog marks what was taken back, as the ledger's event says.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.ledger import contracts
from devs_git.domain.ledger.event_contracts import session_text
from devs_git.domain.ledger.event_operations import ConversationRewound, Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.sessions.new_session import ClientSession
from devs_git.domain.text.field_values import check_value
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.contracts import sessions
from devs_git.operations.recall import ingest, named_session, open_catalog
from devs_git.operations.rewind import go_back
from devs_git.storage.catalog import messages, transcripts
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.worktree import move_tree
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace, local_time

if TYPE_CHECKING:
    # The list of tools needs no session to be written.
    from devs_git.operations.sessions.rewind_point import Choice, RewindPoint
    from devs_git.operations.sessions.write_session import WrittenSession
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.messages import Session

NAME: Final = "conversation rewind"
REFUSAL: Final = "GIT_RESET_FAILED"
_ONE: Final = (
    "Say where to cut the conversation: a number of messages, a message or a time. Give only one of them."
)
_HOW: Final = (
    "Use --by-messages, --to-message or --to. See the messages: devs-git conversation show --format json"
)


@immutable
class Request(VerbRequest):
    """It rewinds `session`, or the session that steers `contract`, or else the last session in this worktree.

    Exactly one of `by_messages` (so many are taken back), `to_message` (the id of the last one that stays) and `to` (a time:
    what was said until then stays). `code`: the code goes back to that message, too; then `preserve` and `untracked`
    are those of a rewind. `force`: also while the session, or with `code` another one in this worktree, is at work.
    """

    by_messages: int | None = None
    to_message: str = ""
    to: str = ""
    session: str = ""
    contract: str = ""
    code: bool = False
    preserve: str | None = None
    untracked: str | None = None
    dry_run: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        if sum((self.by_messages is not None, bool(self.to_message), bool(self.to))) != 1:
            raise invalid("to_message", _ONE, hint=_HOW)
        if self.by_messages is not None and self.by_messages < 1:
            raise invalid("by_messages", "Take at least one message back.")
        if self.session and self.contract:
            raise invalid("session", "Name a session or a contract, not both.")
        sessions.check("session", self.session)
        check_value("contract", self.contract)
        _check_code(self)

    def choice(self, workspace: Workspace) -> Choice:
        """Where to cut. INVALID_ARGUMENTS {to} if it is no time."""
        from devs_git.domain.timeline import spoken_times
        from devs_git.operations.sessions.rewind_point import Choice

        until = spoken_times.time_of("to", self.to, workspace.clock(), local_time) if self.to else ""
        return Choice(self.by_messages or 0, self.to_message, until)


@immutable
class Result(VerbResult):
    """What was taken back, or would be in a dry run: then `rewind_id` and `backup` are '', and `session` is None.

    `message_id`: the last message of `session_id` that stays, `kept_messages`: how many stay. `left_out`: what of these the
    new session does not have. `start_command`: what starts it, in this worktree. `rewind`: what the rewind of the code
    did, or would do; None without one.
    """

    rewind_id: str
    session_id: str
    message_id: str
    kept_messages: int
    messages_rewound: int
    session: ClientSession | None
    start_command: tuple[str, ...]
    left_out: tuple[str, ...]
    sqlite_tables_affected: tuple[str, ...]
    backup: str = ""
    rewind: go_back.Plan | go_back.Result | None = None
    blocked_by: tuple[dict[str, Any], ...] = ()


def _check_code(request: Request) -> None:
    """INVALID_ARGUMENTS for options that are not those of a rewind, or that need --code."""
    for name in ("preserve", "untracked"):
        if getattr(request, name) is not None and not request.code:
            raise invalid(name, f"{name} needs --code: without it, no file is moved.")
    require_untracked_mode(request.untracked)
    preserve_mode(request.preserve)


def _code_request(target: str, request: Request) -> go_back.CodeRequest:
    """The rewind of the code, to a moment or checkpoint, as the request says."""
    options = Options(target, preserve_mode(request.preserve), None, request.untracked)
    return go_back.CodeRequest(options, request.dry_run)


def run(workspace: Workspace, request: Request) -> Result:
    """MESSAGE_NOT_FOUND, CONTRACT_NOT_FOUND, BUSY; CONFLICT if the client's form of the session is not known.

    With `code`: MOMENT_NOT_FOUND, and the codes of a rewind. Then both are rewound, or neither.
    """
    if request.dry_run:
        with open_catalog.catalog_for_reading(workspace) as catalog:
            shown = _preview(workspace, catalog, request)
            found = _at_work(workspace, shown.session_id, request)
            return replace(shown, blocked_by=(*shown.blocked_by, *(error.envelope() for error in found)))
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
            session = _session(workspace, catalog, request)
            for error in _at_work(workspace, session.session_id, request):
                raise error
            _take_in(workspace, catalog, session)
            point = _find(workspace, catalog, request)
            result = (
                _rewind_both(workspace, site, catalog, request, point)
                if request.code
                else _rewind(workspace, site, catalog, point)
            )
        # The marks follow from the event.
        with open_catalog.open_catalog(workspace, caught_up=True):
            return result


def _at_work(workspace: Workspace, session_id: str, request: Request) -> list[DevsError]:
    """TASK_RUNNING if a turn of the session runs, or with `code` that of another one in this worktree."""
    from devs_git.operations.sessions import running_sessions

    here = running_sessions.in_worktree(workspace, workspace.places) if request.code else []
    return [] if request.force else [*running_sessions.of_session(workspace, session_id), *here]


def _take_in(workspace: Workspace, catalog: Catalog, session: Session) -> None:
    """Read what is new in the transcript: it is taken back, too."""
    for source in transcripts.of_session(catalog, session.session_id):
        ingest.ingest_transcript(workspace, catalog, source, ingest.attribution_of(workspace, session))


def _session(workspace: Workspace, catalog: Catalog, request: Request) -> Session:
    """The session that the request means."""
    name = request.session
    if request.contract:
        from devs_git.operations.sessions import line_of_session

        steering = contracts.require(workspace.ledger.require().here, request.contract).session
        name = line_of_session.newest_recorded(workspace, catalog, steering)
    found = messages.session(catalog, named_session.complete(catalog, name)) if name else None
    if not (request.session or request.contract):
        found = messages.last_session(catalog, workspace.places.worktree_id)
        # To show another worktree's session does no harm. To rewind it does.
        if found and found.worktree != workspace.places.worktree_id:
            raise DevsError(
                "MESSAGE_NOT_FOUND",
                "The catalog has no session of this worktree.",
                hint="Name a session: --session ID",
            )
    if found is None:
        raise named_session.not_found()
    return found


def _find(workspace: Workspace, catalog: Catalog, request: Request) -> RewindPoint:
    from devs_git.operations.sessions import rewind_point

    return rewind_point.find(
        catalog, _session(workspace, catalog, request).session_id, request.choice(workspace)
    )


def _preview(workspace: Workspace, catalog: Catalog, request: Request) -> Result:
    point = _find(workspace, catalog, request)
    if not request.code:
        return _result(point)
    wanted = _code_request(_state(workspace, catalog, point), request)
    with move_tree.translate_failures(REFUSAL):
        plan = go_back.preview(workspace, wanted)
    return replace(_result(point), rewind=plan, blocked_by=plan.blocked_by)


def _rewind(workspace: Workspace, site: Site, catalog: Catalog, point: RewindPoint) -> Result:
    """Rewind the conversation alone. No file is moved."""
    from devs_git.operations.rewind import undo_messages

    op_id = workspace.new_id(NAME)
    clone = name_clone(site.places.common, workspace.new_nonce)
    subject = f"{NAME}: {point.taken_back} messages of {point.cut.session_id}"
    movement = Movement(op_id, undo_messages.branch_of(site), "", "", messages_undone=(str(point.cut),))
    with _new_session(workspace, site, catalog, point) as written:
        target = session_text(written.client, written.session_id)

        def make_event(movement: Movement) -> Event:
            return workspace.event_of(ConversationRewound(target, clone, movement), subject, verb_name=NAME)

        undo_messages.record(workspace, site, movement, make_event)
    return _result(point, op_id, written)


def _rewind_both(
    workspace: Workspace, site: Site, catalog: Catalog, request: Request, point: RewindPoint
) -> Result:
    """Rewind the code, by the engine, whose event names the messages, too."""
    wanted = _code_request(_state(workspace, catalog, point), request)
    with move_tree.translate_failures(REFUSAL):
        plan = go_back.make_plan(workspace, site, wanted)
        with _new_session(workspace, site, catalog, point) as written:
            goes_on = session_text(written.client, written.session_id)
            cause = go_back.Cause(NAME, (str(point.cut),), goes_on)
            moved = go_back.rewind(workspace, site, wanted, plan, cause)
    go_back.note_what_is_back(workspace, moved)
    return replace(_result(point, moved.rewind_id, written), rewind=moved)


def _state(workspace: Workspace, catalog: Catalog, point: RewindPoint) -> str:
    from devs_git.operations.sessions import state_at_point

    return state_at_point.find(workspace, catalog, point)


@contextlib.contextmanager
def _new_session(
    workspace: Workspace, site: Site, catalog: Catalog, point: RewindPoint
) -> Iterator[WrittenSession]:
    """Write the session that goes on. If what follows is refused, the session is removed: nobody would know of it."""
    from devs_git.operations.rewind import undo_messages
    from devs_git.operations.sessions import write_session
    from devs_git.operations.sessions.write_session import Point, Target

    site.step("session")
    cut = point.cut
    branch = undo_messages.branch_of(site).removeprefix("refs/heads/")
    target = Target(site.top, f"devs: back to message {point.kept}", branch)
    with write_session.write_for(workspace, catalog, Point(cut.session_id, cut.kept), target) as written:
        yield written


def _result(point: RewindPoint, op_id: str = "", written: WrittenSession | None = None) -> Result:
    return Result(
        rewind_id=op_id,
        session_id=point.cut.session_id,
        message_id=point.cut.kept,
        kept_messages=point.kept,
        messages_rewound=point.taken_back,
        session=written.told if written else None,
        start_command=written.start_command if written else (),
        left_out=written.left_out if written else (),
        sqlite_tables_affected=("messages",) if point.taken_back else (),
        backup=f"refs/devs/backup/{op_id}" if op_id else "",
    )
