"""Verbs that move the tree. Each runs in its own repository, where it can be killed."""

from __future__ import annotations

import shutil
from typing import Any

from tests.support.git_calls import git
from tests.support.kills import Driver, KilledVerb
from tests.support.scene import Scene

REWIND: dict[str, Any] = {"target": "10", "preserve": "stash", "untracked": "save"}


VERBS = ("rewind", "undo", "checkout", "restore", "drop")


def stages(dirtied: Scene, drive: Driver, *, verbs: tuple[str, ...] = VERBS) -> list[KilledVerb]:
    """A rewind, an undo, a checkout, a restore and a drop, or some of them. Each has its own copy of the repository."""
    copy = dirtied.top.with_name
    made = []
    for name, verb, request in (
        ("rewinding", "rewind", REWIND),
        ("undoing", "undo", {}),
        ("checking-out", "checkout", {"branch_name": "other"}),
        ("restoring", "restore", {"target": "11"}),
        ("dropping", "drop", {"task_id": "12"}),
    ):
        if verb not in verbs:
            continue
        top = shutil.copytree(dirtied.top, copy(name), symlinks=True)
        if verb == "undo":
            assert drive(top, "rewind", REWIND)["error"] is None
        elif verb != "rewind":
            git("reset", "-q", "--hard", where=top)
            (top / "b.txt").unlink()
            (top / "f1.txt").write_text("local\n")
            git("branch", "other", "devs/task-10", where=top)
        made.append(KilledVerb(top, verb, request, drive))
    return made
