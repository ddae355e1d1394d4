"""Each git child of each verb is killed once: the verb refuses, changes nothing by half, and works the next time.

Verbs that move the tree have tests of their own (tests/storage/worktree).
"""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.errors import EXIT_INTERNAL
from tests.support.dying_programs import dying_git, gits_run
from tests.test_events import SCENARIOS, run

pytestmark = pytest.mark.thorough

MOVING = ("rewind", "undo", "checkout", "restore")
NAMES = [name for name, (_, last) in SCENARIOS.items() if name not in MOVING and not last.startswith("y ")]


def words(line: str, top: Path) -> list[str]:
    listed = ["git", "for-each-ref", "--format=%(refname:short)", "refs/heads/snapshot"]
    branch = subprocess.run(listed, cwd=top, check=True, capture_output=True, text=True).stdout.strip()
    return shlex.split(line.replace("{snapshot}", branch))


def status(words: list[str], top: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["devs-git", *words])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"It works.\n")))
    with monkeypatch.context() as there:
        there.chdir(top)
        return main()


@pytest.mark.parametrize("name", NAMES)
def test_whichever_git_is_killed_the_verb_says_so_and_works_again(
    name: str, initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, last = SCENARIOS[name]
    for line in before:
        run(line, initialised, monkeypatch)
    verb = words(last, initialised)
    monkeypatch.chdir(tmp_path)  # the twin goes away under it
    twin, folder, at = tmp_path / "twin", tmp_path / "bin", 0
    while not at or at <= gits_run(folder):
        shutil.rmtree(twin, ignore_errors=True)
        shutil.copytree(initialised, twin, symlinks=True)
        at += 1
        with monkeypatch.context() as dying:
            for variable, value in dying_git(folder, at=at, before=bool(at % 2)).items():
                dying.setenv(variable, value)
            ended = status(verb, twin, dying)
        assert ended != EXIT_INTERNAL, (at, ended)
        assert status(["status"], twin, monkeypatch) == 0
        assert status(["verify"], twin, monkeypatch) == 0, (at, ended)
        if ended:
            assert status(verb, twin, monkeypatch) != EXIT_INTERNAL
        assert status(["verify"], twin, monkeypatch) == 0, (at, ended)
    assert at > 1
