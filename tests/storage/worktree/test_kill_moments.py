"""`kill -9` at any moment: of us, of the git child, of both, and inside the reference transaction."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.worktree.stages import REWIND, VERBS, stages
from tests.support.kills import Driver, KilledVerb, with_thorough
from tests.support.scene import Scene

KILLS = int(os.environ.get("DEVS_TEST_COUNT_RANDOM_KILLS", "4"))
Told = Callable[[str, object], None]

# Kills its git ($PPID), the parent of that git (us), or both, in one state of the transaction that moves the ledger.
HOOK = """#!/bin/sh
case "$(cat)" in *refs/heads/devs/ledger*) ;; *) exit 0 ;; esac
[ "$1" = "$KILL_STATE" ] && [ -e "$KILL_ONCE" ] || exit 0
rm "$KILL_ONCE"
us=$(sed 's/.*) //' /proc/$PPID/stat | cut -d' ' -f2)
case $KILL_WHOM in us) kill -9 $us ;; git) kill -9 $PPID ;; both) kill -9 $us $PPID ;; esac
"""


@pytest.mark.quick
def test_killed_at_random_moments_nothing_is_lost(
    dirtied: Scene, drive: Driver, record_property: Told
) -> None:
    seed = int(os.environ.get("DEVS_TEST_SEED", "0")) or random.SystemRandom().randrange(1 << 32)
    dice, made = random.Random(seed), stages(dirtied, drive, verbs=VERBS[: 5 if KILLS > 4 else 1])
    ends = {"old": 0, "new": 0}
    for at in range(KILLS):
        stage, whom = made[at % len(made)], dice.choice(["us", "git", "both"])
        after = dice.uniform(0.0, stage.seconds)
        copy = stage.fresh_copy()
        stage.run(copy, kill_after=after, whom=whom)
        ends[stage.recover_and_check(copy, (seed, at, stage.verb, whom, after))] += 1
    record_property("counted", f"{KILLS} random kills (seed {seed}), ended {ends}, 0 lost")


@pytest.mark.parametrize(
    ("state", "whom"),
    [
        ("prepared", "us"),
        ("committed", "git"),
        # We wait some seconds for the locks of a dead git.
        pytest.param("prepared", "git", marks=pytest.mark.thorough),
        pytest.param("prepared", "both", marks=pytest.mark.thorough),
        pytest.param("committed", "us", marks=pytest.mark.thorough),
        pytest.param("committed", "both", marks=pytest.mark.thorough),
    ],
)
def test_killed_inside_the_reference_transaction_nothing_is_lost(
    dirtied: Scene, drive: Driver, state: str, whom: str
) -> None:
    stage = KilledVerb(dirtied.top, "rewind", REWIND, drive)
    copy = stage.fresh_copy()
    arm(copy)
    env = {"KILL_STATE": state, "KILL_WHOM": whom, "KILL_ONCE": str(copy / ".git" / "once")}
    done = stage.run(copy, env=env)
    assert done["killed"] == (whom != "git")
    assert not (copy / ".git" / "once").exists()
    end = stage.recover_and_check(copy, (state, whom))
    # A git without its parent either commits, or dies when it writes to the pipe that nobody reads.
    if (state, whom) != ("prepared", "us"):
        assert end == ("new" if state == "committed" else "old")


def arm(copy: Path) -> None:
    hook = copy / ".git" / "hooks" / "reference-transaction"
    hook.write_text(HOOK)
    hook.chmod(0o755)
    (copy / ".git" / "once").touch()


@pytest.mark.parametrize("moved", with_thorough([2], [1, 3]))
def test_killed_between_two_refs_of_the_transaction_nothing_is_lost(
    dirtied: Scene, drive: Driver, moved: int
) -> None:
    """Rename the first locks into place, in git's order: git was killed between two renames."""
    stage = KilledVerb(dirtied.top, "rewind", REWIND, drive)
    copy = stage.fresh_copy()
    arm(copy)
    env = {"KILL_STATE": "prepared", "KILL_WHOM": "both", "KILL_ONCE": str(copy / ".git" / "once")}
    assert stage.run(copy, env=env)["killed"]
    inside = copy / ".git"
    locked = [inside / name for name in ("refs/heads/main", "refs/stash", "refs/heads/devs/ledger")]
    for ref in locked[:moved]:
        lock = ref.with_name(ref.name + ".lock")
        assert lock.read_text().strip()
        lock.rename(ref)
    assert stage.recover_and_check(copy, moved) == ("new" if moved == len(locked) else "old")
