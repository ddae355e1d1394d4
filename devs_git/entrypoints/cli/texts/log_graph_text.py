"""The graph of `log --graph`: a line for each row, and lanes of lines to what it was built on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from devs_git.entrypoints.cli.screen import lanes, size
from devs_git.entrypoints.cli.texts import log_list_text as of_list
from devs_git.entrypoints.cli.texts.render import next_page_line, short, status_word, table, when
from devs_git.entrypoints.console import paint
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.commands import log
    from devs_git.domain.checkpoints.rows import GraphRow, Row

# `log.LEGEND` explains the marks to people.
MARKS: Final = {"gate": "?", "open gate": "?", "decision": "!", "fork": "/"}
OLDER: Final = "~"
TITLES: Final = ("", "COMMIT", "WHEN", "WHAT")
_LEAVE: Final = ("COMMIT", "WHEN")
_NARROWEST, _PART = 4, 6  # lanes on a narrow terminal; columns of the terminal for each lane


@immutable
class _Shown:
    """The mark of a row, and its cells in the columns after the first."""

    mark: str
    cells: tuple[str, ...]


def graph_text(result: log.GraphResult, *, only_ascii: bool = False) -> str:
    """The newest first. `only_ascii`: the lines have no other characters."""
    points = {point.tag: point for point in result.checkpoints}
    done = {one.event: one for one in result.operations}
    here = next((tag for tag, one in points.items() if one.is_live and one.commit == result.head), "HEAD")
    shown: dict[str, _Shown] = {}
    for row in result.graph:
        if row.key in points:
            shown[row.key] = _checkpoint(points[row.key], here=row.key == here)
        elif row.key in done:
            shown[row.key] = _operation(row, done[row.key])
        else:
            mark, *_, said = of_list.head_cells(result)
            shown[row.key] = _Shown(mark, (short(result.head), "", said))
    if not shown:
        return of_list.NOTHING
    rows = [_with_older(row) for row in result.graph]
    if any(row.older for row in rows):
        rows.append(replace(rows[-1], key=OLDER, parents=(), older=False, live=True))
        shown[OLDER] = _Shown(OLDER, ("", "", paint("what is older", "bright_black")))
    drawn = lanes.draw(rows, lambda key: shown[key].mark, _style(only_ascii), _lead(rows, here))
    lines: list[tuple[str, ...]] = []
    for row, (line, below) in zip(rows, drawn, strict=True):
        lines.append((line, *shown[row.key].cells))
        lines += [(below, "", "", "")] if below else []
    return table(lines, TITLES, leave=_LEAVE) + next_page_line("log", result.next_cursor)


def _with_older(row: GraphRow) -> GraphRow:
    return replace(row, parents=(OLDER,)) if row.older else row


def _checkpoint(point: Row, *, here: bool) -> _Shown:
    mark, name, _, commit, made, _, said = of_list.checkpoint_cells(point, here=here)
    # The mark says whether HEAD has it, so the status alone is enough.
    return _Shown(mark, (commit, made, f"{name} {status_word(point.state.partition(',')[0])}: {said}"))


def _operation(row: GraphRow, done: log.Operation) -> _Shown:
    sign = MARKS.get(row.kind) or of_list.OPERATIONS.get(done.type, "-")
    # An operation that was undone has the shade of what it undid.
    colour = "red" if row.kind == "open gate" else "yellow" if row.live else "bright_black"
    said = f"open {done.subject}" if row.kind == "open gate" else done.subject
    return _Shown(
        paint(sign, colour, bold=row.kind == "open gate"),
        ("", when(done.created_at), paint(said, colour)),
    )


def _lead(rows: list[GraphRow], here: str) -> str:
    """The newest row of the line of HEAD: HEAD's own, or the operation by which the branch came there."""
    found = here
    for row in reversed(rows):
        if row.kind == "operation" and row.live and row.parents[:1] == (found,):
            found = row.key
    return found if any(row.key == found for row in rows) else ""


def _style(only_ascii: bool) -> lanes.Style:
    width = size.columns()
    most = max(_NARROWEST, width // _PART) if width else 0
    return lanes.Style(only_ascii or not _can_show("├┆"), lambda text: paint(text, "bright_black"), most)


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
