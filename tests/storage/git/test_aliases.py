"""The git aliases run from any folder of any worktree, and go in and out without touching anybody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import task_start
from devs_git.entrypoints import router
from devs_git.storage.git import aliases
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask

Run = Callable[..., str]
Say = Callable[..., str]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """`say("install")` runs the command and returns what it printed."""

    def run(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["devs-git", "aliases", *words])
        assert main() == 0
        return capsys.readouterr().out

    return run


def attempt(*words: str, where: Path) -> tuple[int, str]:
    """git as it is where no devs-git is on PATH."""
    env = {**os.environ, "PATH": os.defpath}
    done = subprocess.run(["git", *words], cwd=where, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.quick
def test_going_in_and_out_leaves_the_configuration_as_it_was_and_no_event(
    initialised: Path, git: Run, say: Say
) -> None:
    git("config", "alias.gates", "log --oneline")
    git("config", "--global", "alias.approve", "!true")
    config, ledger = (initialised / ".git/config").read_bytes(), git("rev-parse", "devs/ledger")
    said = say("install")
    assert "skipped  alias gates (git gates is your own alias; it was not changed.)" in said
    assert "skipped  alias approve" in said
    after = (initialised / ".git/config").read_bytes()
    assert "kept     alias checkpoint" in say("install")
    assert (initialised / ".git/config").read_bytes() == after
    assert git("config", "alias.gates") == "log --oneline"
    assert "removed  alias rewind-task" in say("uninstall")
    assert "skipped  alias checkpoint (it was not there)" in say("uninstall")
    assert ((initialised / ".git/config").read_bytes(), git("rev-parse", "devs/ledger")) == (config, ledger)


@pytest.mark.parametrize("linked", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_each_alias_is_run_by_git_in_the_callers_folder(
    linked: bool, initialised: Path, git: Run, say: Say
) -> None:
    assert say("install").count("created") == len(aliases.ALIASES)
    top = initialised
    if linked:
        top = initialised.parent / "linked tree"
        git("worktree", "add", "-q", "-b", "other", str(top))
    below = top / "in a" / "folder"
    below.mkdir(parents=True)
    router.call("task start", Workspace.open(top), task_start.Request("10"))
    for number in (1, 2):
        (top / "a.txt").write_text(f"{number}\n")
        status, said = attempt("checkpoint", "--all", "-m", f"step {number}", where=below)
        assert (status, said.split()[0]) == (0, f"task-10@{number}"), said
    git("-C", str(top), "checkout", "-q", "--detach")
    status, said = attempt("rewind-task", "task-10@1", "--dry-run", where=below)
    assert (status, said.split("\n")[0]) == (
        0,
        f"Rewind to task-10@1 ({git('rev-parse', 'HEAD~1', where=top)[:12]})",
    )
    assert attempt("gates", where=below) == (0, "No active gates.\n")
    gate = ask(Workspace.open(top), kind="MANUAL")
    (below / "signature").write_text("no signature\n")
    status, said = attempt("approve", gate, "--signature", "signature", "--signed", "signature", where=below)
    assert (status, said.split(":")[0]) == (1, "BAD_SIGNATURE"), said  # the file was found here
    assert git("status", "--porcelain", where=top) == "?? " + '"in a/"'


@pytest.mark.usefixtures("initialised")
def test_an_alias_of_another_environment_is_ours_and_an_edited_one_is_not(git: Run, say: Say) -> None:
    git("config", "alias.checkpoint", aliases.value("checkpoint", "/gone/it's/python"))
    git("config", "alias.gates", aliases.value("gate list", sys.executable) + " --json")
    assert '"did": "updated"' in say("install", "--json")
    assert git("config", "alias.checkpoint") == aliases.value("checkpoint", sys.executable)
    assert "skipped  alias gates" in say("uninstall")
    assert git("config", "--get-regexp", "^alias").startswith("alias.gates ")
    assert not aliases.is_ours(aliases.value("checkpoint", "/bin/true; rm x"), "gate list")
    assert not aliases.is_ours(aliases.value("gate list", "x").replace(" x ", " /x; rm y "), "gate list")


@pytest.mark.usefixtures("initialised")
def test_a_program_of_that_name_comes_first_and_is_told(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git-gates"
    program.parent.mkdir()
    shutil.copy("/bin/true", program)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert "skipped  alias gates (The program git-gates on PATH" in say("install")
