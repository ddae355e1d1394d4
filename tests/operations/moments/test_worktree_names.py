"""A worktree may have the name of one that was removed: the moments of that one are not its own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError
from devs_git.operations.moments.resolve_moment import begin_of_turn, resolve
from devs_git.storage.moments import make_moment
from devs_git.storage.moments.read_moments import list_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import maker

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("ledgered")]


def test_moments_of_a_removed_worktree_with_the_same_name_are_not_those_of_the_new_one(
    git: Run, tmp_path: Path
) -> None:
    place = tmp_path / "side"
    git("worktree", "add", "-q", "--detach", str(place))
    (place / "f1.txt").write_text("work in the first one\n")
    old = make_now(place)
    git("worktree", "remove", "--force", str(place))
    git("worktree", "add", "-q", "--detach", str(place))
    again = Workspace.open(place)
    assert again.places.worktree_id == "side"
    for name in ("moment:-1", "moment:2038-01-01", f"moment:{datetime.now(UTC).date()}"):
        with pytest.raises(DevsError) as refused:
            resolve(again, name)
        assert refused.value.code in ("MOMENT_NOT_FOUND", "INVALID_ARGUMENTS")
    assert resolve(again, f"moment:{old[:10]}").id == old
    assert [one.id for one in list_moments(again.store_git, again.objects)] == [old]
    (place / "f1.txt").write_text("work in the second one\n")
    new = make_now(place)
    assert resolve(again, "moment:-1").id == new
    assert begin_of_turn(again, "moment:-1").id == new
    with pytest.raises(DevsError, match="this worktree has 1 moment"):
        resolve(again, "moment:-2")


def make_now(place: Path) -> str:
    """A moment with the time that it is, because git's files have it, too."""
    workspace = Workspace.open(place)
    return make_moment.make(
        replace(maker(workspace), clock=lambda: datetime.now(UTC)), Occasion("prompt")
    ).moment_id
