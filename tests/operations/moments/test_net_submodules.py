"""A submodule is a repository of its own: what is changed in it is in no moment, so it is named before a command takes it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.net_scene import Net

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("command", ["rm -rf sm", "git submodule deinit -f sm"])
def test_a_submodule_that_a_command_takes_is_named_before_and_after(
    command: str, repo: Path, tmp_path: Path, git: Run
) -> None:
    subprocess.run(["git", "clone", "-q", str(repo), str(tmp_path / "other")], check=True)
    git("submodule", "add", "-q", str(tmp_path / "other"), "sm")
    git("commit", "-qm", "submodule")
    (repo / "sm/a.txt").write_text("changed inside")
    net = Net(repo)
    lines = net.run(command)
    assert "sm/ (a repository of its own)" in net.warned.text
    assert not (repo / "sm/a.txt").exists()
    assert lines == () or "sm" in lines[0]


def test_a_command_that_takes_no_repository_names_none(repo: Path, tmp_path: Path, git: Run) -> None:
    subprocess.run(["git", "clone", "-q", str(repo), str(tmp_path / "other")], check=True)
    git("submodule", "add", "-q", str(tmp_path / "other"), "sm")
    git("commit", "-qm", "submodule")
    net = Net(repo)
    net.run("git reset --hard")
    assert net.warned.text == ""
