"""A backup stays complete, even if a prune that began before its ref existed deletes its objects."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind, undo
from devs_git.workspace import Workspace
from tests.support.repository_contents import differences, litter, state
from tests.support.scene import Scene


def prune_as_if_unseen(scene: Scene, backup: str) -> int:
    """Delete the objects that only the backup has. Returns their number."""
    others = ("--branches", "--tags", "--glob=refs/devs/checkpoints")
    said = scene.git("rev-list", "--objects", backup, "--not", *others)
    oids = [line[:40] for line in said.splitlines()]
    for oid in oids:
        (scene.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    return len(oids)


@pytest.mark.quick(1)
@pytest.mark.parametrize("dirty", [True, False])
def test_an_undo_finds_a_backup_that_a_prune_took(worked: Scene, dirty: bool) -> None:
    if dirty:
        worked.write({"new.txt": "only here\n"})
        worked.git("add", "new.txt")
        worked.write({"new.txt": "and this\n"})
    old = state(worked.top)
    rewind.run(Workspace.open(worked.top), rewind.Request("10", preserve="discard"))
    assert prune_as_if_unseen(
        worked, worked.git("for-each-ref", "--format=%(objectname)", "refs/devs/backup")
    )
    undo.run(Workspace.open(worked.top), undo.Request())
    assert differences(state(worked.top), old) == {}
    assert litter(worked.top) == []
