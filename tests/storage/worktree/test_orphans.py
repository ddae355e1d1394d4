"""The owner of the lock: a running command, a git whose command died, or nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devs_git.commands import status
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git import locks
from devs_git.workspace import Workspace
from tests.support.kills import ROOT, Driver, KilledVerb
from tests.support.scene import Scene

OWNER = """
import subprocess, sys, time
from pathlib import Path
from devs_git.storage.git import locks
with locks.hold(Path(sys.argv[1]), wait=0) as descriptor:
    child = subprocess.Popen(["sh", "-c", "read line"], stdin=sys.stdin, pass_fds=(descriptor,))
    print(child.pid, flush=True)
    if sys.argv[2] == "end":
        sys.exit()
    child.wait()
"""


def owner(lock: Path, how: str) -> subprocess.Popen[str]:
    """A process that holds the lock, and its child, which inherited the lock and waits for a line."""
    made = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(lock), how],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert made.stdout is not None
    assert made.stdout.readline()
    return made


def end(made: subprocess.Popen[str]) -> None:
    made.communicate("end\n")


@pytest.mark.quick
def test_a_living_owner_is_busy_within_two_seconds(tmp_path: Path) -> None:
    made = owner(tmp_path / "lock", "stay")
    begun = time.monotonic()
    with (
        pytest.raises(DevsError) as refused,
        locks.hold(tmp_path / "lock", wait=0.2, orphan_wait=60.0, on_wait=pytest.fail),
    ):
        pass
    assert refused.value.code == "BUSY"
    assert time.monotonic() - begun < 2.0
    end(made)


def test_a_child_of_a_killed_owner_is_waited_for_and_said(tmp_path: Path) -> None:
    made = owner(tmp_path / "lock", "stay")
    made.kill()  # not reaped yet: a zombie counts as dead

    def waiting(words: str) -> None:
        assert "interrupted command" in words
        assert made.stdin is not None
        made.stdin.write("end\n")  # the orphan ends now
        made.stdin.flush()

    with locks.hold(tmp_path / "lock", wait=0.2, orphan_wait=60.0, on_wait=waiting):
        assert locks.owner_alive(tmp_path / "lock")
    made.communicate()


def test_who_would_not_wait_at_all_still_waits_for_an_orphan(tmp_path: Path) -> None:
    made = owner(tmp_path / "lock", "stay")
    made.kill()
    made.wait()
    said: list[str] = []

    def waiting(words: str) -> None:
        said.append(words)
        end(made)

    with locks.hold(tmp_path / "lock", wait=0.0, orphan_wait=60.0, on_wait=waiting):
        assert len(said) == 1


def test_what_a_finished_command_left_in_the_background_holds_nothing(tmp_path: Path) -> None:
    made = owner(tmp_path / "lock", "end")
    made.wait()
    with locks.hold(tmp_path / "lock", wait=0.0):
        assert locks.owner_alive(tmp_path / "lock")
    end(made)


def slow_filter(scene: Scene) -> tuple[Path, Path]:
    """A smudge filter that, when it is armed, reports that it runs and waits until it may write its output."""
    reached, go = scene.top.parent / "reached", scene.top.parent / "go"
    os.mkfifo(reached)
    os.mkfifo(go)
    scene.git("config", "filter.slow.clean", "cat")
    scene.git(
        "config",
        "filter.slow.smudge",
        f"cat; test ! -e '{scene.top}/.git/armed' || {{ echo > '{reached}'; read x < '{go}'; }}",
    )
    return reached, go


def test_the_next_command_waits_for_the_git_of_a_killed_one(worked: Scene, drive: Driver) -> None:
    worked.task("13", {".gitattributes": "*.slow filter=slow\n", "one.slow": "1\n"})
    worked.task("14", {"one.slow": None})
    reached, go = slow_filter(worked)
    stage = KilledVerb(worked.top, "rewind", {"target": "13"}, drive)
    copy = stage.fresh_copy()
    settings = copy / ".git" / "config"
    settings.write_text(settings.read_text().replace(str(worked.top), str(copy)))
    (copy / ".git" / "armed").touch()
    running = subprocess.Popen([sys.executable, "-m", "devs_git", "rewind", "13"], cwd=copy)
    reached.read_text()  # git is writing the file
    running.kill()
    running.wait()
    said: list[str] = []

    def say(words: str) -> None:
        said.append(words)
        if "interrupted command" in words:
            (copy / ".git" / "armed").unlink()
            go.write_text("go\n")

    opened = Workspace.open(copy)
    router.call("status", Workspace(opened.places, say=say), status.Request())
    assert "interrupted command" in said[0]
    assert "taken back" in said[1]
    assert stage.check(copy, "orphan") == "old"


def test_a_command_that_meets_a_living_one_is_busy_and_changes_nothing(worked: Scene) -> None:
    worked.task("13", {".gitattributes": "*.slow filter=slow\n", "one.slow": "1\n"})
    worked.task("14", {"one.slow": None})
    reached, go = slow_filter(worked)
    (worked.top / ".git" / "armed").touch()
    running = subprocess.Popen(
        [sys.executable, "-m", "devs_git", "rewind", "13"], cwd=worked.top, stdout=subprocess.DEVNULL
    )
    reached.read_text()
    begun = time.monotonic()
    words = [sys.executable, "-m", "devs_git", "rewind", "12", "--json"]
    done = subprocess.run(words, cwd=worked.top, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["code"]) == (4, "BUSY")
    assert time.monotonic() - begun < 10.0  # two seconds are ours; the rest is for a busy machine
    (worked.top / ".git" / "armed").unlink()
    go.write_text("go\n")
    assert running.wait() == 0
    assert (worked.top / "one.slow").read_text() == "1\n"
