"""The copies of the index in the private folder of an operation, after a kill between two steps of a take-back."""

from __future__ import annotations

import os
from typing import Any

import pytest

from devs_git.commands import status
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.kills import Driver
from tests.support.repository_contents import differences, litter, state
from tests.support.scene import Scene

REWIND: dict[str, Any] = {"target": "10", "preserve": "stash", "untracked": "save"}


@pytest.mark.quick
def test_a_taking_back_that_ended_after_it_linked_the_old_index_is_repeated(
    dirtied: Scene, drive: Driver
) -> None:
    """On a full disk the old index gets a second name. A copy onto this name would empty the only index that is left."""
    old = state(dirtied.top)
    assert drive(dirtied.top, "rewind", REWIND, at=6)["steps"][-1] == "verify"
    (folder,) = (dirtied.top / ".git/devs/op").iterdir()
    os.link(folder / "index.user", folder / "index.last")
    router.call("status", Workspace.open(dirtied.top), status.Request())
    assert differences(state(dirtied.top), old) == {}
    assert litter(dirtied.top) == []
