"""Sections of a TAS: where headings are, how sections are named, which ones a change touches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.gates import tas_sections
from devs_git.domain.text.markdown import lines_of, read

pytestmark = pytest.mark.quick

TEXT = """Words before.

# System
intro

## 1 Goals
goals

## 2 Storage
store

### 2.1 Tags
tags

### 2.3 Dates
dates

## 3 Storage
other
"""


def found(text: str) -> list[tuple[int, str]]:
    return [(one.level, one.title) for one in read(lines_of(text))[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\n## b\n### c\n#### d\n##### e\n###### f\n", [(n + 1, c) for n, c in enumerate("abcdef")]),
        ("####### no\n#no\n\\# no\n", []),
        ("   ## a ##  \n", [(2, "a")]),
        ("## a # b\n", [(2, "a # b")]),
        ("## a#\n", [(2, "a#")]),
        ("#\n##  \n", [(1, ""), (2, "")]),
        ("### ###\n", [(3, "")]),
        ("    # code\n", []),
        ("\t# code\n", []),
        ("# a\r\n\r\nb\r\n---\r\n", [(1, "a"), (2, "b")]),
        ("# a\r\rb\r---\rc\r## d\r", [(1, "a"), (2, "b"), (2, "d")]),
        ("a\u2028# no\x0b# no\x0c# no\x85# no\n", []),
        ("a\n===\n\nb\n---\n", [(1, "a"), (2, "b")]),
        ("a\nb\n===\n", [(1, "a b")]),
        ("\n---\n\n===\n", []),
        ("a\n\n---\n", []),
        ("# a\n---\n", [(1, "a")]),
        ("- item\n---\n", []),
        ("> quote\n---\n", []),
        ("- item\nlazy\n---\n", []),
        ("1. item\n===\n", []),
        ("    code\n---\n", []),
        ("a\n    more\n---\n", [(2, "a more")]),
        ("a\n- - -\n", []),
        ("```\n# no\n```\n# yes\n", [(1, "yes")]),
        ("````\n```\n# no\n````\n# yes\n", [(1, "yes")]),
        ("~~~\n```\n# no\n~~~\n# yes\n", [(1, "yes")]),
        ("```sh\n# no\n``` sh\n# no\n```\n# yes\n", [(1, "yes")]),
        ("``` a`b\n# yes\n", [(1, "yes")]),
        ("```\n# no, and never closed\n", []),
        ("    ```\n# yes\n", [(1, "yes")]),
        ("<!--\n# no\n-->\n# yes\n", [(1, "yes")]),
        ("<!-- # no -->\n# yes\n", [(1, "yes")]),
        ("<pre>\n# no\n\n# no\n</pre>\n# yes\n", [(1, "yes")]),
        ("<div>\n# no\n\n# yes\n", [(1, "yes")]),
        ("a\n<!--\n# no\n-->\n", []),
        ("---\ntitle: x\n# comment\n---\n# yes\n", [(1, "yes")]),
        ("---\n# yes\n", [(1, "yes")]),
        ("- item\n  # no\n\n  # no\n\n# yes\n", [(1, "yes")]),
        ("-\ntext\n---\n", [(2, "text")]),
        ("text\n2. no list\n---\n", [(2, "text 2. no list")]),
        ("<b>x</b>\n# yes\n", [(1, "yes")]),
        ("<b>\n# no\n", []),
        ("", []),
    ],
)
def test_headings_are_those_of_markdown(text: str, expected: list[tuple[int, str]]) -> None:
    assert found(text) == expected


def test_sections_have_paths_numbers_and_their_own_text() -> None:
    told = [(one.name, one.numbers[-1:], one.own.split("\n")[-1]) for one in tas_sections.sections(TEXT)]
    assert told == [
        ("(before the first heading)", (), "Words before."),
        ("System", ("",), "intro"),
        ("System / 1 Goals", ("1",), "goals"),
        ("System / 2 Storage", ("2",), "store"),
        ("System / 2 Storage / 2.1 Tags", ("2.1",), "tags"),
        ("System / 2 Storage / 2.3 Dates", ("2.3",), "dates"),
        ("System / 3 Storage", ("3",), "other"),
    ]


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("2.3", ["System / 2 Storage / 2.3 Dates"]),
        ("§2.3", ["System / 2 Storage / 2.3 Dates"]),
        ("2.3.", ["System / 2 Storage / 2.3 Dates"]),
        ("dates", ["System / 2 Storage / 2.3 Dates"]),
        ("2.3 Dates", ["System / 2 Storage / 2.3 Dates"]),
        ("Storage / Dates", ["System / 2 Storage / 2.3 Dates"]),
        ("2 > 2.3", ["System / 2 Storage / 2.3 Dates"]),
        ("System/2 storage/2.1", ["System / 2 Storage / 2.1 Tags"]),
        ("System / 2.1", []),
        ("Storage", ["System / 2 Storage", "System / 3 Storage"]),
        ("(before the first heading)", ["(before the first heading)"]),
        ("2.2", []),
        ("", []),
        ("/", []),
    ],
)
def test_a_section_is_found_by_number_title_or_path(name: str, paths: list[str]) -> None:
    assert [one.name for one in tas_sections.find(TEXT, name)] == paths


@pytest.mark.parametrize(
    ("name", "path"),
    [("1", "T / a"), ("2.1", "T / b / c"), ("2.2", "T / b / d"), ("2.2.1", "T / b / d / e"), ("3", "T / f")],
)
def test_without_numbers_in_headings_their_position_counts(name: str, path: str) -> None:
    text = "# T\n## a\n## b\n### c\n### d\n#### e\n## f\n"
    assert [one.name for one in tas_sections.find(text, name)] == [path]


def changed(after: str, *names: str) -> tuple[str, ...]:
    return tas_sections.changed_outside(TEXT, after, names)


def test_a_change_below_a_named_section_is_inside() -> None:
    assert changed(TEXT.replace("dates\n", "times\n"), "2.3") == ()
    assert changed(TEXT.replace("dates\n", "times\n"), "2") == ()
    assert changed(TEXT.replace("dates\n", "times\n"), "Storage / Dates") == ()


@pytest.mark.parametrize(
    ("after", "names", "outside"),
    [
        (TEXT.replace("goals\n", "aims\n"), ("2.3",), ("System / 1 Goals",)),
        (TEXT.replace("store\n", "keep\n"), ("2.3",), ("System / 2 Storage",)),
        (TEXT.replace("other\n", "x\n"), ("2",), ("System / 3 Storage",)),
        (TEXT.replace("Words", "Other words"), ("2",), ("(before the first heading)",)),
        (TEXT.replace("intro", "Intro"), ("1", "2", "3"), ("System",)),
        (TEXT.replace("dates\n", "dates\n\n## 4 New\nnew\n"), ("2.3",), ("System / 4 New",)),
        (TEXT.replace("## 1 Goals\ngoals\n\n", ""), ("2",), ("System / 1 Goals",)),
        (TEXT.replace("1 Goals", "2.3 Goals"), ("2.3",), ("System / 1 Goals",)),
        (TEXT.replace("other\n", "```\n# 2.3\n```\n"), ("2.3",), ("System / 3 Storage",)),
        ("", ("2.3",), ("(before the first heading)", "System", "System / 1 Goals", "System / 2 Storage",
                        "System / 2 Storage / 2.1 Tags", "System / 3 Storage")),
    ],
)  # fmt: skip
def test_a_change_elsewhere_is_named(after: str, names: tuple[str, ...], outside: tuple[str, ...]) -> None:
    assert after != TEXT
    assert changed(after, *names) == outside


def test_a_new_section_with_the_named_number_is_inside() -> None:
    after = TEXT.replace("### 2.3", "### 2.2 Names\nnames\n\n### 2.3")
    assert changed(after, "2.2") == ()
    assert changed(after, "2.3") == ("System / 2 Storage / 2.2 Names",)


def test_a_section_put_below_a_named_one_was_somewhere_else_before() -> None:
    """Hiding section 3 below an approved one by changing levels touches it where it was."""
    assert changed(TEXT.replace("## 3 Storage", "### 3 Storage"), "2") == ("System / 3 Storage",)
    moved = TEXT.replace("## 1 Goals\ngoals\n\n", "") + "\n## 1 Goals\ngoals\n"
    assert changed(moved, "2.3") != ()


def test_blank_lines_at_the_end_of_a_section_and_line_ends_say_nothing() -> None:
    assert changed(TEXT.replace("goals\n", "goals\n\n\n") + "\n") == ()


@given(
    st.lists(
        st.sampled_from(["# A", "## B", "### C", "text", "", "```", "---", "<!--", "-->", "- x"]), max_size=14
    )
)
def test_every_line_is_in_a_section_and_a_text_differs_from_itself_in_none(lines: list[str]) -> None:
    text = "\n".join(lines)
    count = len(lines_of(text))
    covered = {line for one in tas_sections.sections(text) for line in range(one.start, one.end)}
    said = {at for at, line in enumerate(lines_of(text)) if line.strip()}
    assert said <= covered
    assert all(0 <= one.start <= one.end <= count for one in tas_sections.sections(text))
    assert tas_sections.changed_outside(text, text, ()) == ()
    assert tas_sections.changed_outside(text, text + "\nmore", ()) != ()
