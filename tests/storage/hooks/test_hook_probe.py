"""`doctor` lets git run one of our hooks, and starts no program that only looks like one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from devs_git.commands.doctor import Request, Result
from devs_git.domain.text import hook_script
from devs_git.entrypoints import router
from devs_git.storage.git.places import locate
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import installation
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask

pytestmark = pytest.mark.quick


def look(where: Path) -> Result:
    result: Result = router.call("doctor", Workspace.open(where), Request())
    return result


def codes(where: Path) -> list[str]:
    return [finding.code for finding in look(where).findings]


def test_a_git_that_does_not_run_hooks_is_found_out_by_running_one(
    initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    turned_off = 'case " $* " in *" config "*) ;; *) set -- -c core.hooksPath=/dev/null "$@" ;; esac'
    wrapper.write_text(f'#!/bin/sh\n{turned_off}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    assert codes(initialised) == ["HOOK_NOT_RUN"]
    ask(Workspace.open(), kind="MANUAL")
    assert codes(initialised) == ["HOOK_NOT_RUN"]
    monkeypatch.undo()
    assert codes(initialised) == []  # with an open gate the hook refuses, which shows that it ran


def test_a_python_that_lost_devs_git_is_found_out_and_no_hooks_python_is_started(
    initialised: Path, tmp_path: Path
) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    site = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    for folder in (python.parent, site):
        folder.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    python.chmod(0o755)
    installation.install(locate(initialised), Git(initialised), str(python))
    told = [(finding.code, finding.severity) for finding in look(initialised).findings]
    assert told == [("HOOK_OUTDATED", "warning")]  # we could only find out by starting it
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    told = [(finding.code, finding.severity) for finding in look(initialised).findings]
    assert told == [("HOOK_OUTDATED", "error")]
    (site / "devs_git-0.1.dist-info").mkdir()
    assert codes(initialised) == []
    assert not (tmp_path / "ran").exists()


@pytest.mark.thorough
def test_a_hook_that_only_looks_like_ours_is_not_run_for_a_trial(initialised: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    for name in ("pre-merge-commit", "pre-rebase"):
        hook = initialised / ".git" / "hooks" / name
        source = hook.read_bytes().replace(b"#!/bin/sh", f"#!{trap}".encode(), 1)
        hook.write_bytes(hook_script.render(source, sys.executable, chained=False))
    assert hook_script.owner(hook.read_bytes()) == "ours"
    codes(initialised)
    assert not (tmp_path / "ran").exists()
