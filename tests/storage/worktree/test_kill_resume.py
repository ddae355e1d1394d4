"""`kill -9` of a `resume` that rewinds: the code is as before or at the earlier state, and then the session is whole."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import contract_start
from devs_git.workspace import Workspace
from tests.support.kills import Driver, KilledVerb
from tests.support.scene import Scene
from tests.support.selection import QUICK
from tests.support.turn_scene import Turns

KILLS = int(os.environ.get("DEVS_TEST_COUNT_RANDOM_KILLS", "4"))
REQUEST: dict[str, Any] = {
    "contract": "main",
    "mode": "from_checkpoint",
    "checkpoint": "task-10",
    "preserve": "stash",
    "untracked": "remove",
}
RESTART: dict[str, Any] = {
    "target": "task-10",
    "mode": "clean_restart",
    "preserve": "stash",
    "untracked": "remove",
}
Told = Callable[[str, object], None]


@pytest.fixture
def steered(dirtied: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A repository with uncommitted work, and a contract whose supervisor has said something."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    turns = Turns(Workspace.open(dirtied.top), tmp_path)
    turns.says(1, "s2", "user", "first")
    turns.says(2, "s2", "assistant", "done")
    turns.read()
    contract_start.run(Workspace.open(dirtied.top), contract_start.Request("main", "s2"))
    # The copies of the repository have one file of the catalog.
    with closing(sqlite3.connect(dirtied.top / ".git" / "devs" / "catalog.db")) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return dirtied


def check(stage: KilledVerb, copy: Path, note: object, sessions: set[Path]) -> str:
    """The repository is as before or as after; after it, a new session is there, and it is whole."""
    end = stage.recover_and_check(copy, note)
    made = written() - sessions
    assert made or end == "old", note
    for file in made:
        assert [word in file.read_text() for word in ("first", "done")] == [True, True], note
    return end


def written() -> set[Path]:
    return set(Path(os.environ["CLAUDE_CONFIG_DIR"]).rglob("*.jsonl"))


@pytest.mark.quick
def test_code_and_session_killed_before_any_step_are_both_there_or_the_code_is_as_before(
    steered: Scene, drive: Driver, record_property: Told
) -> None:
    stage = KilledVerb(steered.top, "resume", REQUEST, drive)
    assert {"session", "transaction"} <= set(stage.steps)
    chosen = [
        at for at, name in enumerate(stage.steps) if not QUICK or name in ("session", "transaction", "refs")
    ]
    for at in chosen:
        copy, before = stage.fresh_copy(), written()
        assert stage.run(copy, at=at)["killed"]
        if check(stage, copy, (at, stage.steps[at]), before) == "old":
            assert stage.run(copy)["error"] is None
            assert check(stage, copy, at, before) == "new"
    record_property("counted", f"resume: {stage.runs} runs, ended {stage.ends}")
    assert stage.ends["old"]


@pytest.mark.quick
def test_a_clean_restart_killed_before_any_step_is_as_if_not_begun_or_done(
    steered: Scene, drive: Driver, record_property: Told
) -> None:
    stage = KilledVerb(steered.top, "resume", RESTART, drive)
    chosen = [at for at, name in enumerate(stage.steps) if not QUICK or name in ("transaction", "refs")]
    for at in chosen:
        copy = stage.fresh_copy()
        assert stage.run(copy, at=at)["killed"]
        if stage.recover_and_check(copy, (at, stage.steps[at])) == "old":
            assert stage.run(copy)["error"] is None
            assert stage.recover_and_check(copy, at) == "new"
    record_property("counted", f"resume: {stage.runs} runs, ended {stage.ends}")
    assert stage.ends["old"]


@pytest.mark.thorough
def test_killed_at_random_moments_code_and_session_are_both_there_or_the_code_is_as_before(
    steered: Scene, drive: Driver, record_property: Told
) -> None:
    seed = int(os.environ.get("DEVS_TEST_SEED", "0")) or random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    stage = KilledVerb(steered.top, "resume", REQUEST, drive)
    for at in range(KILLS):
        after, whom = dice.uniform(0.0, stage.seconds), dice.choice(["us", "git", "both"])
        copy = stage.fresh_copy()
        stage.run(copy, kill_after=after, whom=whom)
        stage.recover_and_check(copy, (seed, at, whom, after))
    record_property("counted", f"resume: {KILLS} random kills (seed {seed}), ended {stage.ends}")
