"""The generated pages are what the program says today, and each code, command and reason is in them."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from unittest.mock import patch
from xml.etree import ElementTree as ET

import click
import pytest

from devs_git.domain.audit.findings import FOUND_ALONE
from devs_git.entrypoints.cli.groups import TableGroup
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import CODES
from tests.pages import __main__ as pages
from tests.pages import commands, picture, tour, troubleshooting
from tests.pages.texts import work

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", pages.PAGES)
def test_a_generated_page_is_what_the_program_says_today(name: str) -> None:
    assert (pages.DOCS / name).read_text(encoding="utf-8") == pages.PAGES[name](), "run: make pages"


@pytest.mark.parametrize("name", pages.PAGES)
def test_no_two_headings_of_a_page_have_one_name(name: str) -> None:
    """A link would lead to the first of them."""
    text = re.sub(r"^```.*?^```", "", pages.PAGES[name](), flags=re.DOTALL | re.MULTILINE)
    counts = Counter(heading.lower() for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE))
    assert [heading for heading, count in counts.items() if count > 1] == []


def test_every_command_has_its_section_with_synopsis_and_example() -> None:
    text = commands.page()
    for name in commands.NAMES:
        section = text.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        assert f"```\ndevs-git {name}" in section, name
        assert "```sh\n" in section, name
        assert f"devs-git {name}" in section.rpartition("```sh\n")[2], name


def test_a_command_of_no_group_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {**commands.GROUPS, "Learn": ("demo",)}
    monkeypatch.setattr(commands, "GROUPS", groups)
    with pytest.raises(ValueError, match="help"):
        commands.page()
    monkeypatch.setattr(commands, "GROUPS", {**groups, "More": ("help", "demo")})
    with pytest.raises(ValueError, match="demo"):
        commands.page()


@pytest.mark.parametrize("code", sorted({*CODES, *FOUND_ALONE}))
def test_every_code_says_what_it_means_and_what_to_type(code: str) -> None:
    section = troubleshooting.page().partition(f"\n### {code}\n")[2].partition("\n### ")[0]
    means, told, do = section.partition("**What to do.** ")
    assert len(means) > 60
    assert told
    assert "```sh\n" in do


# The reason that comes back has to stand where it stood: the page has the order of the table.
@patch.dict(work.REASONS)
def test_a_new_code_or_reason_without_a_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as added:
        added.setitem(CODES, "A_NEW_CODE", CODES["BUSY"])
        with pytest.raises(ValueError, match="A_NEW_CODE"):
            troubleshooting.page()
    monkeypatch.delitem(work.REASONS, "disk")
    with pytest.raises(ValueError, match="disk"):
        troubleshooting.page()


def test_every_command_of_a_text_exists_and_has_the_options_that_it_is_given() -> None:
    lines = re.findall(r"^devs-git .*$", troubleshooting.page(), re.MULTILINE)
    assert len(lines) > 80
    for line in lines:
        for part in line.partition(" > ")[0].split("&&"):
            words = shlex.split(part, comments=True)
            if words[0] != "devs-git":
                continue
            found: click.Command = cli
            del words[0]
            while isinstance(found, TableGroup) and words and not words[0].startswith("-"):
                inner = found.get_command(click.Context(found), words.pop(0))
                assert inner is not None, line
                found = inner
            found.make_parser(click.Context(found)).parse_args(words)


@pytest.mark.thorough
def test_the_picture_is_what_the_demo_shows_on_a_terminal() -> None:
    assert (pages.DOCS / "demo.svg").read_text(encoding="utf-8") == picture.page(), "run: make pages"


def test_each_line_of_the_picture_stands_in_the_tour_and_it_has_as_many_as_one_reads() -> None:
    # The file is our own.
    root = ET.fromstring((pages.DOCS / "demo.svg").read_text(encoding="utf-8"))  # noqa: S314
    lines: dict[str, str] = {}
    for one in root.iter("{http://www.w3.org/2000/svg}text"):
        column = round((float(one.attrib["x"]) - 20) / 8.4)
        before = lines.get(one.attrib["y"], "")
        lines[one.attrib["y"]] = before.ljust(column) + (one.text or "")
    assert picture.LEAST_LINES <= len(lines) <= picture.MOST_LINES
    shown = tour.transcript().splitlines()
    assert [line for line in lines.values() if line not in shown] == []
    assert not any("http" in value for one in root.iter() for value in one.attrib.values())


def test_colours_of_a_terminal_are_colours_of_the_picture() -> None:
    said = picture.terminal_output([sys.executable, "-c", r"print('\x1b[32m$ \x1b[0ma <b\x1b[1m  c\x1b[0m')"])
    parts = list(picture.spans(said.rstrip("\n")))
    assert [(column, text) for column, text, _how in parts] == [(0, "$"), (2, "a <b"), (8, "c")]
    assert ["#7ee787" in parts[0][2], "bold" in parts[1][2], "bold" in parts[2][2]] == [True, False, True]
    assert "a &lt;b" in picture.draw([said.rstrip("\n")])
