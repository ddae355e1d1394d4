"""`log`: checkpoints, newest first, with the rewinds between them, and with the moments if they are asked for.

It reads only as much of the ledger as it needs, and only those moments that it lists.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator

from devs_git.domain.checkpoints.rows import GraphRow, MomentRow, Row
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.ledger.recent import newest
from devs_git.domain.ledger.task_standing import Statuses
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import invalid
from devs_git.operations.checkpoint import commit_locations
from devs_git.storage.ledger import clone_history
from devs_git.values import TYPE_CHECKING, field, immutable, mutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.operations.moments.moment_rows import ReadMoment

    _Item = Checkpoint | Event | ReadMoment

MOST = 100_000


@immutable
class Request(VerbRequest):
    """At most `limit` rows of `task` ('' for all tasks), after the row whose tag or id is `cursor`.

    `moments`: moments are rows, too; `session` is the beginning of the id of the only session whose moments are listed,
    '' for all; only moments have one, so it asks for them. `graph`: the result says what was built on what; gates and forks
    are rows, too.
    """

    limit: int = 20
    task: str = ""
    cursor: str = ""
    moments: bool = False
    session: str = ""
    graph: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise invalid("limit", f"The limit must be from 1 to {MOST}, not {self.limit}.")
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))
        if self.cursor and not ids.is_oid(self.cursor):
            raise invalid("cursor", "The cursor must be the next_cursor of an earlier answer.")
        if self.session:
            object.__setattr__(self, "moments", True)
        if self.graph and self.moments:
            raise invalid(
                "graph", "Moments are not shown with graph.", hint="Leave out one of --graph and --moments."
            )


@immutable
class Operation:
    """A rewind or another operation; in a graph also a gate, its decision, or a fork. `position` is the number of checkpoints above it."""

    type: str
    subject: str
    event: str
    created_at: str
    position: int


@immutable
class ListedMoment(MomentRow):
    """A moment in the list; `position` is the number of checkpoints above it. `point`: as in `show`."""

    position: int
    point: SessionPoint | None = field(default=None, metadata={"optional": True})


@immutable
class Result(VerbResult):
    """`next_cursor` is '' at the end of the list. `not_believed`: as in `status`.

    `head`: the commit of HEAD, '' before the first one. `head_branch`: its branch, '' for a detached HEAD.
    """

    checkpoints: tuple[Row, ...]
    operations: tuple[Operation, ...]
    next_cursor: str
    not_believed: str = ""
    moments: tuple[ListedMoment, ...] = ()
    head: str = ""
    head_branch: str = ""


@immutable
class GraphResult(Result):
    """With the rows of the graph, newest first. They name the checkpoints by `tag` and the operations by `event`."""

    graph: tuple[GraphRow, ...] = ()


@mutable
class _Page:
    """The rows that are listed, and whether there are more of them."""

    request: Request
    points: list[Checkpoint] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    moments: list[tuple[ReadMoment, int]] = field(default_factory=list)
    shown: list[Checkpoint | Event] = field(default_factory=list)
    last: str = ""
    more: bool = False

    def fill(self, items: Iterator[_Item]) -> None:
        """Take rows until the page is full. INVALID_ARGUMENTS if no row is that of the cursor."""
        cursor = self.request.cursor
        if cursor and not any(_key(item) == cursor for item in items):
            raise invalid("cursor", "The ledger has no such row.", hint="Start over without a cursor.")
        for item in items:
            if isinstance(item, Event):
                if self.request.task in ("", *item.tasks):
                    self.operations.append(_operation(item, len(self.points)))
                    self.shown.append(item)
                continue
            if len(self.points) + len(self.moments) == self.request.limit:
                self.more = True
                return
            self.last = _key(item)
            if isinstance(item, Checkpoint):
                self.points.append(item)
                self.shown.append(item)
            else:
                self.moments.append((item, len(self.points)))


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED without a ledger, TASK_NOT_FOUND for a task that it does not know."""
    workspace.ledger.require()
    read: list[Event] = []
    statuses = Statuses()
    page = _Page(request)
    listed = _by_index(workspace, request)
    events = statuses.note_each(workspace.ledger.newest_first()) if listed is None else listed
    items = _noted(_newest(events, request), read)
    wanted = (one for one in items if isinstance(one, Event) or request.task in ("", one.task_id))
    page.fill(_with_moments(wanted, workspace, request) if request.moments else wanted)
    if request.task and not (page.points or page.moments or request.cursor):
        _must_exist(workspace, request.task)
    if listed is None:
        # Older operations do not affect these checkpoints, which were recorded later.
        newer = History("", {}, {point.tag: point for point in page.points}, read)
        here = clone_history.view_here(workspace.store_git, workspace.places.common, newer)
    else:
        here = newer = _history_of(workspace, page.points)
    seen = [here.checkpoints[tag] for tag in dict.fromkeys(point.tag for point in page.points)]
    task_of = _by_name(workspace, page.points)
    rows = commit_locations.rows(
        workspace, seen, newer, lambda point: _status(here, task_of, point, statuses)
    )
    result = Result(
        rows,
        tuple(page.operations),
        page.last if page.more else "",
        workspace.why_not_believed(),
        _listed(workspace, page.moments),
        *commit_locations.head(workspace),
    )
    return _with_graph(workspace, request, result, page) if request.graph else result


def _newest(events: Iterable[Event], request: Request) -> Iterator[Checkpoint | Event]:
    if not request.graph:
        return newest(events)
    from devs_git.domain.timeline.graph_marks import is_drawn

    return newest(events, is_drawn)


def _with_graph(workspace: Workspace, request: Request, result: Result, page: _Page) -> GraphResult:
    from devs_git.operations.timeline import checkpoint_graph

    live = {row.tag: row for row in result.checkpoints if row.is_live}
    # HEAD has a row of its own on the first page of all tasks, if no checkpoint is there.
    alone = not (request.cursor or request.task) and result.head not in {row.commit for row in live.values()}
    head = (result.head, result.head_branch) if alone else ("", "")
    graph = checkpoint_graph.read(workspace, page.shown, live, head, whole=not page.more)
    return GraphResult(**vars(result), graph=graph)


def _noted(items: Iterable[Checkpoint | Event], read: list[Event]) -> Iterator[Checkpoint | Event]:
    """The items; `read` gets the operations among them."""
    for item in items:
        if isinstance(item, Event) and item.effects.operation:
            read.append(item)
        yield item


def _with_moments(
    items: Iterator[Checkpoint | Event], workspace: Workspace, request: Request
) -> Iterator[_Item]:
    """The items and the moments, by time. Of one session: only what lies between its moments."""
    from devs_git.operations.moments import moment_rows

    item = next(items, None)
    begun = not request.session
    for one in moment_rows.newest_first(workspace, moment_rows.MomentFilter(request.session, request.task)):
        while item is not None and _time(item) > one.moment.created_at:
            if begun:
                yield item
            item = next(items, None)
        yield one
        begun = True
    if item is not None and not request.session:
        yield item
        yield from items


def _time(item: Checkpoint | Event) -> str:
    return item.finished if isinstance(item, Event) else item.created_at


def _key(item: _Item) -> str:
    """What a cursor calls the row; '' for an operation."""
    if isinstance(item, Event):
        return ""
    return item.tag if isinstance(item, Checkpoint) else item.moment.id


def _listed(workspace: Workspace, found: list[tuple[ReadMoment, int]]) -> tuple[ListedMoment, ...]:
    if not found:
        return ()
    from devs_git.operations.moments import moment_rows

    listed = [one for one, _ in found]
    told = moment_rows.ask_catalog(workspace, listed, points=True)
    points = [told[one.moment].point if one.moment in told else None for one in listed]
    return tuple(
        ListedMoment(**vars(row), position=position, point=point)
        for row, (_, position), point in zip(
            moment_rows.rows(workspace, listed, told), found, points, strict=True
        )
    )


def _by_index(workspace: Workspace, request: Request) -> list[Event] | None:
    """The events of a page that begins far from the tip, or is of one task; None if all are read from the tip on."""
    if request.moments or not (request.task or request.cursor):
        return None
    from devs_git.storage.ledger.index import listing

    return listing.events_of_points(workspace.ledger.tip(), request.task, request.cursor, request.limit)


def _history_of(workspace: Workspace, points: list[Checkpoint]) -> History:
    """The history for this clone of the tasks of these checkpoints."""
    from devs_git.storage.ledger.index import listing

    return listing.of_tasks(workspace.ledger.tip(), *{point.task_id for point in points})


def _by_name(workspace: Workspace, points: list[Checkpoint]) -> Callable[[str], Task]:
    """The function that finds the task of one of these checkpoints. The index is asked once for all, because to read the whole
    ledger takes seconds.
    """
    indexed = functools.cache(lambda: _history_of(workspace, points))
    return lambda name: indexed().tasks.get(name) or workspace.ledger.tip().here.tasks[name]


def _status(here: History, task_of: Callable[[str], Task], point: Checkpoint, statuses: Statuses) -> str:
    """The status of a checkpoint's task, only if its row depends on it.

    Before a merge of two ledgers the order of events does not tell the status, and an operation gives a status only on
    one clone's branch.
    """
    if point.completed or not point.live:
        return ""
    if point.task_id in here.tasks:
        return here.tasks[point.task_id].status
    return statuses.of(point.task_id) or task_of(point.task_id).status


def _operation(event: Event, position: int) -> Operation:
    return Operation(event.type, event.subject, event.oid, event.finished, position)


def _must_exist(workspace: Workspace, task: str) -> None:
    from devs_git.storage.ledger.index import listing

    tip = workspace.ledger.tip()
    if task in listing.of_tasks(tip, task).tasks:
        return
    tasks = tip.history.tasks
    if task not in tasks:
        from devs_git.domain.ledger import resolve

        raise resolve.task_not_found(tasks, task)
