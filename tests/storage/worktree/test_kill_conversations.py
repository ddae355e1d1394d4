"""`kill -9` of a rewind of a conversation, and of its undo: the ledger says whether it happened, and nothing else changed."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_import, conversation_show, prune
from devs_git.domain.ledger.event_operations import ConversationRewound
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.kills import Driver, KilledVerb
from tests.support.repository_contents import litter
from tests.support.scene import Scene
from tests.support.selection import QUICK
from tests.support.turn_scene import Turns

KILLS = int(os.environ.get("DEVS_TEST_COUNT_RANDOM_KILLS", "4"))
REQUEST: dict[str, Any] = {"by_messages": 2}
BOTH: dict[str, Any] = {
    "by_messages": 2,
    "session": "s2",
    "code": True,
    "preserve": "stash",
    "untracked": "remove",
}
# A git that dies after it has locked the refs of a transaction, as one does that gets SIGKILL there.
KILLED_GIT = """#!/bin/sh
case " $* " in *" update-ref "*)
    cat > /dev/null
    cd {top}/.git || exit 1
    for ref in devs/backup/$(ls devs/op) heads/devs/ledger; do
        mkdir -p "$(dirname "refs/$ref")"
        : > "refs/$ref.lock"
    done
    kill -9 $$ ;;
esac
exec {program} "$@"
"""
Told = Callable[[str, object], None]


@pytest.fixture
def talked(dirtied: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A repository with uncommitted work, and a session with four messages."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    said = tmp_path / "s1.jsonl"
    said.write_text("".join(map(_line, range(4))))
    request = conversation_import.Request(said)
    router.call("conversation import", Workspace.open(dirtied.top), request)
    _fold(dirtied.top)
    return dirtied


def _line(at: int) -> str:
    known = {"type": "user", "uuid": f"m{at}", "parentUuid": f"m{at - 1}" if at else None, "sessionId": "s1"}
    return json.dumps({**known, "message": {"role": "user", "content": f"word {at}"}}) + "\n"


@pytest.fixture
def worked_with(talked: Scene, tmp_path: Path) -> Scene:
    """The same with a second session: two turns, and uncommitted work before and in the second one."""
    turns = Turns(Workspace.open(talked.top), tmp_path)
    turns.says(1, "s2", "user", "first")
    turns.says(2, "s2", "assistant", "done")
    turns.moment(5, "prompt", "s2")
    turns.says(6, "s2", "user", "second")
    talked.write({"c.txt": "more work\n", "made.txt": "made\n", "f3.txt": None})
    turns.says(7, "s2", "assistant", "done again")
    turns.read()
    _fold(talked.top)
    return talked


def _fold(top: Path) -> None:
    """The copies of the repository have one file of the catalog."""
    with closing(sqlite3.connect(top / ".git" / "devs" / "catalog.db")) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def check(stage: KilledVerb, copy: Path, note: object) -> str:
    """The repository is as before or as after, the catalog says the same as the ledger, and the named session is whole."""
    end = stage.recover_and_check(copy, note)
    opened = Workspace.open(copy)
    shown = router.call("conversation show", opened, conversation_show.Request(session="s1"))
    rewound = bool(stage.new["cuts"]) == (end == "new")
    assert [one.rewound for one in shown.messages] == [False, False, rewound, rewound], note
    for event in opened.ledger.events():
        if event.type == ConversationRewound.type:
            session = ConversationRewound.of(event).target.partition(" ")[2]
            (file,) = (Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects").rglob(f"{session}.jsonl")
            assert len([line for line in file.read_text().splitlines() if '"message"' in line]) == 2, note
    return end


@pytest.mark.quick
def test_a_rewind_of_a_conversation_killed_before_any_step_is_as_if_not_begun_or_done(
    talked: Scene, drive: Driver, record_property: Told
) -> None:
    stage = KilledVerb(talked.top, "conversation rewind", REQUEST, drive)
    assert {"session", "record"} <= set(stage.steps)
    for at in range(len(stage.steps)):
        copy = stage.fresh_copy()
        assert stage.run(copy, at=at)["killed"]
        assert check(stage, copy, (at, stage.steps[at])) == "old"
        assert stage.run(copy)["error"] is None
        assert check(stage, copy, at) == "new"
    record_property("counted", f"conversation rewind: {stage.runs} runs, ended {stage.ends}")


@pytest.mark.quick
def test_the_session_that_a_killed_rewind_has_written_is_pruned(
    talked: Scene, drive: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = KilledVerb(talked.top, "conversation rewind", REQUEST, drive)
    copy, clock = stage.fresh_copy(), Workspace.open(talked.top).clock()
    before = _sessions()
    assert stage.run(copy, at=stage.steps.index("record"))["killed"]
    (left,) = _sessions() - before
    assert check(stage, copy, "record") == "old"
    # Somebody may start it within the time of the policy.
    assert left.exists()
    monkeypatch.setenv("DEVS_GIT_CLOCK", (clock + timedelta(days=91)).isoformat())
    done = router.call("prune", Workspace.open(copy), prune.Request())
    assert os.fspath(left) in {name for kind in done.kinds for name in kind.names}
    assert not left.exists()


def _sessions() -> set[Path]:
    return set((Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects").rglob("*.jsonl"))


@pytest.mark.quick
@pytest.mark.parametrize("verb", ["conversation rewind", "undo"])
def test_the_locks_of_a_git_that_was_killed_with_the_rewind_of_a_conversation_go_with_the_next_command(
    talked: Scene, drive: Driver, verb: str
) -> None:
    if verb == "undo":
        assert drive(talked.top, "conversation rewind", REQUEST)["error"] is None
    stage = KilledVerb(talked.top, verb, REQUEST if verb != "undo" else {}, drive)
    copy = stage.fresh_copy()
    assert stage.run(copy, at=stage.steps.index("record"))["killed"]
    (folder,) = (copy / ".git/devs/op").iterdir()
    for ref in (f"refs/devs/backup/{folder.name}", "refs/heads/devs/ledger"):
        (copy / ".git" / f"{ref}.lock").parent.mkdir(parents=True, exist_ok=True)
        (copy / ".git" / f"{ref}.lock").touch()
    assert check(stage, copy, verb) == "old"
    assert stage.run(copy)["error"] is None
    assert check(stage, copy, verb) == "new"


@pytest.mark.quick
def test_a_rewind_of_a_conversation_of_which_git_is_killed_leaves_no_lock(
    talked: Scene, drive: Driver, tmp_path: Path
) -> None:
    stage = KilledVerb(talked.top, "conversation rewind", REQUEST, drive)
    copy = stage.fresh_copy()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(KILLED_GIT.format(program=shutil.which("git"), top=copy))
    (tmp_path / "bin/git").chmod(0o755)
    path = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    failed = stage.run(copy, env=path)
    assert failed["error"] == "GIT_KILLED", failed
    assert any(name.endswith(".lock") for name in litter(copy))
    assert check(stage, copy, "git was killed") == "old"


@pytest.mark.quick
def test_code_and_conversation_killed_before_any_step_are_both_rewound_or_neither(
    worked_with: Scene, drive: Driver, record_property: Told
) -> None:
    stage = KilledVerb(worked_with.top, "conversation rewind", BOTH, drive)
    assert (stage.old["cuts"], len(stage.new["cuts"])) == ([], 1)
    assert {"session", "transaction"} <= set(stage.steps)
    chosen = [
        at for at, name in enumerate(stage.steps) if not QUICK or name in ("session", "transaction", "refs")
    ]
    for at in chosen:
        copy = stage.fresh_copy()
        assert stage.run(copy, at=at)["killed"]
        end = stage.recover_and_check(copy, (at, stage.steps[at]))
        shown = router.call(
            "conversation show", Workspace.open(copy), conversation_show.Request(session="s2")
        )
        assert [one.rewound for one in shown.messages] == [False, False, *[end == "new"] * 2]
    record_property("counted", f"conversation rewind --code: {stage.runs} kills, ended {stage.ends}")
    assert stage.ends["old"]


@pytest.mark.thorough
def test_killed_at_random_moments_code_and_conversation_are_both_rewound_or_neither(
    worked_with: Scene, drive: Driver, record_property: Told
) -> None:
    seed = int(os.environ.get("DEVS_TEST_SEED", "0")) or random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    stage = KilledVerb(worked_with.top, "conversation rewind", BOTH, drive)
    for at in range(KILLS):
        after, whom = dice.uniform(0.0, stage.seconds), dice.choice(["us", "git", "both"])
        copy = stage.fresh_copy()
        stage.run(copy, kill_after=after, whom=whom)
        stage.recover_and_check(copy, (seed, at, whom, after))
    record_property("counted", f"--code: {KILLS} random kills (seed {seed}), ended {stage.ends}")


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["conversation rewind", "undo"])
def test_killed_at_random_moments_a_conversation_is_rewound_or_not(
    talked: Scene, drive: Driver, record_property: Told, verb: str
) -> None:
    if verb == "undo":
        assert drive(talked.top, "conversation rewind", REQUEST)["error"] is None
    seed = int(os.environ.get("DEVS_TEST_SEED", "0")) or random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    stage = KilledVerb(talked.top, verb, REQUEST if verb != "undo" else {}, drive)
    for at in range(KILLS):
        after, whom = dice.uniform(0.0, stage.seconds), dice.choice(["us", "git", "both"])
        copy = stage.fresh_copy()
        stage.run(copy, kill_after=after, whom=whom)
        check(stage, copy, (seed, at, whom, after))
    record_property("counted", f"{verb}: {KILLS} random kills (seed {seed}), ended {stage.ends}")
