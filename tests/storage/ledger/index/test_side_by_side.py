"""Many processes use the index at once, on a disk that is full, and in a git directory that nobody may write to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.ledger.index import NAME, listing
from devs_git.workspace import Workspace
from tests.storage.worktree.test_disk import powerless

Mark = Callable[..., str]
ROOT = Path(__file__).parents[4]
READ = """
import sys
from pathlib import Path
from devs_git.storage.ledger.index import listing
from devs_git.workspace import Workspace
top, task, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for _ in range(times):
    tip = Workspace.open(top).ledger.tip()
    by_index = [point.tag for point in listing.of_tasks(tip, task).of_task(task)]
    assert by_index == [point.tag for point in tip.here.of_task(task)], tip.oid
print("same")
"""


def reader(top: Path, times: int, *before: str) -> subprocess.Popen[str]:
    """A process that asks the index and the whole ledger so many times, and compares."""
    words = [*before, sys.executable, "-c", READ, str(top), "task-10", str(times)]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def assert_same(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        said = process.communicate(timeout=120)
        assert said == ("same\n", ""), said[1]


def files(top: Path) -> dict[str, bytes]:
    folder = top / ".git/devs"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith("index.db")}


@pytest.mark.quick
def test_processes_that_read_while_the_ledger_grows_wait_for_nobody(ledgered: Workspace, mark: Mark) -> None:
    index = ledgered.places.common / NAME
    mark(10, 1)
    index.touch()
    readers = [reader(ledgered.top, 12) for _ in range(4)]
    for number in range(2, 14):
        mark(10, number)
        if number % 5 == 0:
            # Somebody follows the advice of doctor meanwhile.
            for file in index.parent.glob("index.db*"):
                file.unlink(missing_ok=True)
            index.touch()
    assert_same(*readers)
    assert_same(reader(ledgered.top, 1))


def test_a_command_that_began_before_the_newest_event_does_not_make_the_index_anew(
    ledgered: Workspace, mark: Mark
) -> None:
    index = ledgered.places.common / NAME
    tips = []
    for number in (1, 2, 3):
        mark(10, number)
        tips.append(ledgered.ledger.tip())
    index.touch()
    listing.of_tasks(tips[2], "task-10")
    made = index.stat().st_ino
    for tip, count in ((tips[0], 1), (tips[2], 3), (tips[1], 2)):
        assert len(listing.of_tasks(tip, "task-10").of_task("task-10")) == count
    assert index.stat().st_ino == made


@pytest.mark.parametrize("state", ["none", "empty", "older", "new"])
def test_a_git_directory_that_may_not_be_written_to_has_the_same_answers(
    ledgered: Workspace, mark: Mark, state: str
) -> None:
    index = ledgered.places.common / NAME
    mark(10, 1)
    if state != "none":
        index.touch()
    if state in ("older", "new"):
        assert_same(reader(ledgered.top, 1))
    if state == "older":
        mark(10, 2)
    before = files(ledgered.top)
    folders = [index.parent, ledgered.places.common]
    for path in (*index.parent.iterdir(), *folders):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert_same(reader(ledgered.top, 2, *powerless()))
    finally:
        for path in (*folders, *index.parent.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert files(ledgered.top) == before


FULL = 'mount -t tmpfs -o size=1m none "$1" && cp -a "$2/." "$1" && shift 2 && exec "$@"'
FILL = """
import os, shutil, subprocess, sys
from pathlib import Path
top, state, words = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
index = top / ".git/devs/index.db"
if state == "older":
    index.touch()
    subprocess.run(words, check=True)
    before = index.read_bytes()
    assert before
    subprocess.run(["git", "update-ref", "refs/heads/devs/ledger", sys.stdin.read().strip()], cwd=top, check=True)
else:
    index.touch()
    before = b""
for left in (0, 1, 3, 9, 20, 60):
    with (top / "ballast").open("wb", buffering=0) as ballast:
        try:
            ballast.write(bytes(max(0, shutil.disk_usage(top).free - left * 4096)))
        except OSError:
            pass
    subprocess.run(words, check=True)
    (top / "ballast").unlink()
    subprocess.run(words, check=True)
    assert not (index.parent / "index.db-new").exists()
    if state == "older":
        index.write_bytes(before)
    else:
        index.unlink()
        index.touch()
"""


@pytest.mark.parametrize("state", ["empty", "older"])
def test_a_full_disk_has_the_same_answers(
    ledgered: Workspace,
    mark: Mark,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    state: str,
) -> None:
    mark(10, 1)
    before = ledgered.ledger.tip().oid
    for number in range(2, 9):
        mark(10, number)
    now = ledgered.ledger.tip().oid
    ledgered.git.run("update-ref", "refs/heads/devs/ledger", before if state == "older" else now)
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["unshare", "-Urm", "sh", "-c"]
    if subprocess.run(
        [*words, FULL, "sh", disk, ledgered.top, "true"], check=False, capture_output=True
    ).returncode:
        record_property("counted", "full disk of the index: no private mount is permitted here")
        return
    read = [sys.executable, "-c", READ, str(disk), "task-10", "1"]
    run = [
        *words,
        FULL,
        "sh",
        str(disk),
        str(ledgered.top),
        sys.executable,
        "-c",
        FILL,
        str(disk),
        state,
        *read,
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        run, cwd="/", env=env, input=now, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "same\n" * (13 if state == "older" else 12)
