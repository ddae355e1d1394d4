"""What is drawn has the edges that were given, no more and no fewer: a reader of the drawing finds the same ones."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devs_git.entrypoints.cli.screen.lanes import Style, draw
from devs_git.values import immutable
from tests.support.read_lanes import MARK, read_edges

pytestmark = pytest.mark.quick


@immutable
class Row:
    key: str
    parents: tuple[str, ...]
    live: bool


def graph(*parents: tuple[int, ...], dead: tuple[int, ...] = ()) -> list[Row]:
    """Rows `0`, `1` …, each with the rows to which its edges go."""
    return [Row(str(at), tuple(map(str, below)), at not in dead) for at, below in enumerate(parents)]


@st.composite
def graphs(draw_one: st.DrawFn) -> list[Row]:
    count = draw_one(st.integers(1, 14))
    rows = []
    for at in range(count):
        below = draw_one(st.lists(st.integers(1, 6), max_size=3, unique=True))
        parents = tuple(dict.fromkeys(str(at + far) for far in below if at + far < count))
        rows.append(Row(str(at), parents, draw_one(st.booleans())))
    return rows


def lines(rows: list[Row], style: Style, lead: str = "") -> list[str]:
    drawn = draw(rows, lambda _key: MARK, style, lead)
    return [line for pair in drawn for line in pair if line]


def edges(rows: list[Row]) -> set[tuple[int, int]]:
    return {(at, int(parent)) for at, row in enumerate(rows) for parent in row.parents}


@given(graphs(), st.booleans(), st.integers(0, 13))
@example(graph((1, 2), (3,), (3,), ()), False, 0)
@example(graph((4,), (3,), (4,), (4,), ()), False, 4)
@example(graph((), (), ()), False, 1)
def test_a_reader_finds_the_edges_that_were_drawn(rows: list[Row], only_ascii: bool, lead: int) -> None:
    shown = lines(rows, Style(ascii=only_ascii), str(lead) if lead < len(rows) else "")
    assert read_edges(shown, "ascii" if only_ascii else "unicode") == edges(rows), "\n".join(shown)
    assert not only_ascii or "".join(shown).isascii()


@given(graphs())
def test_ascii_and_unicode_have_their_signs_at_the_same_places(rows: list[Row]) -> None:
    ours, plain = lines(rows, Style()), lines(rows, Style(ascii=True))
    places = [
        [[at for at, sign in enumerate(line) if sign != " "] for line in shown] for shown in (ours, plain)
    ]
    assert places[0] == places[1]


@given(graphs(), st.integers(1, 4))
def test_a_narrow_drawing_keeps_its_width_and_each_mark(rows: list[Row], most: int) -> None:
    for line, below in draw(rows, lambda _key: MARK, Style(most=most)):
        assert line.count(MARK) == 1
        assert max(len(line), len(below)) <= 2 * most + 2


def test_a_merge_and_a_side_branch() -> None:
    rows = graph((1, 2), (3,), (3,), ())
    assert lines(rows, Style()) == ["*", "├─╮", "* │", "│ *", "├─╯", "*"]
    assert lines(rows, Style(ascii=True)) == ["*", "|-.", "* |", "| *", "|-'", "*"]


def test_a_lane_joins_the_one_on_its_left() -> None:
    assert lines(graph((2,), (3,), (3,), ()), Style()) == ["*", "│ *", "* │", "├─╯", "*"]


def test_a_lane_of_what_was_undone_is_dotted() -> None:
    assert lines(graph((2,), (3,), (3,), (), dead=(0,)), Style(), "1") == ["  *", "* ┆", "│ *", "├─╯", "*"]


def test_a_line_that_passes_a_lane_does_not_touch_it() -> None:
    assert lines(graph((3,), (4,), (3,), (), ()), Style()) == ["*", "│ *", "│ │ *", "├─│─╯", "* │", "  *"]


def test_rows_without_edges_do_not_stand_below_each_other() -> None:
    assert lines(graph((), (), ()), Style()) == ["*", "  *", "*"]
