"""Each git child of a verb is killed, one in each run. Its output so far must not be used as an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.worktree.stages import VERBS, stages
from tests.support.dying_programs import dying_git, gits_run
from tests.support.kills import Driver
from tests.support.scene import Scene

pytestmark = pytest.mark.thorough

Told = Callable[[str, object], None]


@pytest.mark.parametrize("before", [True, False], ids=["before its work", "after its work"])
@pytest.mark.parametrize("verb", VERBS)
def test_whichever_git_of_a_verb_is_killed_nothing_is_lost(
    dirtied: Scene, drive: Driver, tmp_path: Path, record_property: Told, verb: str, *, before: bool
) -> None:
    stage = stages(dirtied, drive, verbs=(verb,))[0]
    folder = tmp_path / "bin"
    stage.run(stage.fresh_copy(), env=dying_git(folder, at=0, before=before))
    for at in range(1, gits_run(folder) + 1):
        copy = stage.fresh_copy()
        done = stage.run(copy, env=dying_git(folder, at=at, before=before))
        stage.recover_and_check(copy, (at, done))
    record_property("counted", f"{verb}: {stage.runs - 1} gits killed, ended {stage.ends}, 0 lost")
