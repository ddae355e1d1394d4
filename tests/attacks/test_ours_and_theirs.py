"""What is planted where we keep our things, and what a repository plants for whoever reads it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import status
from devs_git.entrypoints import router
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.journal import Journal
from devs_git.values import as_mapping
from devs_git.workspace import Workspace
from tests.support.attacker import doctor_codes
from tests.support.git_calls import git
from tests.support.refusals import refusal
from tests.support.terminal_person import at_terminal

Git = Callable[..., str]
OP = "20010203T040506-1a2b3c4d"


@pytest.fixture
def precious(initialised: Path) -> Path:
    """A folder of a person's beside the repository, with a folder in it."""
    folder = initialised.parent / "precious"
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "thesis.txt").write_text("years\n")
    return folder


def looked() -> status.Result:
    found: status.Result = router.call("status", Workspace.open(), status.Request())
    return found


@pytest.mark.quick
def test_a_link_to_somewhere_else_in_the_place_of_a_folder_or_file_in_git_devs(precious: Path) -> None:
    ours = Path(".git/devs")
    for name in ("op", "raw", "journal", "spool", "hooks", "open", "catalog.db", "task", "lock"):
        if (ours / name).is_dir():
            shutil.rmtree(ours / name)
        (ours / name).unlink(missing_ok=True)
        (ours / name).symlink_to(precious if "." not in name else precious / "made")
        assert refusal(looked).code == "INVALID_ARGUMENTS"
        assert [path.name for path in sorted(precious.rglob("*"))] == ["work", "thesis.txt"]
        (ours / name).unlink()
    assert looked().branch == "main"


@pytest.mark.quick
def test_a_pipe_or_a_link_in_the_place_of_a_journal(precious: Path) -> None:
    for folder in ("journal", "forks"):
        planted = Path(".git/devs", folder, f"{OP}.json")
        planted.parent.mkdir(exist_ok=True)
        for plant in (os.mkfifo, lambda path: path.symlink_to(precious / "work/thesis.txt")):
            plant(planted)
            assert refusal(looked).code == "INVALID_ARGUMENTS"
            planted.unlink()
    assert looked().branch == "main"


def test_a_journal_whose_name_is_a_path_as_json(initialised: Path) -> None:
    (initialised / ".git/devs/journal").mkdir(exist_ok=True)
    (initialised / ".git/devs/catalog.db").write_bytes(b"")
    planted = initialised / ".git/devs/journal/...json"
    planted.write_text("")
    before = {path.name for path in (initialised / ".git/devs").iterdir()}
    assert looked().journals == ("...json",)
    assert {path.name for path in (initialised / ".git/devs").iterdir()} >= before
    assert "JOURNAL_OPEN" in doctor_codes()


def test_a_planted_journal_whose_refs_are_paths(precious: Path) -> None:
    (precious / "editor.lock").write_text("mine\n")
    head, tree = git("rev-parse", "HEAD", "HEAD^{tree}").split()
    here = State(head, "refs/heads/main", tree, tree)
    told = as_mapping(
        Journal(OP, "rewind", "x", ".", "move", here, here, "", head, (), (tree, tree), {}, 0, False)
    )
    told["updates"] = [{"ref": "refs/../../../precious/editor", "new": head, "old": head, "no_deref": False}]
    Path(".git/devs/journal").mkdir(exist_ok=True)
    Path(f".git/devs/journal/{OP}.json").write_text(json.dumps(told))
    looked()
    assert (precious / "editor.lock").read_text() == "mine\n"
    assert "JOURNAL_OPEN" in doctor_codes()


def test_programs_in_the_repositorys_configuration_that_a_reading_command_would_start(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, trap = initialised.parent / "ran", initialised.parent / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >>{ran}\ncat\n')
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "pager.status", "core.sshCommand", "credential.helper", "diff.external", "diff.x.textconv", "diff.x.command", "gpg.program", "alias.status"):  # fmt: skip
        git("config", key, f"{'!' if 'alias' in key else ''}{trap} {key}")
    for kind in ("clean", "smudge", "process"):
        git("config", f"filter.{kind}.{kind}", f"{trap} {kind}")
    names = {"f1.txt": "clean", "f2.txt": "smudge", "f3.txt": "process"}
    attributes = "".join(f"{path} filter={name} diff=x\n" for path, name in names.items())
    (initialised / ".git/info/attributes").write_text(attributes)
    for seconds, look in ((5, lambda: git("status")), (6, ran.unlink)):  # plain git starts them
        for path in names:
            os.utime(initialised / path, (seconds, seconds))
        look()
    for words in (["status"], ["diff", "--hunks"], ["doctor"], ["verify"], ["log", "--all"]):
        monkeypatch.setattr(sys, "argv", ["devs-git", *words])
        main()
        assert not ran.exists(), (words, ran.read_text())
    assert {one.path for one in looked().not_told} == set(names)


def test_a_name_of_a_branch_or_a_file_that_commands_a_terminal(initialised: Path) -> None:
    hostile = "x\u009b31m\u202e\u200f"
    git("switch", "-q", "-c", hostile)
    (initialised / f"{hostile}\x1b[2J\u2028").write_text("x\n")
    for words in (["status"], ["status", "--json"], ["checkout", hostile], ["checkout", "--json", "main"]):
        _, shown = at_terminal(initialised, *words)
        assert "x" in shown
        assert not set("\u009b\u202e\u200f\u2028\x1b") & set(shown), shown
    assert json.loads(at_terminal(initialised, "status", "--json")[1])["branch"] == "main"


def test_a_pager_in_the_repositorys_configuration(initialised: Path, tmp_path: Path) -> None:
    program, started = tmp_path / "page", tmp_path / "started"
    program.write_text(f"#!/bin/sh\ntouch {started}\ncat\n")
    program.chmod(0o755)
    for key in ("core.pager", "pager.help", "pager.doctor", "pager.history"):
        git("config", "--local", key, str(program))
    shown = at_terminal(initialised, "history", "--limit", "50", size=(1, 80), env={"PAGER": "cat"})[1]
    assert "ledger" in shown
    assert not started.exists()
