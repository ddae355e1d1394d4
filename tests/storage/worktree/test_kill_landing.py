"""`kill -9` before each step of landing an approved TAS: decision and commit both exist, or neither does."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.workspace import Workspace
from tests.support.gate_scene import NEW, TAS, ask, commit, in_force, make_key
from tests.support.kills import Driver, KilledVerb
from tests.support.scene import Scene
from tests.support.selection import QUICK

pytestmark = pytest.mark.thorough


def test_a_landing_killed_before_any_step_is_both_decided_and_landed_or_neither(
    worked: Scene, drive: Driver, tmp_path: Path
) -> None:
    key = make_key(tmp_path, "ada")
    opened = Workspace.open(worked.top)
    in_force(opened, approvers=[{"principal": "ada@example.org", "key": key.public}])
    commit(worked.top, {"TAS.md": TAS})
    gate_id = ask(opened, text=NEW)
    worked.write({"f1.txt": "local\n", "untracked.txt": "mine\n"})
    stage = KilledVerb(
        worked.top, "gate approve", {"gate_id": gate_id, "sign": True, "key": str(key.path)}, drive
    )
    few = ("files", "index in place", "refs", "active task")
    steps = [at for at, name in enumerate(stage.steps) if not QUICK or name in few]
    assert len(steps) >= 3
    for at in steps:
        copy = stage.fresh_copy()
        assert stage.run(copy, at=at)["killed"], stage.steps[at]
        end = stage.recover_and_check(copy, stage.steps[at])
        waiting = Workspace.open(copy).ledger.open_gates()
        assert waiting == (() if end == "new" else (gate_id,)), stage.steps[at]
        assert (copy / "TAS.md").read_text() == (NEW if end == "new" else TAS), stage.steps[at]
    assert stage.ends["old"]
    assert stage.ends["new"]
