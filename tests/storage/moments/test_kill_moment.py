"""`kill -9` at each step of making a moment, of us and of each git: all of the user's is as it was, and the next moment is made."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.moments.moment import TIPS
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import last_moment, moment_store, prune_moments, read_moments
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.storage.moments.test_moment_store import check_whole
from tests.storage.worktree.test_disk import powerless
from tests.support import killed_work
from tests.support.dying_programs import dying_git, gits_run
from tests.support.kills import ROOT
from tests.support.moment_scene import moment, moment_of_hook, prune
from tests.support.scene import contents
from tests.support.selection import QUICK

Told = Callable[[str, object], None]
BIG = "".join(f"{number * 7919 % 1000003}\n" for number in range(40000))  # does not compress well


@pytest.fixture
def here(workspace: Workspace, git: Run) -> Workspace:
    """All kinds of uncommitted work after a first moment."""
    top = workspace.top
    moment(workspace)
    (top / "staged.txt").write_text("staged\n")
    (top / "intended.txt").write_text("intended\n")
    git("add", "staged.txt")
    git("add", "-N", "intended.txt")
    (top / "staged.txt").write_text("staged\nand more\n")
    (top / "f1.txt").unlink()
    (top / "folder").mkdir()
    (top / "folder" / "untracked.txt").write_text("untracked\n")
    (top / "f2.txt").chmod(0o755)
    return workspace


def photograph(top: Path) -> dict[str, Any]:
    """What belongs to the user: files, index, HEAD, refs, and locks of git."""
    inside = top / ".git"
    refs = subprocess.run(["git", "for-each-ref"], cwd=top, capture_output=True, text=True, check=True).stdout
    every = (path.relative_to(inside) for path in inside.rglob("*.lock"))
    return {
        "files": contents(top),
        "index": (inside / "index").read_bytes(),
        "HEAD": (inside / "HEAD").read_text(),
        "refs": [line for line in refs.splitlines() if "refs/devs/moments/" not in line],
        "locks": [str(path) for path in every if path.parts[0] != "devs"],
    }


def check_next(top: Path, before: dict[str, Any], note: object) -> None:
    """All is as before, and the next moment has the whole state and is the newest one."""
    assert photograph(top) == before, note
    opened = Workspace.open(top)
    made = moment(opened).moment_id
    assert photograph(top) == before, note
    newest = read_moments.list_moments(opened.store_git, opened.objects)[0]
    assert newest.id == made, note
    state, _ = read_moments.look_up(opened.objects, made)
    git = moment_store.with_objects(opened.store_git, opened.places.common)
    listed = git.run("ls-tree", "-r", "-z", "--name-only", state.worktree).decode().split("\0")[:-1]
    assert set(listed) == before["files"].keys(), note
    for name, (_, data) in before["files"].items():
        assert git.run("cat-file", "blob", f"{state.worktree}:{name}") == data, (note, name)
    check_whole(top)
    assert last_moment.read(opened.places).id == made


@pytest.mark.quick
@pytest.mark.parametrize("make", [moment, moment_of_hook])
def test_killed_before_any_step_all_is_as_it_was_and_the_next_moment_is_made(
    make: Callable[[Workspace], object], here: Workspace, record_property: Told
) -> None:
    if make is moment_of_hook:
        # The hook builds upon a moment whose index is the user's.
        moment(here)
        (here.top / "f3.txt").write_text("new\n")
    before, at = photograph(here.top), 0
    while killed_work.run(lambda: make(Workspace.open(here.top)), at):
        check_next(here.top, before, at)
        at += 29 if QUICK else 1
        # The state must be another one, or the next run makes no moment.
        (here.top / "folder" / "untracked.txt").write_text(f"untracked {at}\n")
        before = photograph(here.top)
    assert at > 50
    record_property("counted", f"a moment: killed before each of {at} steps, none lost")


@pytest.mark.parametrize("work", ["prune", "pack"])
@pytest.mark.thorough
def test_killed_while_moments_are_pruned_or_packed_the_others_are_whole(here: Workspace, work: str) -> None:
    moment(here)

    def run() -> None:
        git = Workspace.open(here.top).store_git
        if work == "prune":
            prune(git, ())
        prune_moments.free_space(git)

    before, at = photograph(here.top), 0
    while killed_work.run(run, at):
        check_next(here.top, before, at)
        at += 1
    assert at


@pytest.mark.thorough
@pytest.mark.parametrize("before", [True, False], ids=["before its work", "after its work"])
def test_whichever_git_dies_all_is_as_it_was_and_the_next_moment_is_made(
    here: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, before: bool
) -> None:
    known, folder, path = photograph(here.top), tmp_path / "bin", os.environ["PATH"]
    at, gits = 0, 1
    while at <= gits:
        for name, value in dying_git(folder, at=at, before=before).items():
            monkeypatch.setenv(name, value if name != "PATH" else f"{folder}{os.pathsep}{path}")
        try:
            moment(Workspace.open(here.top))
        except (DevsError, GitFailed):
            assert at
        gits = max(gits, gits_run(folder))
        monkeypatch.setenv("PATH", path)
        check_next(here.top, known, at)
        at += 1
        (here.top / "folder" / "untracked.txt").write_text(f"untracked {at}\n")
        known = photograph(here.top)
    assert gits > 5


@pytest.mark.quick
@pytest.mark.parametrize("where", ["states", "tips"])
def test_a_lock_that_a_killed_git_left_on_a_ref_of_ours_does_not_stand_in_the_way(
    here: Workspace, git: Run, where: str
) -> None:
    day = "2001-02-03"
    if where == "states":
        lock = moment_store.folder(here.places.common) / f"refs/devs/moments/states/main/{day}.lock"
    else:
        git("commit", "-q", "--allow-empty", "-m", "a new HEAD, so that a ref is needed")
        head = git("rev-parse", "HEAD")
        lock = moment_store.folder(here.places.common) / f"{TIPS}main/{day}/{head}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    os.utime(lock, (time.time() - 60, time.time() - 60))
    before = photograph(here.top)
    before["locks"] = []
    moment(here)
    check_next(here.top, before, where)


@pytest.mark.quick
@pytest.mark.parametrize("limit", [0, 4096, 65536])
def test_files_that_cannot_grow_leave_all_as_it_was(here: Workspace, limit: int) -> None:
    (here.top / "big.txt").write_text(BIG)
    before = photograph(here.top)

    def make() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            moment(Workspace.open(here.top))
        except (DevsError, GitFailed, OSError):
            return
        raise AssertionError

    assert not killed_work.run(make)
    check_next(here.top, before, limit)


MAKE = """
import sys; from pathlib import Path
from devs_git.errors import DevsError; from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace; from tests.support.moment_scene import moment
try:
    moment(Workspace.open(Path(sys.argv[1])))
except (DevsError, GitFailed, OSError) as error:
    print(type(error).__name__)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "folder", ["", "devs", "devs/moments", "devs/moments.git", "devs/moments.git/objects"]
)
def test_a_folder_that_may_not_be_written_to_leaves_all_as_it_was(here: Workspace, folder: str) -> None:
    before, closed = photograph(here.top), here.top / ".git" / folder
    every = [closed, *(path for path in closed.rglob("*") if path.is_dir())]
    modes = {path: path.stat().st_mode for path in every}
    for path in every:
        path.chmod(0o555)
    words = [*powerless(), sys.executable, "-c", MAKE, str(here.top)]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    for path, mode in modes.items():
        path.chmod(mode)
    assert said.returncode == 0, said.stderr
    assert said.stdout.strip() in ("DevsError", "GitFailed", "PermissionError"), said.stdout
    check_next(here.top, before, folder)


@pytest.mark.quick
@pytest.mark.parametrize("data", [b"", b"DIRC rubbish", b"half"])
def test_a_damaged_private_index_is_made_anew(here: Workspace, data: bytes) -> None:
    moment(here)
    index = here.places.moments / "index"
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2] if data == b"half" else data)
    (here.top / "f3.txt").write_text("changed\n")
    check_next(here.top, photograph(here.top), data)


@pytest.mark.quick
@pytest.mark.parametrize("value", ["12" * 20, "rubbish", ""])
def test_a_ref_of_a_day_that_points_nowhere_does_not_stand_in_the_way(here: Workspace, value: str) -> None:
    ref = moment_store.folder(here.places.common) / "refs/devs/moments/states/main/2001-02-03"
    assert ref.exists()
    ref.write_text(f"{value}\n")
    check_next(here.top, photograph(here.top), value)
