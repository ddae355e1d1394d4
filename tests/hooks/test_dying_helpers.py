"""Each program that a hook starts is killed once: a missing answer never permits anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devs_git.commands import init, task_complete, task_start
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support.dying_programs import dying_helper, gits_run
from tests.support.gate_scene import TAS, ask, commit

Run = Callable[..., str]
Killed = Callable[..., Iterator[tuple[str, int, str]]]
pytestmark = pytest.mark.thorough
OPEN = [
    ("commit", "-am", "x"),
    ("commit", "--no-verify", "-am", "x"),
    ("commit", "--amend", "-m", "x"),
    ("merge", "--no-edit", "side"),
    ("merge", "--no-edit", "--no-verify", "side"),
    ("rebase", "--merge", "side"),
    ("rebase", "--apply", "--no-verify", "side"),
    ("cherry-pick", "side"),
    ("revert", "--no-edit", "HEAD"),
    ("push", "origin", "main"),
]
LEDGER = "refs/heads/devs/ledger"
BY_HAND = [
    ("update-ref", "refs/heads/main", "NEW"),
    ("update-ref", LEDGER, f"{LEDGER}~1"),
    ("tag", "-f", "devs/task-10", "HEAD~1"),
]


@pytest.fixture
def top(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with a completed task, an active task, a side branch, a server, and hooks of others that ours call."""
    return moulded("helpers", lambda: request.getfixturevalue("_made"))


@pytest.fixture
def _made(initialised: Path, git: Run) -> None:
    hooks = initialised / ".git/hooks"
    for name in ("pre-push", "reference-transaction", "post-rewrite"):
        (hooks / name).unlink(missing_ok=True)
        (hooks / name).write_text("#!/bin/sh\ncat >/dev/null\n")
        (hooks / name).chmod(0o755)
    router.call("init", Workspace.open(), init.Request())
    git("init", "-q", "--bare", "-b", "main", "origin.git")
    git("remote", "add", "origin", "./origin.git")
    git("push", "-q", "origin", "main")
    with (initialised / ".git/info/exclude").open("a") as stream:
        stream.write("/origin.git\n")
    router.call("task start", Workspace.open(), task_start.Request("10"))
    commit(initialised, {"TAS.md": TAS, "ten.txt": "x\n"})
    router.call("task complete", Workspace.open(), task_complete.Request())
    router.call("task start", Workspace.open(), task_start.Request("11"))
    git("checkout", "-qb", "side", "HEAD~1")
    commit(initialised, {"side.txt": "side\n"})
    git("checkout", "-q", "main")


@pytest.fixture
def killed(top: Path, tmp_path: Path) -> Killed:
    """`killed("commit", …)`: which helper was killed, git's exit status and what it said, each in a copy made anew."""

    def run(*words: str) -> Iterator[tuple[str, int, str]]:
        folder, kept, at = tmp_path / "bin", tmp_path / "kept", 0
        shutil.copytree(top, kept, symlinks=True)
        while not at or at <= 2 * gits_run(folder):
            at += 1
            shutil.rmtree(top)
            shutil.copytree(kept, top, symlinks=True)
            os.chdir(top)
            env = dying_helper(folder, at=(at + 1) // 2, before=bool(at % 2))
            done = subprocess.run(
                ["git", *words],
                env={**os.environ, "GIT_EDITOR": "true", **env},
                capture_output=True,
                text=True,
                check=False,
            )
            yield f"{(at + 1) // 2} {'before' if at % 2 else 'after'}", done.returncode, done.stderr
        assert at > 1

    return run


def state(top: Path) -> str:
    shown = []
    for where in (top, top / "origin.git"):
        words = ["git", "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"]
        shown += [subprocess.run(words, cwd=where, check=True, capture_output=True, text=True).stdout]
    return "\n".join(line for line in "".join(shown).splitlines() if "devs/ledger" not in line)


@pytest.mark.parametrize("words", OPEN, ids=" ".join)
def test_no_work_gets_through_an_open_gate_because_a_helper_died(
    words: tuple[str, ...], top: Path, killed: Killed
) -> None:
    ask(Workspace.open(), kind="MANUAL")
    if words[0] == "commit":
        (top / "ten.txt").write_text("changed\n")
    before = state(top)
    for which, status, said in killed(*words):
        assert state(top) == before, (which, said)
        assert status != 0, (which, said)
        assert "bug of devs-git" not in said, (which, said)


@pytest.mark.parametrize("words", BY_HAND, ids=" ".join)
def test_the_strict_hook_lets_no_ref_move_because_a_helper_died(
    words: tuple[str, ...], top: Path, killed: Killed, git: Run
) -> None:
    router.call("init", Workspace.open(), init.Request(strict=True))
    made = git("commit-tree", "-p", "main", "-m", "by hand", "main^{tree}")
    ask(Workspace.open(), kind="MANUAL")
    before = state(top), git("rev-parse", LEDGER)
    for which, status, said in killed(*(word.replace("NEW", made) for word in words)):
        assert (state(top), git("rev-parse", LEDGER)) == before, (which, said)
        assert status != 0, (which, said)
        assert "bug of devs-git" not in said, (which, said)


@pytest.mark.parametrize("also", [(), ("refs/tags/devs/task-10",)], ids=["work", "ours"])
def test_a_server_takes_no_push_through_an_open_gate_because_a_helper_died(
    also: tuple[str, ...], top: Path, killed: Killed, git: Run
) -> None:
    router.call("init", Workspace.open(top / "origin.git"), init.Request(server=True))
    ask(Workspace.open(), kind="MANUAL")
    git("push", "-q", "--no-verify", "origin", LEDGER)
    before = state(top)
    for which, status, said in killed("push", "--no-verify", "origin", "side:main", *also):
        assert state(top) == before, (which, said)
        assert status != 0, (which, said)
        assert "bug of devs-git" not in said, (which, said)


def test_a_server_with_a_broken_ledger_takes_no_push(top: Path, git: Run) -> None:
    """What is no oid, as a machine that lost its power leaves it, git tells of as of no ledger."""
    router.call("init", Workspace.open(top / "origin.git"), init.Request(server=True))
    git("push", "-q", "--no-verify", "origin", LEDGER)
    before = state(top)
    for text in ("", "0123456789", "ref: refs/heads/none\n"):
        (top / "origin.git" / LEDGER).write_text(text)
        for also in ((), ("refs/tags/devs/task-10",)):
            words = ["git", "push", "--no-verify", "origin", "side:main", *also]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert "devs-git: LEDGER_MISSING: " in done.stderr, (text, also, done.stderr)
            assert "repository is frozen" in done.stderr
    assert state(top) == before


def test_the_tas_lock_looks_where_git_gave_half_an_answer(top: Path, killed: Killed) -> None:
    (top / ".git/devs/tas-path").unlink()
    (top / "TAS.md").write_text(TAS.replace("old", "other"))
    before = state(top)
    for which, status, said in killed("commit", "-am", "x"):
        assert state(top) == before, (which, said)
        assert status != 0, (which, said)
        assert "bug of devs-git" not in said, (which, said)


MESSAGE = "Parse dates\n\nBoth forms.\n\nSigned-off-by: A <a@example.org>\n"


@pytest.mark.parametrize(
    "words", [("commit", "-am", MESSAGE), ("commit", "--amend", "-m", MESSAGE)], ids=" ".join
)
def test_a_commit_is_bound_and_named_whole_or_not_made(
    words: tuple[str, ...], top: Path, killed: Killed, git: Run
) -> None:
    (top / "ten.txt").write_text("changed\n")
    before, tip = git("rev-parse", "HEAD"), git("rev-parse", LEDGER)
    for which, _status, said in killed(*words):
        if git("rev-parse", "HEAD") != before:
            found = git("log", "-1", "--format=%(trailers:only)").splitlines()
            assert {"Devs-Task: task-11", f"Devs-Ledger: {tip}"} <= {*found}, (which, said)


def test_no_commit_is_made_beside_an_open_journal(top: Path, killed: Killed) -> None:
    (top / ".git/devs/journal/x.json").write_text('{\n"worktree": "."\n}\n')
    (top / "ten.txt").write_text("changed\n")
    before = state(top)
    for which, status, said in killed("commit", "-am", MESSAGE):
        assert state(top) == before, (which, said)
        assert status != 0, (which, said)
        assert "bug of devs-git" not in said, (which, said)


@pytest.mark.parametrize("words", [("commit", "-am", "x"), ("merge", "--no-edit", "side")], ids=" ".join)
def test_a_commit_whose_hook_lost_a_helper_is_recorded_or_told(
    words: tuple[str, ...], top: Path, killed: Killed, git: Run
) -> None:
    if words[0] == "commit":
        (top / "ten.txt").write_text("changed\n")
    before = git("rev-parse", "HEAD")
    for which, _status, said in killed(*words):
        made = git("rev-parse", "HEAD")
        if made != before and made not in git("log", "--format=%B", LEDGER):
            assert "recorded as a checkpoint" in said, (which, said)
            assert "devs-git checkpoint" in said, (which, said)
