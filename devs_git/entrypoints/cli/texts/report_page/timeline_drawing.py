"""The timeline: a drawing with one lane for each branch, beside a list that says the same in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from devs_git.domain.report.facts import Mark
from devs_git.entrypoints.cli.texts.report_page import html

# Pixels: the height of a row of the list, which the style fixes, and the distance of two lanes.
_ROW: Final = 24
_LANE: Final = 22
# Further branches share the last lane.
_MOST: Final = 12
_COLOURS: Final = 6
_OTHERS: Final = "other branches"
_LETTERS: Final = 160
# The shape of each kind of row around its middle. A void decision, a drop and a restore have shapes of their own.
_DIAMOND: Final = "m0-7 7 7-7 7-7-7z"
_SHAPES: Final = {
    "asked": _DIAMOND,
    "APPROVED": _DIAMOND,
    "REJECTED": _DIAMOND,
    "void": "m-6-6 12 12m0-12-12 12",
    "rewound": "m6-7v14l-12-7z",
    "undone": "m-6-7v14l12-7z",
    "restored": "m-5-5h10v10h-10z",
    "dropped": "m-6 0h12",
}
_COLOUR_OF: Final = {"asked": "warn", "APPROVED": "good", "REJECTED": "bad", "void": "bad"}


def section(marks: Sequence[Mark], left_out: int, anchors: Mapping[str, str]) -> str:
    """The section. `anchors`: the id of the element of each task and gate."""
    if not marks:
        return "<p>Nothing is recorded yet.</p>"
    lanes = _lanes(marks)
    note = (
        f'<p class="dim">{html.plural(left_out, "older row")} left out here; the tasks and gates below are all there.</p>'
        if left_out
        else ""
    )
    names = list(dict.fromkeys(lanes.values()))
    legend = "".join(
        f'<li class="c{at % _COLOURS}">┃ {html.name(name)}</li>' for at, name in enumerate(names)
    )
    words = "".join(_line(mark, anchors) for mark in marks)
    return (
        f'{note}<ul class="lanes" aria-label="Lanes">{legend}</ul>'
        f'<div class="time">{_drawing(marks, lanes, names)}<ol>{words}</ol></div>'
        '<p class="dim">● completed, ○ checkpoint on the way, ◀ rewind, ▶ undo, ■ restore, ━ drop, ◆ gate: asked, approved or '
        "rejected, ✕ a decision that does not count. A dashed line goes to where a rewind or an undo returned. What is struck "
        "out was undone, or does not count.</p>"
    )


def _lanes(marks: Sequence[Mark]) -> dict[str, str]:
    """The lane of each branch: its own name, or that of the lane which the last ones share."""
    branches = list(dict.fromkeys(mark.lane for mark in marks))
    own = branches if len(branches) <= _MOST else branches[: _MOST - 1]
    return {branch: branch if branch in own else _OTHERS for branch in branches}


def _line(mark: Mark, anchors: Mapping[str, str]) -> str:
    shown = html.name(mark.text, _LETTERS)
    shown = f'<a href="#{anchors[mark.about]}">{shown}</a>' if mark.about in anchors else shown
    shown = f'<span class="undone">{shown}</span>' if mark.undone else shown
    end = ", undone" if mark.undone and mark.what != "void" else ""
    return f'<li><span class="dim">{html.when(mark.at)}</span> {shown}{end} <span class="dim">{html.name(mark.lane, 60)}</span></li>'


def _drawing(marks: Sequence[Mark], lanes: Mapping[str, str], names: Sequence[str]) -> str:
    width, height = (len(names) + 1) * _LANE, len(marks) * _ROW
    return (
        f'<svg role="img" aria-label="The lanes of the timeline. The list beside it says the same in words." '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{''.join(_shapes(marks, lanes, names))}</svg>"
    )


def _shapes(marks: Sequence[Mark], lanes: Mapping[str, str], names: Sequence[str]) -> Iterator[str]:
    at = {name: number for number, name in enumerate(names)}
    columns = [at[lanes[mark.lane]] for mark in marks]
    for number in range(len(names)):
        rows = [row for row, column in enumerate(columns) if column == number]
        yield f'<path class="c{number % _COLOURS}" d="M{_x(number)} {_y(rows[0])}V{_y(rows[-1])}"/>'
    for row, (mark, column) in enumerate(zip(marks, columns, strict=True)):
        if mark.back_to is not None:
            yield _way_back(row, column, mark.back_to, columns[mark.back_to])
        yield _shape(mark, row, column)


def _way_back(row: int, column: int, to_row: int, to_column: int) -> str:
    aside = _x(max(column, to_column)) + _LANE // 2 + 3
    start, end = f"M{_x(column)} {_y(row)}", f"{_x(to_column)} {_y(to_row)}"
    return f'<path class="b dim" d="{start}C{aside} {_y(row)} {aside} {_y(to_row)} {end}"/>'


def _shape(mark: Mark, row: int, column: int) -> str:
    hollow = mark.undone or mark.what in ("asked", "checkpoint")
    classes = f"{_COLOUR_OF.get(mark.what, f'c{column % _COLOURS}')}{' o' if hollow else ''}"
    if mark.what in _SHAPES:
        return f'<path class="{classes}" d="M{_x(column)} {_y(row)}{_SHAPES[mark.what]}"/>'
    radius = 6 if mark.what == "completed" else 4
    return f'<circle class="{classes}" cx="{_x(column)}" cy="{_y(row)}" r="{radius}"/>'


def _x(column: int) -> int:
    return _LANE // 2 + column * _LANE


def _y(row: int) -> int:
    return _ROW // 2 + row * _ROW
