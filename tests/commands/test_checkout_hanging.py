"""checkout ends in its ten seconds, whichever of the programs that it starts hangs: those are gone, all is as it was."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkout
from devs_git.domain.verbs import VERBS
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git import places
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.hanging_git import hanging_git, hung, runs
from tests.support.scene import Scene, contents

GRACE = 2.0  # seconds that an ended child has before it is killed
# Each process of the filter writes its id into the file and waits.
PAUSE = 'import os, signal, sys; open(sys.argv[1], "a").write(f"{os.getpid()}\\n"); signal.pause()'
Limit = Callable[[float], None]


@pytest.fixture
def scene(initialised: Path) -> Scene:
    """`main` and a branch `other` with a different f3.txt; a file is edited, another one staged."""
    made = Scene(Workspace.open(initialised))
    made.git("switch", "-q", "-c", "other")
    made.write({"f3.txt": "other\n"})
    made.git("commit", "-q", "-a", "-m", "other", "--no-verify")
    made.git("switch", "-q", "main")
    made.write({"f1.txt": "edited\n", "staged.txt": "staged\n"})
    made.git("add", "staged.txt")
    return made


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Limit:
    """`limit(1.5)`: the verb has that many seconds instead of ten."""

    def change(seconds: float) -> None:
        monkeypatch.setitem(VERBS, "checkout", replace(VERBS["checkout"], seconds=seconds))
        monkeypatch.setattr(places, "_SECONDS", seconds)

    return change


def look(scene: Scene) -> tuple[object, ...]:
    """Files, index and position; locks and private files that are left anywhere."""
    git_dir = scene.top / ".git"
    ours = {".".join(("devs/" + name, "lock")) for name in ("ledger", "view", "init", "spool")} | {
        "devs/lock"
    }
    locks = {str(path.relative_to(git_dir)) for path in git_dir.rglob("*.lock")} - ours
    left = [*git_dir.glob("devs/op/*"), *git_dir.glob("devs/journal/*.json")]
    refs = scene.git("for-each-ref", "refs/heads/main", "refs/heads/other", "refs/tags", "refs/devs")
    state = (scene.git("symbolic-ref", "HEAD"), scene.git("status", "-s"), scene.git("ls-files", "-s"), refs)
    return contents(scene.top), state, locks, left


def go(top: Path) -> checkout.Result:
    found: checkout.Result = router.call("checkout", Workspace.open(top), checkout.Request("other"))
    return found


def outcome(top: Path) -> str:
    """The code of the refusal; '' where it switched."""
    try:
        go(top)
    except DevsError as error:
        return error.code
    return ""


@pytest.mark.quick
def test_its_ten_seconds_are_in_the_verb_table() -> None:
    assert {name: row.seconds for name, row in VERBS.items() if row.seconds} == {"checkout": 10.0}


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("how", "long_ago"), [("smudge", False), ("clean", False), ("process", False), ("process", True)]
)
def test_a_filter_that_hangs_is_ended(scene: Scene, limit: Limit, how: str, long_ago: bool) -> None:
    """While the switch is being prepared git looks at the edited file through `clean`; then it writes through `smudge`.

    If the file was edited long ago, git looks at it only when the switch is taken back.
    """
    for name in ("clean", "smudge"):
        scene.git("config", f"filter.slow.{name}", "cat")
    pids = scene.top / ".git" / "pids"
    scene.git("config", f"filter.slow.{how}", f"{sys.executable} -c '{PAUSE}' '{pids}'")
    (scene.top / ".git/info/attributes").write_text("f1.txt filter=slow\nf3.txt filter=slow\n")
    (scene.top / "f1.txt").write_text("EDITED\n")  # of the same size: git has to look into it
    if long_ago:
        os.utime(scene.top / "f1.txt", (1, 1))
    limit(1.0)
    before, begun = contents(scene.top), time.monotonic()
    with pytest.raises(DevsError) as refused:
        go(scene.top)
    assert refused.value.code == "CHECKOUT_TIMEOUT"
    assert time.monotonic() - begun < 1.0 + 3 * GRACE
    assert contents(scene.top) == before
    assert scene.git("symbolic-ref", "HEAD") == "refs/heads/main"
    waiting = [int(line) for line in pids.read_text().splitlines()]
    assert waiting
    assert not [pid for pid in waiting if runs(pid)]


def test_what_ended_it_is_told_in_the_ledger(scene: Scene, limit: Limit) -> None:
    scene.git("config", "filter.slow.smudge", f"{sys.executable} -c '{PAUSE}' .git/pids")
    scene.git("config", "filter.slow.clean", "cat")
    (scene.top / ".git/info/attributes").write_text("f3.txt filter=slow\n")
    limit(1.0)
    with pytest.raises(DevsError):
        go(scene.top)
    event = next(scene.workspace.ledger.events())
    said = [event.get(key) for key in ("Devs-Verb", "Devs-Outcome", "Devs-Code")]
    assert said == ["checkout", "failed", "CHECKOUT_TIMEOUT"]


@pytest.mark.parametrize("linked", [False, True])
def test_each_of_its_gits_may_hang(
    scene: Scene, limit: Limit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, linked: bool
) -> None:
    """Until the transaction all is as before; what hangs after it hangs behind a checkout that is done."""
    top, seconds, at, done = scene.top, 1.0, 0, False
    if linked:
        top = tmp_path / "linked"
        scene.git("worktree", "add", "-q", "-b", "third", str(top))
        (top / "f1.txt").write_text("edited\n")
    there = Scene(Workspace.open(top))
    told = []
    while not done:
        at += 1
        limit(seconds)
        before, begun = look(there), time.time()
        with monkeypatch.context() as patch:
            for name, value in hanging_git(tmp_path / "bin", at=at, deaf=at % 5 == 0).items():
                patch.setenv(name, value)
            code, took = outcome(top), time.time() - begun
        found = hung(tmp_path / "bin")
        if code and (found is None or found.since - begun > seconds):
            seconds, at = 2 * seconds, at - 1  # a busy machine: the time was up before that call
            assert look(there) == before
            continue
        words = found.words if found else ""
        if found:
            assert (found.alive, took < seconds + 3 * GRACE) == ([], True), words
            told.append(words)
        if code:
            assert code == ("BUSY" if linked and "--show-toplevel" in words else "CHECKOUT_TIMEOUT"), words
            assert look(there) == before, words
        else:
            assert there.git("symbolic-ref", "HEAD") == "refs/heads/other", words
            there.git("switch", "-q", "third" if linked else "main")
            done = not found
    # So many gits a checkout starts, no more and no less.
    assert len(told) == at - 1 == (14 if linked else 16)


def test_a_filter_that_hangs_does_not_let_the_taking_back_hang(
    scene: Scene, limit: Limit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is up when the files are written. Each has the bytes of one of its two blobs, so no filter has to say whose it is.

    At the end git looks at the files again, but not for long.
    """
    # git does not have to look into a file that was written long before the index.
    for name in ("f1.txt", "f3.txt"):
        os.utime(scene.top / name, (1, 1))
    scene.git("status", "--porcelain")
    scene.git("config", "filter.slow.smudge", "cat")
    scene.git("config", "filter.slow.clean", f"{sys.executable} -c '{PAUSE}' .git/pids")
    (scene.top / ".git/info/attributes").write_text("f3.txt filter=slow\n")
    (tmp_path / "git").write_text(
        f'#!/bin/sh\ncase " $* " in *" check-attr "*) exec sleep 30;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    (tmp_path / "git").chmod(0o755)
    limit(1.0)
    before = contents(scene.top)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        assert outcome(scene.top) == "CHECKOUT_TIMEOUT"
    assert (contents(scene.top), scene.git("symbolic-ref", "HEAD")) == (before, "refs/heads/main")
    pids = scene.top / ".git/pids"
    # On a busy machine the time is up before git asks the filter.
    assert not [pid for pid in (pids.read_text().split() if pids.exists() else ()) if runs(int(pid))]
