"""`conversation show`: the messages of a session, of a task, or up to a checkpoint, a snapshot or a message."""

from __future__ import annotations

from typing import Literal

from devs_git.domain.checkpoints.task_states import require_task
from devs_git.domain.ledger import ids, paging
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.recall.conversation_snapshots import Snapshot
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.recall import named_session, open_catalog, session_page
from devs_git.operations.recall.session_page import PageRequest, ShownMessage
from devs_git.storage.catalog import conversation_snapshots, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import OfTask
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

MOST = 100_000


@immutable
class Request(VerbRequest):
    """Messages of `session`, of `task`, or up to `at` (a checkpoint), `snapshot` or `message`; else of the last session here.

    Only the last `limit` of these; with a `cursor`, those before. `format`: for the code that renders the result. `system`:
    also the client's own instructions at the beginning of a session.
    """

    session: str = ""
    task: str = ""
    at: str = ""
    snapshot: str = ""
    message: str = ""
    format: Literal["chat", "json", "table"] = "chat"
    tool_calls: bool = True
    tool_results: bool = True
    limit: int = 200
    cursor: str = ""
    system: bool = False

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)
        paging.place(self.cursor)
        if sum(map(bool, (self.task, self.at, self.snapshot, self.message))) > 1:
            raise invalid("at", "Name only one: a task, a checkpoint, a snapshot or a message.")
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))
        if self.at:
            ids.parse_target(self.at, field="at")

    @property
    def wanted(self) -> PageRequest:
        """What is shown of a session."""
        return PageRequest(self.limit, self.cursor, self.tool_calls, self.tool_results, self.system)


@immutable
class Result:
    """`message_count`: how many there are in all. `digest`: of this prefix of the session; absent for a task.

    `next_cursor`: for the messages before these; '' if there are none. `system_left_out`: how many of all are the client's
    own instructions at the beginning, which were not asked for; absent if there are none.
    """

    session_id: str
    message_count: int
    messages: tuple[ShownMessage, ...]
    next_cursor: str
    digest: str | None = field(default=None, metadata={"optional": True})
    system_left_out: int | None = field(default=None, metadata={"optional": True})


def run(workspace: Workspace, request: Request) -> Result:
    """CHECKPOINT_NOT_FOUND, TASK_NOT_FOUND, SNAPSHOT_NOT_FOUND, MESSAGE_NOT_FOUND."""
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        return (_of_task if request.task else _of_session)(workspace, catalog, request)


def _of_task(workspace: Workspace, catalog: Catalog, request: Request) -> Result:
    session_id = _here(catalog, request.session) if request.session else ""
    place = paging.place(request.cursor)
    known = OfTask(request.task, session_id, place.upto or paging.NO_END)
    count, newest = messages.tally(catalog, known)
    if not count:
        require_task(workspace.ledger.require().here, request.task)
    found = messages.of_task(catalog, known, request.limit, offset=place.offset)
    place = replace(place, upto=newest)
    openings = {
        name: session_page.count_opening(catalog, name, request.wanted)
        for name in {one.session_id for one in found}
    }
    said = tuple(one for one in found if one.position > openings[one.session_id])
    return Result(
        session_id=found[-1].session_id if found else session_id,
        message_count=count,
        messages=session_page.to_show(said, request.wanted),
        next_cursor=place.after(len(found), more=place.offset + len(found) < count),
        system_left_out=(len(found) - len(said)) or None,
    )


def _of_session(workspace: Workspace, catalog: Catalog, request: Request) -> Result:
    session_id, upto = _prefix(workspace, catalog, request)
    page = session_page.read(catalog, session_id, request.wanted, upto)
    return Result(
        session_id=session_id,
        message_count=page.message_count,
        messages=page.messages,
        next_cursor=page.next_cursor,
        digest=page.digest,
        system_left_out=page.system_left_out or None,
    )


def _prefix(workspace: Workspace, catalog: Catalog, request: Request) -> tuple[str, int]:
    """The session that the request names, and how many of its messages."""
    if request.message:
        place = messages.find(catalog, request.message, request.session)
        return place.session_id, place.position
    if request.at or request.snapshot:
        taken = (
            _of_checkpoint(workspace, catalog, request.at)
            if request.at
            else conversation_snapshots.of_id(catalog, request.snapshot)
        )
        if taken is None:
            raise DevsError(
                "SNAPSHOT_NOT_FOUND",
                f"{request.at} has no conversation." if request.at else "There is no such snapshot.",
                hint="List all: devs-git conversation snapshots",
            )
        return _here(catalog, taken.session_id), taken.message_count
    if not request.session:
        last = messages.last_session(catalog, workspace.places.worktree_id)
        return (last.session_id if last else ""), paging.NO_END
    return _here(catalog, request.session), paging.NO_END


def _here(catalog: Catalog, session_id: str) -> str:
    """The session id; MESSAGE_NOT_FOUND if the messages are not here, but perhaps in another clone."""
    if found := named_session.complete(catalog, session_id):
        return found
    raise DevsError(
        "MESSAGE_NOT_FOUND",
        "The session has no messages here.",
        hint="Import its transcript: devs-git conversation import FILE",
        session_id=session_id,
    )


def _of_checkpoint(workspace: Workspace, catalog: Catalog, name: str) -> Snapshot | None:
    point = resolve(workspace.ledger.require().here, ids.parse_target(name, field="at"))
    return conversation_snapshots.of_tag(catalog, point.tag)
