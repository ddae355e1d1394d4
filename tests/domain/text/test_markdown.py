"""Where the headings of a Markdown text are: by CommonMark, so that the lock reads a TAS as those who render it do."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from devs_git.domain.gates import tas_sections
from devs_git.domain.text.html_blocks import begins_html
from devs_git.domain.text.markdown import CODE, DEEPEST, IN, NONE, RAW, TEXT, lines_of, read

pytestmark = pytest.mark.quick

INDENTS = ("", "", "", "", " ", "   ", "    ", "     ", "\t", " \t")
LINES = (
    *("", "", " ", "\t", "word", "two words", "\xa0", "\x0c", "\u2028", "*x*", "a | b", "--|--", "+++"),
    *("# one", "## two ##", "####### no", "#no", "#", "# \\#", "#\ttab", "\\# no", "# x\xa0", "key: value"),
    *("===", "---", "=", "-", "--- ", "- - -", "***", "= =", "--", "```", "~~~", "````", "``` x", "``` a`b"),
    *("<div>", "</div> x", "<div hidden", "<p>x", "<!-- c", "-->", "<!-- c -->", "<!-->", "<!x", ">", "<x>"),
    *("<pre>", "</pre>", "<script>", "<style", "<?php", "?>", "<![CDATA[", "]]>", "<span>", "<span a='b'>"),
    *(
        "- item",
        "- ",
        "-",
        "* item",
        "+ item",
        "1. one",
        "2. two",
        "1)",
        "10. ten",
        "-    code",
        "-     code",
    ),
    *("- # h", "- ```", "- <div>", "- - a", "- ===", "> quote", "> # h", "> ```", "> <div>", "> - a", ">x"),
    *("[a]: /url", "[a]: /url 'title'", "[a]:", "/url", "'title", "title'", "[a]: <>", "[a]", "[^1]: note"),
)
TEXTS = st.lists(
    st.builds(str.__add__, st.sampled_from(INDENTS), st.sampled_from(LINES)), min_size=1, max_size=14
)
WHOLE = MarkdownIt("commonmark")


def found(text: str) -> list[tuple[int, int, str]]:
    return [(one.start, one.level, one.title) for one in read(lines_of(text))[0]]


def has_front_matter(lines: list[str]) -> bool:
    return lines[0].strip() in ("---", "+++")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What defines a link is not there on the page, so nothing underlines it.
        ("[a]: /url\n===\n", []),
        ("[a]: /url 'title'\n---\n", []),
        ("[a]:\n  /url\n-\n", []),
        ("[a]: /url\nword\n===\n", [(1, 1, "word")]),
        ("[a]: /url and more\n===\n", [(0, 1, "[a]: /url and more")]),
        # A comment that ends where it begins hides nothing.
        ("<!-->\n# yes\n", [(1, 1, "yes")]),
        # What is no space and no tab is text.
        ("\x0c\n===\n", [(0, 1, "")]),
        ("word\n\xa0\n===\n", [(0, 1, "word")]),
        # An underline inside of an item or quote ends the paragraph there.
        ("- item\n  ==\nword\n==\n", [(2, 1, "word")]),
        ("> word\n> ===\nword\n---\n", [(2, 2, "word")]),
    ],
)
def test_a_heading_is_where_commonmark_has_one(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert found(text) == expected


@given(TEXTS)
def test_headings_are_those_of_a_whole_reader(lines: list[str]) -> None:
    assume(not has_front_matter(lines))
    text = "\n".join(lines)
    tokens = WHOLE.parse(text)
    expected = [
        (first.map[0], int(first.tag[1]), inner.content.split())
        for first, inner in pairwise(tokens)
        if first.type == "heading_open" and first.level == 0 and first.map
    ]
    assert [(start, level, title.split()) for start, level, title in found(text)] == expected


@given(TEXTS, st.sampled_from(["\r\n", "\r"]))
def test_line_ends_say_nothing(lines: list[str], line_end: str) -> None:
    assert read(lines_of(line_end.join(lines))) == read(lines_of("\n".join(lines)))


@given(TEXTS)
def test_each_line_is_of_one_kind_and_begins_its_block(lines: list[str]) -> None:
    found, kinds = read(lines)
    assert len(kinds) == len(lines)
    for one in found:
        assert kinds[one.start] == (TEXT, one.start)
    for at, (kind, _number) in enumerate(kinds):
        assert kind in (RAW, CODE, IN, TEXT, NONE)
        begins_block = kind == RAW and (at == 0 or kinds[at - 1][0] in (NONE, TEXT))
        assert not begins_block or begins_html(lines[at]), (at, kind)


@given(TEXTS)
def test_every_line_that_says_something_belongs_to_one_section(lines: list[str]) -> None:
    text = "\n".join(lines)
    own = [section.own for section in tas_sections.sections(text)]
    assert re.sub(r"\s", "", "".join(own)) == re.sub(r"\s", "", text)


def test_front_matter_is_passed_over_and_what_is_behind_it_keeps_its_lines() -> None:
    text = "---\n# no\n---\n[a]: /x\n\nword\n# yes\n"
    assert found(text) == [(6, 1, "yes")]
    assert [kind for kind, _ in read(lines_of(text))[1]] == [NONE, NONE, NONE, TEXT, NONE, TEXT, TEXT]


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_lists_and_quotes_that_are_too_deep_cannot_hide_a_section(mark: str) -> None:
    before = "# Dates\nold\n\n# Storage\nold\n"
    deep = before.replace("# Dates\nold", f"# Dates\n{mark * (DEEPEST + 1)}x")
    assert found(deep) == []
    assert tas_sections.changed_outside(before, deep, ("Dates",)) == ("Storage", tas_sections.PREAMBLE)
    assert tas_sections.changed_outside(deep, deep.replace("Storage", "Other"), ("Dates",)) != ()


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_lists_and_quotes_within_each_other_hide_no_heading_after_them(mark: str) -> None:
    assert found(f"{mark * (DEEPEST // 2 - 2)}x\n\n# yes\n") == [(2, 1, "yes")]
