"""`conversation rewind`: take the last messages of a session back, and go on in a new session of its client, cut there.

No message and no transcript is deleted or changed: the catalog marks what was taken back, as the ledger's event says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.ledger import contracts
from devs_git.domain.ledger.event_contracts import session_text
from devs_git.domain.ledger.event_operations import ConversationRewound, Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.contracts import sessions
from devs_git.operations.recall import ingest, open_catalog
from devs_git.storage.catalog import messages, transcripts
from devs_git.storage.ledger.clone_history import name_clone
from devs_git.storage.worktree import move_tree
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable
from devs_git.workspace import Workspace, local_time

if TYPE_CHECKING:
    # The list of tools needs no session to be written.
    from devs_git.operations.sessions.rewind_point import Choice, RewindPoint
    from devs_git.operations.sessions.write_session import WrittenSession
    from devs_git.storage.catalog.database import Catalog

_ONE: Final = "Name one of: how many messages go, the message that stays last, or a time."


@immutable
class Request(VerbRequest):
    """Of `session`, of the session that steers `contract`, or else of the last session in this worktree.

    Exactly one of `by_messages` (so many are taken back), `to_message` (the id of the last one that stays) and `to` (a time:
    what was said until then stays).
    """

    by_messages: int | None = None
    to_message: str = ""
    to: str = ""
    session: str = ""
    contract: str = ""
    dry_run: bool = False

    def __post_init__(self) -> None:
        if sum((self.by_messages is not None, bool(self.to_message), bool(self.to))) != 1:
            raise invalid("to_message", _ONE)
        if self.by_messages is not None and self.by_messages < 1:
            raise invalid("by_messages", "At least one message is taken back.")
        if self.session and self.contract:
            raise invalid("session", "Name a session or a contract, not both.")
        sessions.check("session", self.session)

    def choice(self, workspace: Workspace) -> Choice:
        """Where to cut. INVALID_ARGUMENTS {to} if it is no time."""
        from devs_git.domain.timeline import spoken_times
        from devs_git.operations.sessions.rewind_point import Choice

        until = spoken_times.time_of("to", self.to, workspace.clock(), local_time) if self.to else ""
        return Choice(self.by_messages or 0, self.to_message, until)


@immutable
class NewSession:
    """The session that goes on. `tokens` is an estimate."""

    client: str
    session_id: str
    file: str
    messages: int
    tokens: int


@immutable
class Result(VerbResult):
    """What was taken back, or would be in a dry run: then `rewind_id` and `backup` are '', and `session` is None.

    `message_id`: the last message of `session_id` that stays, `kept_messages`: how many stay. `left_out`: what of these the
    new session does not have. `start_command`: what starts it, in this worktree.
    """

    rewind_id: str
    session_id: str
    message_id: str
    kept_messages: int
    messages_rewound: int
    session: NewSession | None
    start_command: tuple[str, ...]
    left_out: tuple[str, ...]
    sqlite_tables_affected: tuple[str, ...]
    backup: str = ""
    blocked_by: tuple[dict[str, Any], ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """MESSAGE_NOT_FOUND, CONTRACT_NOT_FOUND, BUSY; CONFLICT if the client's form of the session is not known."""
    if request.dry_run:
        with open_catalog.catalog_for_reading(workspace) as catalog:
            return _result(_find(workspace, catalog, request))
    with move_tree.worktree_lock(workspace.site, alone=True) as site:
        with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
            _take_in(workspace, catalog, _session(workspace, catalog, request))
            point = _find(workspace, catalog, request)
            result = _rewind(workspace, site, catalog, point)
        # The marks follow from the event.
        with open_catalog.open_catalog(workspace, caught_up=True):
            return result


def _take_in(workspace: Workspace, catalog: Catalog, session_id: str) -> None:
    """Read what is new in the transcript: it is taken back, too."""
    for source in transcripts.of_session(catalog, session_id):
        ingest.ingest_transcript(workspace, catalog, source, ingest.current_attribution(workspace))


def _session(workspace: Workspace, catalog: Catalog, request: Request) -> str:
    """The session that the request means."""
    name = request.session
    if request.contract:
        name = contracts.require(workspace.ledger.require().here, request.contract).session
    found = messages.session(catalog, name) if name else None
    if not (request.session or request.contract):
        found = messages.last_session(catalog, workspace.places.worktree_id)
    if found is None:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "The catalog has no messages of this conversation.",
            hint="Import a transcript: devs-git conversation import FILE",
        )
    return found.session_id


def _find(workspace: Workspace, catalog: Catalog, request: Request) -> RewindPoint:
    from devs_git.operations.sessions import rewind_point

    return rewind_point.find(catalog, _session(workspace, catalog, request), request.choice(workspace))


def _rewind(workspace: Workspace, site: Site, catalog: Catalog, point: RewindPoint) -> Result:
    from devs_git.operations.rewind import undo_messages

    op_id = workspace.new_id("conversation rewind")
    clone = name_clone(site.places.common, workspace.new_nonce)
    site.step("session")
    written = _write(workspace, site, catalog, point)
    target = session_text(written.client, written.session_id)
    movement = Movement(op_id, undo_messages.branch_of(site), "", "", messages_undone=(str(point.cut),))
    subject = f"conversation rewind: {point.taken_back} messages of {point.cut.session_id}"

    def make_event(movement: Movement) -> Event:
        content = ConversationRewound(target, clone, movement)
        return workspace.event_of(content, subject, verb_name="conversation rewind")

    try:
        event = undo_messages.record(workspace, site, movement, make_event)
    except DevsError:
        # It was refused: nobody would know the new session.
        written.file.unlink(missing_ok=True)
        raise
    return _result(point, event, written)


def _write(workspace: Workspace, site: Site, catalog: Catalog, point: RewindPoint) -> WrittenSession:
    from devs_git.operations.rewind import undo_messages
    from devs_git.operations.sessions import write_session
    from devs_git.operations.sessions.write_session import Point, Target

    cut = point.cut
    branch = undo_messages.branch_of(site).removeprefix("refs/heads/")
    target = Target(site.top, f"devs: back to message {point.kept}", branch)
    return write_session.write(workspace, catalog, Point(cut.session_id, cut.kept), target)


def _result(point: RewindPoint, event: Event | None = None, written: WrittenSession | None = None) -> Result:
    session = None
    if written:
        known = (written.client, written.session_id, str(written.file), written.messages, written.tokens)
        session = NewSession(*known)
    op_id = event.op_id if event else ""
    return Result(
        rewind_id=op_id,
        session_id=point.cut.session_id,
        message_id=point.cut.kept,
        kept_messages=point.kept,
        messages_rewound=point.taken_back,
        session=session,
        start_command=written.start_command if written else (),
        left_out=written.left_out if written else (),
        sqlite_tables_affected=("messages",) if point.taken_back else (),
        backup=f"refs/devs/backup/{op_id}" if op_id else "",
    )
