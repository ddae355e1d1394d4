"""Each hook of a `git commit` asks git itself whether a gate is open: no note of an earlier answer counts."""

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
LEDGER = "refs/heads/devs/ledger"


@pytest.fixture
def children(initialised: Path, tmp_path: Path) -> Callable[..., list[str]]:
    """`children("-m", "x")`: a `git commit` that succeeds, and the git commands that its hooks started."""
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
def test_each_hook_of_a_commit_asks_git_once(children: Callable[..., list[str]], git: Run) -> None:
    assert children("-m", "one") == ["cat-file", "rev-parse"]
    assert children("-m", "two") == ["cat-file", "rev-parse"]
    trailers = git("log", "-2", "--format=%(trailers:key=Devs-Ledger,valueonly,separator=)").split()
    assert trailers == [git("rev-parse", LEDGER)] * 2
    assert children("--no-verify", "-m", "three") == ["rev-parse"]


def test_a_gate_whose_marker_cannot_be_read_freezes_all_the_same(
    children: Callable[..., list[str]], git: Run
) -> None:
    children("-m", "one")
    ask(Workspace.open(), kind="MANUAL")
    marker = git("rev-parse", f"{LEDGER}:open")
    lose(Path(), marker)
    with pytest.raises(subprocess.CalledProcessError):
        children("-m", "two")
