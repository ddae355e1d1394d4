"""The manual pages say what the commands are, and a manual reader finds them for `git help devs`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from devs_git.domain.verbs import VERBS
from devs_git.entrypoints.cli import manual

TOP = Path(__file__).parents[3]


@pytest.mark.quick
def test_the_pages_are_what_the_commands_say_today(tmp_path: Path) -> None:
    manual.write(tmp_path)
    for name in manual.NAMES:
        assert (TOP / "man" / name).read_text() == (tmp_path / name).read_text(), "run: make man"


def test_every_verb_has_a_section_and_no_line_is_taken_for_a_request() -> None:
    lines = manual.page().splitlines()
    sections = [line.removeprefix(".SS ").replace("\\-", "-") for line in lines if line.startswith(".SS ")]
    assert [verb for verb in VERBS if not any(line.startswith(verb) for line in sections)] == []
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests <= {
        ".TH",
        ".SH",
        ".SS",
        ".TP",
        ".PP",
        ".B",
        ".BR",
        ".I",
        ".br",
        ".nf",
        ".fi",
        ".RS",
        ".RE",
    }


def test_the_wheel_puts_the_pages_where_man_looks() -> None:
    config = tomllib.loads((TOP / "pyproject.toml").read_text())
    assert config["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"] == {"man": "share/man/man1"}
