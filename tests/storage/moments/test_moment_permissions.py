"""Which permissions a moment lists: those that git would not give a file or folder by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Occasion
from devs_git.storage.moments import make_moment, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import maker, moment

pytestmark = pytest.mark.quick


def _listed(here: Workspace) -> dict[str, int]:
    state, _ = read_moments.load(here.objects, moment(here).moment_id)
    return dict(state.modes)


def test_where_git_does_not_compare_modes_the_moment_lists_each_executable_file(repo: Path, git: Run) -> None:
    git("config", "core.fileMode", "false")
    (repo / "a.txt").chmod(0o755)
    (repo / "new").write_text("n\n")
    (repo / "new").chmod(0o755)
    assert _listed(Workspace.open(repo)) == {"a.txt": 0o755, "new": 0o755}
    (repo / "new").chmod(0o644)
    assert _listed(Workspace.open(repo)) == {"a.txt": 0o755}


def test_under_another_umask_other_permissions_are_the_usual_ones(repo: Path) -> None:
    assert _listed(Workspace.open(repo)) == {}
    mask = os.umask(0o077)
    try:
        (repo / "new").write_text("n\n")
        made = moment(Workspace.open(repo))
    finally:
        os.umask(mask)
    state, details = read_moments.load(Workspace.open(repo).objects, made.moment_id)
    assert details.umask == 0o077
    assert dict(state.modes) == dict.fromkeys(("a.txt", "f1.txt", "f2.txt", "f3.txt"), 0o644)


def test_after_a_kill_the_permissions_of_files_with_the_same_bytes_are_looked_at_again(repo: Path) -> None:
    """The private index knows the new file already, but no moment does."""
    here = Workspace.open(repo)
    moment(here)
    # Another file with the same bytes: git compares times by the second only.
    (repo / "anew").write_bytes((repo / "f1.txt").read_bytes())
    (repo / "anew").chmod(0o600)
    (repo / "anew").rename(repo / "f1.txt")

    class Killed(Exception):
        pass

    def step(name: str) -> None:
        if name == "store":
            raise Killed

    with pytest.raises(Killed):
        make_moment.make(replace(maker(here), step=step), Occasion("call"))
    again = moment(here)
    assert again.made
    assert read_moments.load(here.objects, again.moment_id)[0].modes["f1.txt"] == 0o600
