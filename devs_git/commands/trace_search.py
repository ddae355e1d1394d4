"""`trace search`: the traces that fit best, each with the lines that were found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from devs_git.domain import ids, paging
from devs_git.domain.search import Query, parse
from devs_git.domain.times import stamp
from devs_git.domain.traces import TraceRow
from devs_git.errors import DevsError, invalid
from devs_git.storage.catalog import search
from devs_git.workspace import Workspace

MOST = 200


@dataclass(frozen=True)
class Request:
    """`query` as people type it (domain/search.py); `deadline` in seconds."""

    query: str = ""
    limit: int = 20
    rewound: bool = False
    cursor: str = ""
    deadline: float = search.DEADLINE

    def __post_init__(self) -> None:
        paging.limited(self.limit, MOST)
        paging.place(self.cursor)
        if not 0 < self.deadline <= 3600:
            raise invalid("deadline", "A deadline is a number of seconds above 0, at most 3600.")


@dataclass(frozen=True)
class Hit(TraceRow):
    """A trace, and one line of it: `highlights` are the places (from, to) in `snippet` where the words stand."""

    snippet: str
    highlights: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Result:
    """`complete` is false where the deadline cut the search short: these are then the newest that fit, not the best.

    `left_out` counts the words of a long query that were not looked for.
    """

    hits: tuple[Hit, ...]
    complete: bool
    left_out: int
    next_cursor: str


def run(workspace: Workspace, request: Request) -> Result:
    query = _canonical(parse(request.query, workspace.clock(), stamp))
    place = paging.place(request.cursor)
    page = search.Page(request.limit, place.offset, place.upto, request.rewound, request.deadline)
    with workspace.catalog(caught_up=True) as catalog:
        found = search.search(catalog, query, page)
    hits = tuple(
        Hit(**asdict(hit.row), snippet=hit.snippet.text, highlights=hit.snippet.highlights)
        for hit in found.hits
    )
    following = replace(place, upto=found.upto).after(len(hits), more=found.more)
    return Result(hits, found.complete, query.left_out, following)


def _canonical(query: Query) -> Query:
    """`task:10` as `task-10`; what is no task id is looked for as it stands, and found nowhere."""
    task = query.equal.get("task")
    if not task:
        return query
    try:
        return replace(query, equal={**query.equal, "task": ids.task_id(task)})
    except DevsError:
        return query
