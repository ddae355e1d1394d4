"""The list of `log`: one line for each checkpoint, the newest first."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from devs_git.entrypoints.cli.texts.render import next_page_line, plural, short, state_words, table, when
from devs_git.entrypoints.console import paint
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.commands import log
    from devs_git.domain.checkpoints.rows import Row

# `log.LEGEND` explains the marks to people.
HERE, HAD, NOT_HAD, UNDONE = "@", "*", "o", "x"
OPERATIONS: Final = {
    "rewound": "<",
    "conversation.rewound": "<",
    "undone": ">",
    "restored": "+",
    "dropped": "-",
}
NOTHING: Final = "There is nothing to list. To record a checkpoint: devs-git checkpoint -m …"
TITLES: Final = ("", "CHECKPOINT", "STATUS", "COMMIT", "WHEN", "CHANGED", "MESSAGE")
LEAVE: Final = ("CHANGED", "COMMIT", "WHEN")  # the columns that leave a narrow terminal, in this order


def checkpoints_text(result: log.Result, *, operations: bool = False, first_page: bool = True) -> str:
    """The newest first. With `operations`, these are rows, too. `first_page`: HEAD is a row of its own if no checkpoint is there."""
    rows: list[tuple[str, ...]] = []
    between: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
    done = result.operations if operations else ()
    for time, position, cells in (
        *((one.created_at, one.position, operation_cells(one)) for one in done),
        *_moments(result),
    ):
        between.setdefault(position, []).append((time, cells))
    at = _place_of_head(result) if first_page else -1
    here = next(
        (point.tag for point in result.checkpoints if point.is_live and point.commit == result.head), ""
    )
    for position, point in enumerate((*result.checkpoints, None)):
        rows += [cells for _, cells in sorted(between.get(position, ()), key=itemgetter(0), reverse=True)]
        rows += [head_cells(result)] if position == at else []
        if point is not None:
            rows.append(checkpoint_cells(point, here=point.tag == here))
    if not result.checkpoints and not (rows and (result.moments or done)):
        return NOTHING
    more = next_page_line("log", result.next_cursor, ("--moments",) if result.moments else ())
    elsewhere = [point for point in result.checkpoints if point.is_live and not point.on_head]
    if elsewhere:
        name = f"{elsewhere[0].task_id}@{elsewhere[0].number}"
        more += f"\nSome checkpoints are not on HEAD. To see how to get to one: devs-git show {name}"
    return table(rows, TITLES, leave=LEAVE) + more


def _place_of_head(result: log.Result) -> int:
    """The number of rows above that of HEAD; -1 if a checkpoint is at HEAD, or the rows do not tell where it is."""
    points = result.checkpoints
    if any(point.is_live and point.commit == result.head for point in points):
        return -1
    return next((at for at, point in enumerate(points) if point.on_head), -1)


def head_cells(result: log.Result) -> tuple[str, ...]:
    said = f"HEAD is here, on {result.head_branch}" if result.head_branch else "HEAD is here, on no branch"
    return (paint(HERE, "green", bold=True), "HEAD", "", short(result.head), "", "", said)


def _moments(result: log.Result) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Time, position and cells of each moment."""
    if result.moments:
        from devs_git.entrypoints.cli.texts.moment_text import moment_cells

        for one in result.moments:
            *head, said = moment_cells(one)
            yield one.created_at, one.position, (*head, "", said)


def operation_cells(done: log.Operation) -> tuple[str, ...]:
    mark = paint(OPERATIONS.get(done.type, "-"), "yellow")
    return (mark, "", "", "", when(done.created_at), "", paint(done.subject, "yellow"))


def checkpoint_cells(point: Row, *, here: bool) -> tuple[str, ...]:
    """The cells of a checkpoint; `here`: it is the newest one at HEAD."""
    dim = None if point.is_live else "bright_black"
    return (
        _mark(point, here=here),
        paint(f"{point.task_id}@{point.number}", dim),
        state_words(point.state),
        paint(short(point.commit), dim),
        paint(when(point.created_at), dim),
        paint(f"{plural(point.files_changed, 'file')} +{point.lines_added} -{point.lines_removed}", dim),
        paint(point.message, dim),
    )


def _mark(point: Row, *, here: bool) -> str:
    if here:
        return paint(HERE, "green", bold=True)
    if not point.is_live:
        return paint(UNDONE, "bright_black")
    return paint(HAD, "green", bold=True) if point.on_head else paint(NOT_HAD, "cyan")
