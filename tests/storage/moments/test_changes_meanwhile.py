"""A moment is of one state, whatever happens while it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError
from devs_git.storage.moments import make_moment, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import maker, moment

pytestmark = pytest.mark.quick


@pytest.fixture
def here(repo: Path) -> Workspace:
    return Workspace.open(repo)


def test_a_commit_meanwhile_makes_it_look_again(here: Workspace, git: Run) -> None:
    commits = iter([1])

    def step(name: str) -> None:
        if name == "files" and next(commits, None):
            (here.top / "a.txt").write_text("committed meanwhile\n")
            git("commit", "-qam", "meanwhile")

    made = make_moment.make(replace(maker(here), step=step), Occasion("call"))
    state, _ = read_moments.load(here.objects, made.moment_id)
    assert state.head == git("rev-parse", "HEAD")
    assert state.index == state.worktree == git("rev-parse", "HEAD^{tree}")


def test_what_is_staged_meanwhile_and_taken_back_is_looked_at_again(here: Workspace, git: Run) -> None:
    (here.top / "a.txt").write_text("staged\n")
    index = (here.top / ".git/index").read_bytes()

    def step(name: str) -> None:
        if name == "files":
            git("add", "a.txt")
        if name == "store":
            (here.top / ".git/index").write_bytes(index)

    make_moment.make(replace(maker(here), step=step), Occasion("call"))
    state, _ = read_moments.load(here.objects, moment(here).moment_id)
    assert state.index == git("rev-parse", "HEAD^{tree}")


def test_while_head_moves_all_the_time_it_gives_up(here: Workspace, git: Run) -> None:
    def step(name: str) -> None:
        if name == "files":
            git("commit", "-q", "--allow-empty", "-m", "again")

    with pytest.raises(DevsError, match="HEAD moved") as caught:
        make_moment.make(replace(maker(here), step=step), Occasion("call"))
    assert caught.value.code == "BUSY"
