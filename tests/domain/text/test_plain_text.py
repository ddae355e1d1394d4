"""What text may hold, and how it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.text.plain_text import check_text, offence, printable, weight
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick


@given(st.text())
def test_what_is_shown_holds_nothing_that_a_terminal_would_act_on(text: str) -> None:
    assert not any(offence(char, "\n\t") for char in printable(text))


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("   ", 0), ("a  b", 3), ("\u200b\u200b", 0), ("\u3164a", 1), (" é ", 1)]
)
def test_what_shows_nothing_weighs_nothing(text: str, length: int) -> None:
    assert weight(text) == length


@pytest.mark.parametrize(
    ("least", "told"), [(1, "is empty."), (20, "needs at least 20 characters; it has 0.")]
)
def test_text_that_is_too_short_is_told_in_good_english(least: int, told: str) -> None:
    with pytest.raises(DevsError, match=f"reason {told}"):
        check_text("reason", " ", least=least)
