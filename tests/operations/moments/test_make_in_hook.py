"""Before a command that names no file, nothing is loaded that knows of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.operations.moments.make_in_hook import _names_no_file
from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.support.agent_calls import before, call, install_hooks
from tests.support.hook_moments import kept

pytestmark = pytest.mark.quick


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".env").write_text("secret\n")
    return tmp_path


@pytest.mark.parametrize("command", ["npm run lint", "pytest -q", "cargo build --release", "make"])
def test_plain_words_that_are_no_files_name_no_file(command: str, folder: Path) -> None:
    assert _names_no_file(command, str(folder))


@pytest.mark.parametrize(
    "command",
    [
        "tool .env",
        "tool ./.env",
        "tool x/../.env",
        "tool --out=.env",
        "tool KEY=.env",
        "tool -f.env",
        "fetch https://example.org/a/.env?b=c",
        "tool '.env'",
        "tool *.env",
        "tool $NAME",
        "tool ~/x",
        "cd x && tool y",
        "tool a\ntool b",
        "tool >x",
    ],
)
def test_a_word_that_names_a_file_or_may_do_so_is_seen(command: str, folder: Path) -> None:
    (folder / "x").mkdir()
    assert not _names_no_file(command, str(folder))
    assert not _names_no_file(f"tool {folder}/.env", "/")


@pytest.mark.parametrize(
    ("command", "file"), [("npm test", "package.json"), ("bunx x", "package.json"), ("gmake", "Makefile")]
)
def test_a_program_that_reads_its_commands_from_a_file_names_that_file(
    command: str, file: str, folder: Path
) -> None:
    assert _names_no_file(command, str(folder))
    (folder / file).write_text("")
    assert not _names_no_file(command, str(folder))


@pytest.mark.parametrize("command", ["frobnicate .env", "frobnicate --lint"])
def test_an_ignored_file_is_kept_before_a_program_that_nobody_knows_if_it_is_named(
    command: str, initialised: Path
) -> None:
    top = install_hooks(initialised)
    (top / ".gitignore").write_text(".env\n")
    (top / ".env").write_text("secret\n")
    call(top, before("Bash", command="frobnicate"))
    (top / "a.txt").write_text("changed\n")
    call(top, before("Bash", command=command))
    moment, _ = kept(top)[-1]
    _, details = read_moments.load(Workspace.open(top).objects, moment.id)
    assert bool(details.ignored) == (".env" in command)
    assert details.branches
