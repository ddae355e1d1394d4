"""A table is never wider than the terminal; a row is one line, and its cells are cut, not wrapped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.entrypoints import console
from devs_git.entrypoints.cli.screen.fitted_table import facts, fit_table
from tests.support.own_calls import devs_git
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick
Mark = Callable[..., str]


def test_the_last_column_is_cut_after_the_named_ones_have_left() -> None:
    rows = [("task-1", "completed", "0123456789", "Parse the dates of the reports")]
    titles = ("TASK", "STATUS", "COMMIT", "MESSAGE")
    assert fit_table(rows, titles, 80, leave=("COMMIT",))[1].endswith(
        "0123456789  Parse the dates of the reports"
    )
    assert fit_table(rows, titles, 40, leave=("COMMIT",)) == [
        "TASK    STATUS     MESSAGE",
        "task-1  completed  Parse the dates of t…",
    ]


def test_a_wide_character_takes_two_columns_and_a_combining_one_none() -> None:
    assert console.width("漢字") == 4
    assert console.width("e\u0301") == 1
    assert console.width("\u1112\u1161\u11ab") == 2
    assert console.cut("漢字漢字", 6) == "漢字…"
    assert console.cut("漢字漢字", 5) == "漢字…"
    assert console.cut("漢字漢字", 8) == "漢字漢字"
    assert console.cut("e\u0301e\u0301e\u0301", 2) == "e\u0301…"


def test_a_column_without_text_is_not_shown() -> None:
    assert fit_table([("a", "", "b")], ("A", "EMPTY", "B"), 0) == ["A  B", "a  b"]


def test_a_long_value_goes_on_below_itself_and_a_word_stays_whole() -> None:
    commit = "0123456789" * 4
    assert facts([("made", "3 days ago, by Ada"), ("commit", commit)], 20) == [
        "made    3 days ago,",
        "        by Ada",
        f"commit  {commit}",
    ]


_CELLS = st.text(st.sampled_from("abc 漢字e\u0301-"), max_size=40)


@given(st.lists(st.tuples(_CELLS, _CELLS, _CELLS), min_size=1, max_size=5), st.integers(20, 120))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]], room: int) -> None:
    lines = fit_table(rows, ("ONE", "TWO", "THREE"), room, cuttable=("TWO", "THREE"), leave=("ONE",))
    assert len(lines) == len(rows) + 1
    assert all(console.width(line) <= room for line in lines)


@pytest.mark.parametrize("columns", [80, 40])
def test_the_lists_fit_on_a_terminal_and_are_whole_in_a_pipe(columns: int, repo: Path, mark: Mark) -> None:
    message = "Parse the dates of the reports 日本語の日付 and of everything else that has a date"
    mark(10, message=message)
    for words in (("log",), ("history",), ("du",)):
        shown = at_terminal(repo, *words, size=(200, columns))[1].splitlines()
        assert max(map(console.width, shown)) <= columns, words
        assert shown[0].isupper(), words
    env = {**os.environ, "COLUMNS": str(columns)}
    assert message in devs_git("log", where=repo, env=env)
