"""Moments where a folder is in the place of a tracked file, and the index has flags, so that the private one starts empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.moments import read_moments
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import moment

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_folder_in_the_place_of_a_tracked_file_is_in_the_moment(repo: Path, git: Run, flag: str) -> None:
    git("update-index", flag, "f1.txt")
    (repo / "a.txt").unlink()
    (repo / "a.txt").mkdir()
    (repo / "a.txt/new").write_text("new\n")
    here = Workspace.open(repo)
    state, _ = read_moments.load(here.objects, moment(here).moment_id)
    files = list_files(here.git, state.worktree)
    assert "a.txt/new" in files
    assert "a.txt" not in files
