"""Verbs that move the tree. Each runs in its own repository, where it can be killed."""

from __future__ import annotations

import shutil
from typing import Any

from tests.support.kills import Driver, Stage
from tests.support.repository_contents import git
from tests.support.scene import Scene

REWIND: dict[str, Any] = {"target": "10", "preserve": "stash", "untracked": "save"}


VERBS = ("rewind", "undo", "checkout", "restore")


def stages(dirtied: Scene, drive: Driver, *, verbs: tuple[str, ...] = VERBS) -> list[Stage]:
    """A rewind, an undo, a checkout and a restore, or some of them. Each has its own copy of the repository."""
    copy = dirtied.top.with_name
    made = []
    for name, verb, request in (
        ("rewinding", "rewind", REWIND),
        ("undoing", "undo", {}),
        ("checking-out", "checkout", {"branch_name": "other"}),
        ("restoring", "restore", {"target": "11"}),
    ):
        if verb not in verbs:
            continue
        top = shutil.copytree(dirtied.top, copy(name), symlinks=True)
        if verb == "undo":
            assert drive(top, "rewind", REWIND)["error"] is None
        elif verb != "rewind":
            git(top, "reset", "-q", "--hard")
            (top / "b.txt").unlink()
            (top / "f1.txt").write_text("local\n")
            git(top, "branch", "other", "devs/task-10")
        made.append(Stage(top, verb, request, drive))
    return made
