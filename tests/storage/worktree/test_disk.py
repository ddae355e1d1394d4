"""On a full disk, or in folders that cannot be written, a verb fails as a whole, and works again afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.kills import ROOT, Driver, KilledVerb, driver, with_thorough
from tests.support.scene import Scene
from tests.support.selection import QUICK

REWIND: dict[str, Any] = {"target": "10", "preserve": "stash", "untracked": "save"}
Told = Callable[[str, object], None]
BIG = "".join(f"{number * 7919 % 1000003}\n" for number in range(40000))  # does not compress well


@pytest.fixture
def large(worked: Scene) -> Scene:
    """A checkpoint with a large file, and a later one without."""
    worked.task("13", {"big.txt": BIG})
    worked.task("14", {"big.txt": None, "a.txt": "a\n"})
    worked.write({"c.txt": "work\n"})
    return worked


@pytest.mark.quick
@pytest.mark.parametrize("limit", with_thorough([131072], [0, 2048, 16384]))
@pytest.mark.parametrize("verb", with_thorough(["rewind"], ["restore", "checkout"]))
def test_files_that_cannot_grow_leave_everything_as_it_was(
    large: Scene, drive: Driver, verb: str, limit: int
) -> None:
    """A limit on file sizes gives us an error and git a signal. Both happen on real disks."""
    large.git("branch", "other", "devs/task-13")
    request = {
        "rewind": {"target": "13", "preserve": "discard"},
        "restore": {"target": "13"},
        "checkout": {"branch_name": "other"},
    }[verb]
    stage = KilledVerb(large.top, verb, request, drive)
    copy = stage.fresh_copy()
    done = stage.run(copy, file_size=limit)
    assert done["error"] in ("GIT_RESET_FAILED", "CHECKOUT_FAILED", "GIT_KILLED"), done
    assert str(copy) not in done["message"]
    assert stage.recover_and_check(copy, limit) == "old"
    assert stage.run(copy)["error"] is None
    assert stage.check(copy, limit) == "new"


# Runs in its own mount namespace, with a disk of two megabytes, filled up to so many kilobytes before each attempt.
FULL = """
import shutil, sys
from pathlib import Path
from tests.support.git_calls import git
from tests.support.kills import driver
from tests.support.repository_contents import differences; from tests.support.repository_contents import litter; from tests.support.repository_contents import state
template, disk = Path(sys.argv[1]), Path(sys.argv[2])
top = disk / "repo"
shutil.copytree(template, top, symlinks=True)
git("update-index", "-q", "--refresh", where=top, ok=(0, 1))
old, refused = state(top), 0
with driver() as drive:
    for left in map(int, sys.argv[3:]):
        with (disk / "ballast").open("wb", buffering=0) as ballast:
            ballast.write(bytes(max(0, shutil.disk_usage(disk).free - left * 1024)))
        done = drive(top, "rewind", {"target": "13", "preserve": "discard"})
        if done["error"] is None:
            assert drive(top, "undo", {"preserve": "discard"})["error"] is None
        else:
            assert done["error"] == "GIT_RESET_FAILED", done
            assert str(disk) not in done["message"], done
            refused += 1
        (disk / "ballast").unlink()
        assert drive(top, "status", {})["error"] is None
        assert not differences(state(top), old), (left, done, differences(state(top), old))
        assert litter(top) == [], left
        assert git("fsck", "--no-dangling", "--no-progress", where=top) == "", left
print(refused)
"""


def test_a_full_disk_leaves_everything_as_it_was(large: Scene, record_property: Told, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    kilobytes = [160, 300] if QUICK else [0, 4, 12, 24, 48, 96, 160, 240, 300, 360, 420, 480, 600, 900]
    mount = f"mount -t tmpfs -o size=4m none '{disk}' && exec \"$@\""
    words = ["unshare", "-Urm", "sh", "-c", mount, "sh"]
    if subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
        record_property(
            "counted", "full disk: no private mount is permitted here; limits on file sizes alone ran"
        )
        return
    run = [*words, sys.executable, "-c", FULL, str(large.top), str(disk), *map(str, kilobytes)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused = int(done.stdout)
    assert refused
    record_property("counted", f"full disk: {len(kilobytes)} attempts, {refused} refused, 0 half done")


def powerless() -> tuple[str, ...]:
    """The command to run a program that obeys the modes of files. root ignores them, unless it drops this capability."""
    if os.geteuid():
        return ()
    assert shutil.which("setpriv"), "setpriv is missing: apt-get install util-linux"
    return ("setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner")


@pytest.fixture
def plain() -> Iterator[Driver]:
    with driver(*powerless()) as opened:
        yield opened


@pytest.mark.parametrize(
    "folder",
    with_thorough(["d", ".git/refs/heads"], [".git", ".git/objects", ".git/devs/op", ".git/devs/journal"]),
)
def test_a_folder_that_may_not_be_written_to_leaves_everything_as_it_was(
    worked: Scene, drive: Driver, plain: Driver, folder: str
) -> None:
    worked.git("reset", "-q", "--hard", "devs/task-11")
    worked.task("20", {"d/y.txt": "changed\n", "d/new.txt": "new\n", "c.txt": "changed\n"})
    stage = KilledVerb(worked.top, "rewind", {"target": "11"}, drive)
    copy = stage.fresh_copy()
    closed = copy / folder
    closed.mkdir(exist_ok=True)
    inside = [path for path in closed.iterdir() if path.is_dir() and folder == ".git/objects"]
    for path in (*inside, closed):
        path.chmod(0o555)
    stage.drive = plain
    done = stage.run(copy)
    for path in (closed, *inside):
        path.chmod(0o755)
    # Where the git directory itself is closed, the move does not begin.
    assert done["error"] == ("READ_ONLY" if folder == ".git" else "GIT_RESET_FAILED"), done
    assert str(copy) not in done["message"]
    assert stage.recover_and_check(copy, folder) == "old"
    assert stage.run(copy)["error"] is None
    assert stage.check(copy, folder) == "new"
