"""The hooks write nothing through a symbolic link in the place of a file of devs-git."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.clients.claude import CLAUDE
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from tests.support.agent_calls import after, call
from tests.support.attacker import must_fail
from tests.support.git_calls import git

Run = Callable[..., str]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/template").write_text("mine\n")
    return tmp_path / "elsewhere"


def commit() -> None:
    """Make a commit, and one from a template that an editor changes."""
    git("commit", "-q", "--allow-empty", "-m", "x")
    Path("words").write_text("Subject\n")
    edit = {"GIT_EDITOR": "echo more >>"}
    git("commit", "-q", "--allow-empty", "-t", "words", env=edit)
    Path("words").unlink()


@pytest.mark.quick
def test_a_note_that_is_a_link_is_not_written_through(initialised: Path, elsewhere: Path) -> None:
    commit()
    note = initialised / ".git/devs/template"
    note.unlink(missing_ok=True)
    note.symlink_to(elsewhere / "template")
    commit()
    assert (elsewhere / "template").read_text() == "mine\n"


def test_a_folder_of_notes_that_is_a_link_is_not_written_to(initialised: Path, elsewhere: Path) -> None:
    commit()
    ours = initialised / ".git" / "devs"
    for name in ("tas-path", "checked-tip"):
        (ours / name).rename(elsewhere / name)  # with these no hook needs Python, which refuses
    shutil.rmtree(ours)
    ours.symlink_to(elsewhere)
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    commit()
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before
    (elsewhere / "tas-path").unlink()
    must_fail("INVALID_ARGUMENTS", "commit", "-q", "--allow-empty", "-m", "x")


@pytest.mark.parametrize("name", ["devs", "devs/spool"])
def test_what_a_tool_printed_is_not_kept_elsewhere(name: str, initialised: Path, elsewhere: Path) -> None:
    client_files.install(locate(initialised), initialised, CLAUDE)
    place = initialised / ".git" / name
    place.rename(elsewhere / "moved")
    place.symlink_to(elsewhere / "moved")
    before = sorted(os.fspath(path) for path in elsewhere.rglob("*"))
    said = call(initialised, after(output="secret"))
    assert said.err.splitlines()[-1].startswith("devs-git: the output of this tool could not be saved")
    assert sorted(os.fspath(path) for path in elsewhere.rglob("*")) == before
