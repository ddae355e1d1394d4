"""What the documents repeat is what the program does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import devs_git
from devs_git.domain.verbs import OTHER_COMMANDS, VERBS
from devs_git.entrypoints.cli.groups import TableGroup
from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.table import TOOLS
from tests import house, links, tools_page
from tests.pages import tour

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent
# Records of what was name commands as they were then; schemas/ names lines of a format.
RECORDS = ("CHANGELOG.md", "tests/", "schemas/")
COMMANDS = [*VERBS, *(name for name in OTHER_COMMANDS if name != "hook")]
DECISIONS = sorted((TOP / "docs/decisions").glob("[0-9]*.md"))
CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
# Words after `devs-git ` or `git devs `, as far as they are lower case: the command, maybe with its first argument.
WRITTEN = re.compile(r"(?<![\w/.-])(?:devs-git|git devs) ([a-z]+(?: [a-z]+)?)")


def _command(name: str) -> click.Command:
    found: click.Command = cli
    for word in name.split():
        assert isinstance(found, TableGroup)
        inner = found.get_command(click.Context(found), word)
        assert inner, f"there is no command {name}"
        found = inner
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    text = _command(name).help or ""
    assert "Example" in text
    assert f"devs-git {name}" in text


def test_the_readme_is_short_and_every_link_of_every_page_leads_somewhere() -> None:
    assert house.readme(TOP).missed == ()
    assert list(links.broken(TOP)) == []


def test_the_readme_leads_to_every_page_of_docs() -> None:
    found = set(links.targets((TOP / "README.md").read_text(encoding="utf-8")))
    pages = {f"docs/{page.name}" for page in (TOP / "docs").glob("*.md")}
    assert pages - found == set()


def test_every_command_that_the_documents_write_exists() -> None:
    for page in links.pages(TOP):
        file = page.relative_to(TOP).as_posix()
        if file.startswith(RECORDS):
            continue
        # The commands of the transcript really ran.
        text = tour.BLOCK.sub("", page.read_text(encoding="utf-8"))
        code = " ".join(CODE.findall(text))
        for words in WRITTEN.findall(code):
            first, _, second = words.partition(" ")
            known = first in {name.split()[0] for name in COMMANDS}
            assert known, f"{file} writes devs-git {words}"
            if second and f"{first} {second}" not in {**VERBS, **OTHER_COMMANDS}:
                assert first in VERBS or first in OTHER_COMMANDS, f"{file} writes devs-git {words}"


def test_every_option_that_the_documents_write_exists() -> None:
    for page in links.pages(TOP):
        if not page.relative_to(TOP).as_posix().startswith(RECORDS):
            for line in _lines(page.read_text(encoding="utf-8")):
                words = [name for name in COMMANDS if f"{line} ".startswith(f"{name} ")]
                taken = {one for found in words for param in _command(found).params for one in param.opts}
                options = re.findall(r"(?<= )--?[a-z][a-z-]*", line) if words else []
                assert [one for one in options if one not in {*taken, "--help"}] == [], f"{page.name}: {line}"


def _lines(text: str) -> Iterator[str]:
    """Each call of devs-git in a page's code, without the program's name and what a shell reads after it."""
    for code in CODE.findall(tour.BLOCK.sub("", text)):
        for line in code.replace("\\\n", " ").splitlines():
            unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line)
            for call in re.split(r"(?<![\w/.-])(?:devs-git|git devs) ", unquoted)[1:]:
                yield re.split(r"#|&&|;|\||<| -- |`", call)[0].strip()


def test_the_page_of_the_policy_has_every_setting() -> None:
    page = (TOP / "docs" / "policy.md").read_text(encoding="utf-8")
    schema = json.loads((TOP / "schemas" / "policy.v1.schema.json").read_text(encoding="utf-8"))
    for name, value in schema["properties"].items():
        inner = value.get("properties", {})
        forms = [f"`{name}: {{{one}: …}}`" for one in inner] or [f"`{name}`"]
        assert [form for form in forms if form not in page] == []


def test_a_page_names_every_hook_that_is_installed() -> None:
    hooks = sorted(file.name for file in (TOP / "hooks").iterdir() if file.is_file() and not file.suffix)
    page = (TOP / "docs" / "repository.md").read_text(encoding="utf-8")
    named = re.search(r"\*\*git hooks\*\* ([^.]*)\.", page)
    assert named
    assert sorted(re.findall(r"`([a-z-]+)`", named[1])) == hooks


def test_the_changelog_knows_the_version() -> None:
    assert f"\n## [{devs_git.__version__}] - " in (TOP / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_architecture_names_every_file_of_the_engine_and_none_that_is_gone() -> None:
    text = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("## How the tree is moved")[2].partition("## Decisions")[0]
    engine = (TOP / "devs_git/storage/worktree", TOP / "devs_git/operations/rewind")
    there = {file.name for folder in engine for file in folder.rglob("[a-z]*.py")}
    assert set(re.findall(r"`([a-z_]+\.py)`", table)) == there
    for path in re.findall(r"(?:devs_git|bench|tests|hooks|schemas)/[\w/.-]*", text):
        assert (TOP / path).exists(), f"ARCHITECTURE.md names {path}"


PARTS = ["Context", "Decision", "Rejected alternatives", "Consequence"]
# Each states a rule in full, with all its cases.
LONG = ("01-who-is-believed.md", "02-what-keeps-a-task.md", "03-what-an-event-may-do-to-a-clone.md")


def test_a_decision_is_short_has_its_four_parts_and_names_rejected_alternatives() -> None:
    for page in DECISIONS:
        text = page.read_text(encoding="utf-8")
        assert [part for part in re.findall(r"^## (.+)$", text, re.MULTILINE) if part in PARTS] == PARTS, page
        rejected = text.partition("\n## Rejected alternatives\n")[2].partition("\n## ")[0]
        assert "\n- *" in f"\n{rejected}", page
        assert page.name in LONG or len(text.split()) <= 450, page


def test_the_decisions_are_numbered_without_a_gap_and_all_listed() -> None:
    assert [page.name[:3] for page in DECISIONS] == [f"{at:02}-" for at in range(1, len(DECISIONS) + 1)]
    listed = links.targets((TOP / "docs/decisions/README.md").read_text(encoding="utf-8"))
    assert sorted(one for one in listed if "/" not in one) == [page.name for page in DECISIONS]


def test_the_architecture_is_a_page_that_one_reads_in_one_sitting() -> None:
    text = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 2500
    assert re.findall(r"^## (.+)$", text, re.MULTILINE)[0] == "The folders"


def test_the_answer_on_the_page_of_the_interfaces_is_the_one_that_the_tool_gives(initialised: Path) -> None:
    page = (TOP / "docs" / "api.md").read_text(encoding="utf-8")
    example = re.search(r"-d '(.+)'\n(\{.+\})\n", page)
    assert example
    asked, answered = map(json.loads, example.groups())
    assert calling.call(asked["tool"], asked["params"], initialised).value == answered


@pytest.mark.thorough
def test_the_page_of_tools_is_what_the_table_and_the_tools_say(tmp_path: Path) -> None:
    """In a process of its own, for the story replaces the environment; in a folder of another name than last time."""
    command = [sys.executable, "-m", "tests.tools_page", "--print"]
    done = subprocess.run(
        command,
        cwd=TOP,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    written = tools_page.PAGE.read_text(encoding="utf-8")
    assert done.stdout == written, "Write it anew with: python -m tests.tools_page"
    for name, tool in TOOLS.items():
        section = written.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section.count("```json") >= 2, f"the story does not call {name}"
        assert tool.meaning in section
