"""One `git commit` asks git once whether a gate is open, and again whenever the answer may have changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.lost_objects import lose

Run = Callable[..., str]
NOTE = Path(".git/devs/nothing-open")
LEDGER = "refs/heads/devs/ledger"


@pytest.fixture
def children(initialised: Path, tmp_path: Path) -> Callable[..., list[str]]:
    """`children("-m", "x")`: a `git commit` that succeeds, and the git commands that its hooks started."""
    NOTE.unlink(missing_ok=True)
    git, told = shutil.which("git"), tmp_path / "told"
    for hook in (initialised / ".git/hooks").iterdir():
        text = hook.read_text()
        hook.write_text(
            text.replace("#!/bin/sh\n", f'#!/bin/sh\ngit() {{ echo "$1" >>{told}; {git} "$@"; }}\n')
        )

    def run(*words: str) -> list[str]:
        told.write_text("")
        env = {**os.environ, "GIT_EDITOR": "true"}
        subprocess.run(["git", "commit", "-q", "--allow-empty", *words], env=env, check=True)
        return told.read_text().split()

    return run


@pytest.mark.quick
def test_a_second_commit_under_the_same_ledger_asks_once(
    children: Callable[..., list[str]], git: Run
) -> None:
    assert children("-m", "one") == ["cat-file", "rev-parse"]
    assert children("-m", "two") == ["cat-file"]
    trailers = git("log", "-2", "--format=%(trailers:key=Devs-Ledger,valueonly,separator=)").split()
    assert trailers == [git("rev-parse", LEDGER)] * 2
    assert children("--no-verify", "-m", "three") == ["rev-parse"]
    git("pack-refs", "--all")
    assert "rev-parse" in children("-m", "four")


def test_a_gate_whose_marker_cannot_be_read_freezes_all_the_same(
    children: Callable[..., list[str]], git: Run
) -> None:
    children("-m", "one")
    children("-m", "two")
    ask(Workspace.open(), kind="MANUAL")
    marker = git("rev-parse", f"{LEDGER}:open")
    lose(Path(), marker)
    with pytest.raises(subprocess.CalledProcessError):
        children("-m", "three")


def test_a_note_that_cannot_be_written_is_done_without(children: Callable[..., list[str]]) -> None:
    NOTE.mkdir()
    assert children("-m", "one") == ["cat-file", "rev-parse"]
    assert children("-m", "two") == ["cat-file", "rev-parse"]
    NOTE.rmdir()
    NOTE.write_text("")
    assert children("-m", "three") == ["cat-file", "rev-parse"]
    assert children("-m", "four") == ["cat-file"]
