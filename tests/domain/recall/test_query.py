"""A query is cut into what is wanted, what is not, and filters; a snippet shows where."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from devs_git.domain.recall.query import MOST_TERMS, Query, Term, parse
from devs_git.domain.recall.snippets import WIDTH, Snippet, cut
from devs_git.domain.recall.traces import TOOL_OUTPUT_TRACE_THRESHOLD, is_long, shorten
from devs_git.domain.text.times import stamp

pytestmark = pytest.mark.quick

NOW = datetime(2001, 2, 3, 12, 0, 0, tzinfo=UTC)


def asked(text: str) -> Query:
    return parse(text, NOW, datetime.isoformat)


def test_a_query_has_words_phrases_prefixes_and_what_is_not_wanted() -> None:
    assert asked('src/a.py:12 "two words" pre* -not') == Query(
        (Term(("src", "a", "py", "12")), Term(("two", "words")), Term(("pre",), prefix=True)),
        (Term(("not",)),),
    )


def test_an_option_that_somebody_looks_for_is_a_word_that_is_wanted() -> None:
    assert asked("pytest --lf") == Query((Term(("pytest",)), Term(("lf",))))


def test_filters_are_taken_out_and_others_stay_words() -> None:
    found = asked("task:10 error:yes since:2h before:2001-02-03 other:x error:maybe")
    assert (found.equal, found.error) == ({"task": "10"}, True)
    assert (found.since, found.before) == ("2001-02-03T10:00:00+00:00", "2001-02-03T00:00:00+00:00")
    assert [term.tokens for term in found.wanted] == [("other", "x"), ("error", "maybe")]


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00+14:00", "9999-12-31T23:59:59-12:00", "999999w", "0000-01-01"]
)
def test_a_time_before_or_after_all_that_we_can_write_is_a_word(moment: str) -> None:
    found = parse(f"since:{moment}", NOW, stamp)
    assert (found.since, len(found.wanted)) == ("", 1)


def test_an_early_year_is_written_with_four_digits_and_so_before_all_others() -> None:
    assert parse("since:0500-02-03", NOW, stamp).since == "0500-02-03T00:00:00.000Z"


def test_a_long_query_says_how_much_of_it_was_left_out() -> None:
    found = asked(" ".join(f"w{number}" for number in range(MOST_TERMS + 3)))
    assert (len(found.wanted), found.left_out) == (MOST_TERMS, 3)


def test_a_snippet_begins_at_the_place_after_which_most_words_stand() -> None:
    text = "alpha here\n" + "x " * 300 + "\nthen alpha and beta\n" + "y " * 300
    found = cut([text], (Term(("alpha",)), Term(("beta",))))
    assert found.text.startswith("then alpha and beta")
    assert [found.text[start:end] for start, end in found.highlights] == ["alpha", "beta"]


def test_a_phrase_across_two_pieces_is_found() -> None:
    assert cut(["a" * 500 + " split in", "side a word"], (Term(("inside",)),)).highlights


def test_a_word_inside_another_is_no_hit() -> None:
    assert cut(["category cat"], (Term(("cat",)),)).highlights == ((9, 12),)
    assert cut(["category"], (Term(("cat",), prefix=True),)).highlights == ((0, 3),)


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("café", "one cafe\u0301 here", "cafe\u0301"), ("cafe", "one café here", "café"), ("NAÏVE", "a naive one", "naive"),
        ("naive", "a nai\u0308ve one", "nai\u0308ve"), ("istanbul", "to İstanbul by", "İstanbul"), ("日本*", "in 日本語", "日本"),
        ("שלום", "said שלום twice", "שלום"), ('"to Istanbul"', "é to İstanbul", "to İstanbul"),
    ],
)  # fmt: skip
def test_a_word_is_shown_with_and_without_accents_as_the_index_finds_it(
    word: str, text: str, there: str
) -> None:
    snippet = cut(["x\n" * 500 + text], asked(word).wanted)
    assert [snippet.text[at:to] for at, to in snippet.highlights] == [there]


def test_without_a_hit_the_beginning_is_shown() -> None:
    assert cut(["x" * 500], (Term(("y",)),)) == Snippet("x" * WIDTH)
    assert cut([], ()) == Snippet("")


@pytest.mark.parametrize(("size", "long"), [(499, False), (500, False), (501, True)])
def test_an_output_over_the_threshold_is_shortened_and_names_its_trace(size: int, long: bool) -> None:
    text = "a" * size
    assert is_long(text) is long
    assert (shorten(text, "t-1") == text) is not long
    assert ("git devs trace get t-1" in shorten(text, "t-1")) is long


def test_the_threshold_is_five_hundred_characters() -> None:
    assert TOOL_OUTPUT_TRACE_THRESHOLD == 500
