"""The store of moments is packed although something in it is damaged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.domain.moments.moment import STATES
from devs_git.storage.moments import moment_store, read_moments, store_packing
from devs_git.workspace import Workspace
from tests.storage.moments.test_kept_commits import commit, prune_all, refs_in_store
from tests.support.moment_scene import moment

Run = Callable[..., str]


@pytest.mark.quick
@pytest.mark.parametrize("what", ["commit", "tree", "blob", "empty", "day"])
def test_one_damaged_moment_stops_neither_packing_nor_another_moment(
    workspace: Workspace, git: Run, what: str
) -> None:
    """As after a loss of power: an object of one moment is gone, or its file is empty."""
    top, own = workspace.top, moment_store.folder(workspace.places.common) / "objects"
    head = commit(top, git, "dropped\n")
    (top / "dir").mkdir()
    (top / "dir" / "lost.txt").write_text("lost\n")
    broken = moment(workspace)
    state, _ = read_moments.look_up(workspace.objects, broken.moment_id)
    tree = moment_store.objects_of(workspace.objects).read_tree(state.worktree)["dir"].oid
    blob = moment_store.objects_of(workspace.objects).read_tree(tree)["lost.txt"].oid
    git("reset", "-q", "--hard", "HEAD~1")
    (top / "dir" / "lost.txt").unlink()
    (top / "new.txt").write_text("whole\n")
    whole = moment(workspace)
    prune_all(git)
    day = refs_in_store(workspace, STATES)[0]
    oid = {"commit": head, "tree": tree, "blob": blob, "empty": blob, "day": day}[what]
    file = own / oid[:2] / oid[2:]
    file.unlink()
    if what == "empty":
        file.touch()
    store_packing.pack(workspace.store_git, workspace.places.common, 0.0)
    if what == "day":
        return
    assert len(list((own / "pack").glob("*.pack"))) == 1
    state, _ = read_moments.load(Workspace.open(top).objects, whole.moment_id)
    assert git("cat-file", "-p", f"{state.worktree}:new.txt") == "whole"
    store_packing.pack(workspace.store_git, workspace.places.common, 0.0)
    (top / "new.txt").write_text("after\n")
    assert moment(Workspace.open(top)).made
