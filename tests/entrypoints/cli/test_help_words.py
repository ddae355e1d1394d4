"""`devs-git help words` says what the words mean, in the lines that the manual page and the glossary have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from devs_git.entrypoints.cli import manual
from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.cli.texts.words import WORDS

pytestmark = pytest.mark.quick

GLOSSARY = Path(__file__).parents[3] / "docs/glossary.md"
ASKED = [
    "task",
    "checkpoint",
    "moment",
    "snapshot",
    "backup",
    "ledger",
    "gate",
    "TAS",
    "contract",
    "phase",
    "directive",
    "policy",
    "view",
    "trace",
]


def _help(*words: str) -> str:
    done = CliRunner().invoke(cli, ["help", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_each_word_has_one_line_that_fits_a_terminal() -> None:
    lines = _help("words").splitlines()
    assert [line.split()[0] for line in lines if line][: len(WORDS)] == list(WORDS)
    assert set(ASKED) <= set(WORDS)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("typed", ["moment", "Moments", "MOMENT"])
def test_help_of_a_word_says_what_it_means(typed: str) -> None:
    assert _help(typed) == f"moment: {WORDS['moment']}\n"


def test_an_abbreviation_is_spelled_out() -> None:
    assert "Technical Architecture Specification" in _help("tas")


@pytest.mark.parametrize("word", ["checkpoint", "gate", "task", "contract", "trace"])
def test_help_of_a_command_that_is_a_word_says_both_once(word: str) -> None:
    text = " ".join(_help(word).split())
    assert text.count(f"{word}: {WORDS[word]}") == 1
    assert f"Usage: devs-git {word}" in text


def test_a_group_of_commands_says_what_its_word_means() -> None:
    assert WORDS["gate"] in " ".join(CliRunner().invoke(cli, ["gate", "--help"]).output.split())


def test_the_help_of_the_program_names_the_list() -> None:
    assert "devs-git help words" in CliRunner().invoke(cli, ["--help"]).output


def test_the_glossary_begins_each_word_with_the_same_line() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    found = {word.casefold(): text.replace("`", "").replace("*", "") for word, text in rows}
    for word, meaning in WORDS.items():
        assert found[word.casefold()].startswith(meaning), word


def test_the_manual_page_has_the_words() -> None:
    assert WORDS["moment"] in manual.page()
