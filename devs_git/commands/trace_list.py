"""`trace list`: the stored traces, newest first, without their outputs."""

from __future__ import annotations

from devs_git.domain.ledger import ids, paging
from devs_git.domain.recall.query import Query
from devs_git.domain.recall.traces import TraceRow
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.recall import named_session, open_catalog
from devs_git.storage.catalog import search
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

MOST = 10_000


@immutable
class Request(VerbRequest):
    """Only traces of the task, tool, session (its beginning is enough) or agent that is named. `rewound`: also those of rewound tasks."""

    limit: int = 20
    task: str = ""
    tool: str = ""
    session: str = ""
    agent: str = ""
    errors: bool = False
    rewound: bool = False
    cursor: str = ""

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)
        paging.place(self.cursor)
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))


@immutable
class Result:
    """`next_cursor` is '' at the end of the list."""

    traces: tuple[TraceRow, ...]
    next_cursor: str


def run(workspace: Workspace, request: Request) -> Result:
    named = {name: getattr(request, name) for name in ("task", "tool", "session", "agent")}
    place = paging.place(request.cursor)
    page = search.Page(request.limit, place.offset, place.upto, request.rewound)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        if request.session:
            # Traces may have a session of which no message was read.
            named["session"] = named_session.complete(catalog, request.session) or request.session
        equal = {name: value for name, value in named.items() if value}
        found = search.list_newest(catalog, Query(equal=equal, error=True if request.errors else None), page)
    return Result(found.hits, replace(place, upto=found.upto).after(len(found.hits), more=found.more))
