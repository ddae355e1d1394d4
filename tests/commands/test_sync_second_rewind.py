"""A clone rewinds, pulls, rewinds again, and undoes that: what another clone sees of it."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind, show, undo
from tests.support.clones import Clone, Pair

pytestmark = pytest.mark.thorough


def state(clone: Clone) -> str:
    return str(clone.call("show", show.Request("task-2@1")).state).removesuffix(", not on HEAD")


def test_an_undo_of_a_second_rewind_waits_for_the_push_where_no_branch_has_the_task(pair: Pair) -> None:
    """The first rewind was never undone: bob has the task by his own branch, which nobody else sees."""
    ann, bob = pair.ann, pair.bob
    ann.task("1")
    ann.task("2")
    ann.git("push", "-q", "origin", "main")
    ann.sync()
    for _ in range(2):
        bob.git("pull", "-q", "origin", "main")
        bob.sync()
        bob.call("rewind", rewind.Request("1"))
    bob.git("push", "-q", "--force", "origin", "main")
    bob.sync()
    ann.git("fetch", "-q", "origin")
    ann.git("reset", "-q", "--hard", "origin/main")
    ann.sync()
    assert (state(ann), state(bob)) == ("rewound", "rewound")
    bob.call("undo", undo.Request())
    bob.sync()
    ann.sync()
    assert (state(ann), state(bob)) == ("rewound", "completed")
    bob.git("push", "-q", "origin", "main")
    ann.git("fetch", "-q", "origin")
    assert (state(ann), state(bob)) == ("completed", "completed")
