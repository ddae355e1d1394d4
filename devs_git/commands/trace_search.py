"""`trace search`: the traces or messages that match best, each with a line that was found."""

from __future__ import annotations

from typing import Literal, get_args

from devs_git.domain.ledger import ids, paging
from devs_git.domain.recall.query import Query, parse
from devs_git.domain.recall.traces import TraceRow
from devs_git.domain.text.times import stamp
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import message_search, search
from devs_git.storage.catalog.database import Catalog
from devs_git.values import as_mapping, field, immutable, replace
from devs_git.workspace import Workspace

MOST = 200
Where = Literal["traces", "messages"]


@immutable
class Request(VerbRequest):
    """`query`: as people type it (see domain/recall/query.py). `deadline`: in seconds.

    `within`: traces or messages, not both, because ranks of the two indexes cannot be compared. `system`: among messages,
    also the client's own instructions at the beginning of a session.
    """

    query: str = ""
    limit: int = 20
    rewound: bool = False
    cursor: str = ""
    deadline: float = search.DEADLINE
    within: Where = "traces"
    system: bool = False

    def __post_init__(self) -> None:
        if self.within not in get_args(Where):
            raise invalid("in", f"{self.within!r} is neither traces nor messages.")
        paging.check_limit(self.limit, MOST)
        paging.place(self.cursor)
        if not 0 < self.deadline <= 3600:
            raise invalid("deadline", "The deadline must be a number of seconds above 0, at most 3600.")


@immutable
class Hit(TraceRow):
    """A trace, and one line of it. `highlights`: where (from, to) the words are in `snippet`."""

    snippet: str
    highlights: tuple[tuple[int, int], ...]


@immutable
class MessageHit:
    """A message, and one line of it, as in `Hit`. `trace_id`: the trace that has the whole of a long result."""

    session_id: str
    message_id: str
    position: int
    task_id: str
    role: str
    tool_name: str
    is_error: bool | None
    created_at: str
    rewound: bool
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    trace_id: str | None = field(default=None, metadata={"optional": True})


@immutable
class Result:
    """`complete` is false if the deadline ended the search: then these hits are the newest, not the best.

    `left_out`: how many words of a long query were ignored. `snippets_cut_short`: the deadline ended the reading of long
    texts, so some snippets are only how these texts begin.
    """

    hits: tuple[Hit | MessageHit, ...]
    complete: bool
    left_out: int
    next_cursor: str
    snippets_cut_short: bool | None = field(default=None, metadata={"optional": True})


def run(workspace: Workspace, request: Request) -> Result:
    query = _canonical(parse(request.query, workspace.clock(), stamp))
    place = paging.place(request.cursor)
    page = search.Page(
        request.limit, place.offset, place.upto, request.rewound, request.deadline, request.system
    )
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        hits, found = (_messages if request.within == "messages" else _traces)(catalog, query, page)
    following = replace(place, upto=found.upto).after(len(hits), more=found.more)
    return Result(hits, found.complete, query.left_out, following, None if found.shown else True)


def _traces(
    catalog: Catalog, query: Query, page: search.Page
) -> tuple[tuple[Hit, ...], search.Found[search.Hit]]:
    found = search.search(catalog, query, page)
    hits = (
        Hit(**as_mapping(hit.row), snippet=hit.snippet.text, highlights=hit.snippet.highlights)
        for hit in found.hits
    )
    return tuple(hits), found


def _messages(
    catalog: Catalog, query: Query, page: search.Page
) -> tuple[tuple[MessageHit, ...], search.Found[message_search.Hit]]:
    found = message_search.search(catalog, query, page)
    return tuple(map(_message, found.hits)), found


def _message(hit: message_search.Hit) -> MessageHit:
    message, place = hit.place.message, hit.place
    return MessageHit(
        place.session_id,
        message.id,
        place.position,
        place.task_id,
        message.role,
        message.tool_name or "",
        bool(message.is_error),
        message.timestamp or "",
        place.rewound,
        hit.snippet.text,
        hit.snippet.highlights,
        message.trace_id,
    )


def _canonical(query: Query) -> Query:
    """`task:10` becomes `task-10`. What is no task id stays as it is, and matches nothing."""
    task = query.equal.get("task")
    if not task:
        return query
    try:
        return replace(query, equal={**query.equal, "task": ids.task_id(task)})
    except DevsError:
        return query
