"""A verb that is killed between its commit and its record is finished by the next command, once."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_start
from devs_git.domain.ledger.history import Checkpoint
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import complete_task, record_checkpoint, unrecorded_commits
from devs_git.workspace import Workspace

Run = Callable[..., str]

# Kills the process when `module.name` is called: at a step, as a power cut would.
KILL_AT = """
import os, signal, sys
from importlib import import_module
sys.path.insert(0, {top!r})
module = import_module("devs_git.operations.checkpoint.{module}")
def die(*_args, **_kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(module, {name!r}, die)
sys.argv = ["devs-git", *{args!r}]
from devs_git.__main__ import main
main()
"""
STEPS = [
    ("commit_work", "stage"),
    ("commit_work", "commit"),
    ("complete_task", "commit_facts"),
    ("complete_task", "record"),
    ("complete_task", "_end"),
    ("complete_task", "_forget"),
]


def killed(step: tuple[str, str], *args: str) -> None:
    module, name = step
    top = str(Path(__file__).parent.parent.parent.parent)
    script = KILL_AT.format(top=top, module=module, name=name, args=args)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def devs(*args: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *args], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def no_file_grows() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def points(workspace: Workspace) -> list[Checkpoint]:
    return workspace.ledger.tip().history.of_task("task-10")


@pytest.fixture
def dirty(ledgered: Workspace, repo: Path) -> Workspace:
    task_start.run(ledgered, task_start.Request("10"))
    (repo / "a.txt").write_text("changed\n")
    (repo / "new.txt").write_text("new\n")
    return ledgered


@pytest.mark.quick(1)
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step[1])
def test_the_next_command_finishes_or_takes_back(
    step: tuple[str, str], dirty: Workspace, git: Run, repo: Path
) -> None:
    head, index = git("rev-parse", "HEAD"), (repo / ".git/index").read_bytes()
    killed(step, "task", "complete", "--all", "-m", "done")
    assert devs("task", "status", "10")[0] == 0
    if step[0] == "commit_work":
        assert (git("rev-parse", "HEAD"), (repo / ".git/index").read_bytes()) == (head, index)
        assert points(dirty) == []
    else:
        assert [(p.number, p.commit, p.status) for p in points(dirty)] == [
            (1, git("rev-parse", "HEAD"), "completed")
        ]
        assert git("status", "--porcelain") == ""
        assert git("rev-parse", "refs/tags/devs/task-10") == points(dirty)[0].tag
        assert not dirty.places.active_task.exists()
    assert list((repo / ".git/devs/journal").iterdir()) == []
    assert [path.name for path in (repo / ".git/devs").glob("index.*")] == []
    assert devs("task", "status", "10")[0] == 0


@pytest.mark.quick
@pytest.mark.parametrize("staged", [True, False])
def test_the_index_stays_where_a_refused_commit_was_killed_after_it_was_taken_back(
    dirty: Workspace, git: Run, repo: Path, staged: bool
) -> None:
    hook, index = repo / ".git/hooks/pre-commit", repo / ".git/index"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    if staged:
        git("add", "new.txt")
    else:
        index.unlink()
    before = git("status", "--porcelain")
    # It has deleted the copy of the index, and not yet the journal.
    killed(("commit_work", "paths_file"), "checkpoint", "--all", "-m", "half")
    assert devs("task", "status", "10")[0] == 0
    assert (index.exists(), git("status", "--porcelain")) == (staged, before)
    assert points(dirty) == []
    assert list((repo / ".git/devs/journal").iterdir()) == []


@pytest.mark.parametrize("moved", [True, False])
def test_a_lock_of_the_index_that_a_killed_command_left_is_known_as_its_own(
    dirty: Workspace, git: Run, repo: Path, moved: bool
) -> None:
    """It is a second name of the copy of the index."""
    index, lock = repo / ".git/index", repo / ".git/index.lock"
    if not moved:
        index.unlink()
    before = index.read_bytes() if moved else b""
    killed(("commit_work", "commit"), "checkpoint", "--all", "-m", "half")
    (copy,) = (repo / ".git/devs").glob("index.2*")
    lock.hardlink_to(copy)
    if not moved:
        index.unlink()
    assert devs("task", "status", "10")[0] == 0
    assert (index.read_bytes() if index.exists() else b"") == before
    assert not lock.exists()
    assert git("rev-parse", "HEAD") == dirty.head


def test_on_a_full_disk_a_refused_commit_leaves_the_index_as_it_was(
    dirty: Workspace, git: Run, repo: Path
) -> None:
    """The copy of the index becomes the index: there is no room for another one."""
    git("add", "new.txt")
    before = (repo / ".git/index").read_bytes()
    killed(("commit_work", "commit"), "checkpoint", "--all", "-m", "half")
    assert (repo / ".git/index").read_bytes() != before
    words = [sys.executable, "-m", "devs_git", "task", "status", "10"]
    done = subprocess.run(words, capture_output=True, check=False, preexec_fn=no_file_grows)
    assert done.returncode == 0, done.stderr
    assert (repo / ".git/index").read_bytes() == before
    assert not (repo / ".git/index.lock").exists()
    assert points(dirty) == []


def test_what_was_finished_once_is_not_recorded_again(dirty: Workspace, repo: Path) -> None:
    killed(("complete_task", "_end"), "checkpoint", "--all", "-m", "half")
    entry = next((repo / ".git/devs/journal").glob("*.json"))
    data = entry.read_bytes()
    for _again in range(2):
        entry.write_bytes(data)
        assert complete_task.finish(dirty, json.loads(data)) is None
    assert [p.number for p in points(dirty)] == [1]


def test_a_record_that_fails_is_told_and_noted_and_blocks_nothing(
    dirty: Workspace, git: Run, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_args: object) -> Checkpoint:
        raise DevsError("BUSY", "The ledger is being written by others.")

    monkeypatch.setattr(complete_task, "record", busy)
    with pytest.raises(DevsError, match="being written"):
        checkpoint.run(dirty, checkpoint.Request("half", everything=True))
    assert unrecorded_commits.read(dirty.places) == (f"{git('rev-parse', 'HEAD')} task-10",)
    assert list((repo / ".git/devs/journal").iterdir()) == []
    monkeypatch.undo()
    assert checkpoint.run(dirty, checkpoint.Request()).commit == git("rev-parse", "HEAD")
    assert unrecorded_commits.read(dirty.places) == ()


def test_a_second_command_in_the_worktree_answers_busy(dirty: Workspace, repo: Path) -> None:
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    script = "import sys\nfrom devs_git.__main__ import main\nsys.argv[1:] = ['checkpoint', '--json']\nsys.exit(main())\n"
    (repo / ".git/again.py").write_text(script)
    hook.write_text(f"#!/bin/sh\n{sys.executable} .git/again.py >.git/answer\nexit 0\n")
    hook.chmod(0o755)
    assert checkpoint.run(dirty, checkpoint.Request("half", everything=True)).number == 1
    assert json.loads((repo / ".git/answer").read_text())["code"] == "BUSY"


def test_the_users_hooks_see_the_environment_of_the_user(
    dirty: Workspace, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_EDITOR", "my-editor")
    hook = repo / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nenv >.git/seen\n")
    hook.chmod(0o755)
    checkpoint.run(dirty, checkpoint.Request("half", everything=True))
    seen = dict(line.split("=", 1) for line in (repo / ".git/seen").read_text().splitlines() if "=" in line)
    assert seen.get("GIT_LITERAL_PATHSPECS") is None
    assert seen.get("GIT_CONFIG_PARAMETERS") is None
    assert (seen.get("GIT_DIR"), seen.get("LC_ALL")) == (None, os.environ.get("LC_ALL"))


def test_the_facts_of_a_commit(git: Run, repo: Path, workspace: Workspace) -> None:
    git("commit", "-q", "--allow-empty", "-m", "nothing")
    empty = record_checkpoint.commit_facts(workspace.git, "HEAD")
    assert (empty.commit, empty.subject, empty.files, empty.added, empty.removed) == (
        git("rev-parse", "HEAD"), "nothing", 0, 0, 0,
    )  # fmt: skip
    root = record_checkpoint.commit_facts(workspace.git, git("rev-list", "--max-parents=0", "HEAD"))
    assert (root.parents, root.files, root.added) == ((), 2, 2)
    git("checkout", "-qb", "side", "HEAD~2")
    (repo / "side.txt").write_text("1\n2\n")
    git("add", "side.txt")
    git("commit", "-qm", "side")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-edit", "side")
    merge = record_checkpoint.commit_facts(workspace.git, "HEAD")
    assert (len(merge.parents), merge.files, merge.added) == (2, 1, 2)


def test_a_renamed_file_counts_once_as_in_diff(git: Run, repo: Path, workspace: Workspace) -> None:
    (repo / "long.txt").write_text("".join(f"line {number}\n" for number in range(40)))
    git("add", "-A")
    git("commit", "-qm", "long")
    git("mv", "long.txt", "renamed.txt")
    (repo / "renamed.txt").write_text((repo / "renamed.txt").read_text() + "more\n")
    git("add", "-A")
    git("commit", "-qm", "rename")
    found = record_checkpoint.commit_facts(workspace.git, "HEAD")
    assert (found.files, found.added, found.removed) == (1, 1, 0)
