"""The post-commit and post-rewrite hooks record what the user's own git commands do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, doctor, task_complete, task_start
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.text.hook_script import render
from devs_git.operations.checkpoint import unrecorded_commits
from devs_git.operations.gates import check_tas_lock
from devs_git.storage.hooks import installation
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support import ledgers
from tests.support.gate_scene import in_force

Run = Callable[..., str]


@pytest.fixture
def hooked(ledgered: Workspace, repo: Path) -> Workspace:
    """A repository with our hooks and task-10 active."""
    put_hooks(repo, sys.executable)
    check_tas_lock.write_path_note(ledgered.places, ledgered.ledger.tip())
    task_start.run(ledgered, task_start.Request("10", title="Parse dates"))
    return ledgered


def put_hooks(repo: Path, python: str) -> None:
    for name, source in installation.hook_sources().items():
        hook = repo / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(render(source, python, chained=False))
        hook.chmod(0o755)


def commit(message: str, *args: str) -> str:
    """A commit of one more line; what git and the hooks wrote to standard error."""
    with Path("a.txt").open("a") as stream:
        stream.write(f"{message}\n")
    words = ["git", "commit", "-qam", message, *args]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def history(workspace: Workspace) -> History:
    return workspace.ledger.tip().history


def rows(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Name, status and message of every checkpoint, oldest first."""
    return [(p.name, p.status, p.message) for p in history(workspace).checkpoints.values()]


def rebase(*args: str, todo: str = "") -> None:
    env = os.environ | {"GIT_SEQUENCE_EDITOR": f"sed -i '{todo}'", "GIT_EDITOR": "true"}
    done = subprocess.run(
        ["git", "rebase", "-q", *args], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "devs-git" not in done.stderr


def live(workspace: Workspace) -> dict[str, Checkpoint]:
    return {point.message: point for point in history(workspace).live()}


@pytest.mark.quick
@pytest.mark.usefixtures("children_measured")
def test_each_commit_of_the_task_is_a_numbered_checkpoint(hooked: Workspace, git: Run) -> None:
    assert commit("one") == ""
    assert commit("two") == ""
    assert rows(hooked) == [("task-10@1", "active", "one"), ("task-10@2", "active", "two")]
    point = history(hooked).of_task("task-10")[1]
    assert (point.commit, point.tree, point.branch) == (
        *git("rev-parse", "HEAD", "HEAD^{tree}").split(),
        "main",
    )
    assert git("rev-parse", "refs/devs/checkpoints/task-10/2") == point.tag
    task_complete.run(hooked, task_complete.Request(message="done"))
    commit("after")
    assert [row[0] for row in rows(hooked)] == ["task-10@1", "task-10@2", "task-10@3"]


def test_a_commit_by_the_verb_is_recorded_once(hooked: Workspace, repo: Path) -> None:
    (repo / "new.txt").write_text("new\n")
    checkpoint.run(hooked, checkpoint.Request("by the verb", everything=True))
    assert rows(hooked) == [("task-10@1", "active", "by the verb")]


def test_the_policy_switches_it_off(hooked: Workspace) -> None:
    in_force(hooked, checkpoint_on_commit=False)
    assert commit("one") == ""
    assert rows(hooked) == []


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_records_nothing_per_pick_and_moves_what_it_rewrote(
    hooked: Workspace, git: Run, repo: Path, backend: str
) -> None:
    commit("one")
    commit("two")
    task_complete.run(hooked, task_complete.Request(message="done"))
    old = git("rev-parse", "refs/tags/devs/task-10")
    git("checkout", "-q", "HEAD~2")
    (repo / "base.txt").write_text("base\n")
    git("add", "base.txt")
    git("commit", "-qm", "base")
    base = git("rev-parse", "HEAD")
    git("checkout", "-q", "main")
    rebase(backend, "--onto", base, "HEAD~2")
    assert rows(hooked)[:3] == [
        ("task-10@1", "replaced", "one"),
        ("task-10@2", "replaced", "two"),
        ("task-10@3", "replaced", "done"),
    ]
    now = live(hooked)
    assert {name: (p.number, p.commit, p.completed) for name, p in now.items()} == {
        "one": (4, git("rev-parse", "HEAD~1"), False),
        "done": (5, git("rev-parse", "HEAD"), True),
    }
    new = git("rev-parse", "refs/tags/devs/task-10")
    assert new == git("rev-parse", "refs/devs/checkpoints/task-10/5") == now["done"].tag != old
    assert git("rev-parse", "refs/devs/checkpoints/task-10/3") == old  # nothing dangles
    message = git("tag", "-l", "--format=%(contents)", "devs/task-10")
    assert message.startswith("task-10: done\n")
    assert "Devs-Checkpoint: 5\n" in message
    assert history(hooked).tasks["task-10"].status == "completed"
    event = next(hooked.ledger.newest_first())
    assert (event.type, event.get("Devs-Cause"), len(event.all("Devs-Moved"))) == (
        "checkpoints.rewritten",
        "rebase",
        2,
    )


@pytest.mark.quick
@pytest.mark.usefixtures("children_measured")
def test_a_rebase_within_the_task_gives_each_commit_one_new_number(hooked: Workspace, git: Run) -> None:
    commit("one")
    commit("two")
    # The rewritten commits differ from the old ones within one second, too.
    git("config", "user.name", "Grace")
    rebase("--force-rebase", "HEAD~2")
    assert rows(hooked) == [
        ("task-10@1", "replaced", "one"),
        ("task-10@2", "replaced", "two"),
        ("task-10@3", "active", "one"),
        ("task-10@4", "active", "two"),
    ]
    assert [p.commit for p in history(hooked).live()] == git("rev-parse", "HEAD~1", "HEAD").split()


def test_an_amend_gives_the_new_commit_a_new_number(hooked: Workspace, git: Run) -> None:
    commit("one")
    commit("better", "--amend")
    assert rows(hooked) == [("task-10@1", "replaced", "one"), ("task-10@2", "active", "one")]
    assert live(hooked)["one"].commit == git("rev-parse", "HEAD")
    assert live(hooked)["one"].lines_added == 2


def test_an_amend_of_a_commit_of_before_the_task_is_its_first_checkpoint(hooked: Workspace, git: Run) -> None:
    commit("c3", "--amend")
    assert rows(hooked) == [("task-10@1", "active", "c3")]
    assert live(hooked)["c3"].commit == git("rev-parse", "HEAD")


def test_an_amend_with_no_active_task_moves_a_completed_ones_tag(hooked: Workspace, git: Run) -> None:
    commit("one")
    task_complete.run(hooked, task_complete.Request(message="done"))
    commit("one", "--amend")
    assert git("rev-parse", "refs/tags/devs/task-10^{commit}") == git("rev-parse", "HEAD")
    assert [p.name for p in history(hooked).live()] == ["task-10@3"]  # both stood on one commit: one follows


def test_a_squash_leaves_one_checkpoint_of_the_task_on_the_new_commit(hooked: Workspace, git: Run) -> None:
    commit("one")
    commit("two")
    rebase("-i", "HEAD~2", todo="2s/pick/squash/")
    assert [(p.name, p.commit) for p in history(hooked).live()] == [("task-10@3", git("rev-parse", "HEAD"))]
    commit("three")
    assert rows(hooked)[-1] == ("task-10@4", "active", "three")


def test_commits_that_another_branch_keeps_keep_their_checkpoints(hooked: Workspace, git: Run) -> None:
    commit("one")
    task_complete.run(hooked, task_complete.Request(message="done"))
    tag = git("rev-parse", "refs/tags/devs/task-10")
    git("checkout", "-qb", "copy")
    rebase("--root", "--no-ff")
    git("commit", "-q", "--amend", "-m", "rewritten here only")
    assert git("rev-parse", "refs/tags/devs/task-10") == tag


def test_a_merge_is_a_checkpoint_and_a_fast_forward_is_none(hooked: Workspace, git: Run) -> None:
    git("checkout", "-qb", "side")
    commit("side")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "--no-edit", "side")
    assert rows(hooked)[1:] == [("task-10@2", "active", "Merge branch 'side'")]
    git("checkout", "-q", "-B", "behind", "HEAD~1")
    git("merge", "-q", "main")
    assert len(rows(hooked)) == 2


def test_a_sequence_of_picks_is_one_checkpoint(hooked: Workspace, git: Run) -> None:
    (hooked.places.active_task).rename("task.saved")
    git("checkout", "-qb", "side")
    commit("one")
    commit("two")
    git("checkout", "-q", "main")
    Path("task.saved").rename(hooked.places.active_task)
    git("cherry-pick", "main..side")
    assert rows(hooked) == [("task-10@1", "active", "two")]
    git("revert", "--no-edit", "HEAD")
    assert rows(hooked)[-1] == ("task-10@2", "active", 'Revert "two"')


def test_a_hook_that_cannot_record_says_so_in_one_line_and_the_next_checkpoint_settles_it(
    hooked: Workspace, git: Run, repo: Path
) -> None:
    theirs = repo / ".git/hooks/post-commit.before-devs"
    theirs.write_text("#!/bin/sh\ngit update-ref -d refs/heads/devs/ledger\n")  # just before ours
    theirs.chmod(0o755)
    said = commit("one")
    theirs.unlink()
    assert said.startswith("devs-git: not recorded as a checkpoint: This repository is frozen")
    assert said.count("\n") == 1
    assert unrecorded_commits.read(hooked.places) == (f"{git('rev-parse', 'HEAD')} task-10",)
    told = [
        finding for finding in doctor.run(hooked, doctor.Request()).findings if finding.code == "UNRECORDED"
    ]
    assert [(finding.where, finding.fix) for finding in told] == [
        (git("rev-parse", "HEAD"), "devs-git checkpoint")
    ]
    ledgers.begin(hooked)
    hooked.places.active_task.unlink()
    task_start.run(hooked, task_start.Request("10"))
    checkpoint.run(hooked, checkpoint.Request())
    assert unrecorded_commits.read(hooked.places) == ()


def test_a_hook_whose_python_is_gone_does_not_break_the_commit(hooked: Workspace, repo: Path) -> None:
    put_hooks(repo, str(repo / "no/python"))
    assert "not recorded as a checkpoint; run: devs-git checkpoint" in commit("one")
    assert rows(hooked) == []


def test_a_task_that_is_over_elsewhere_is_no_longer_active_here(hooked: Workspace, git: Run) -> None:
    event = hooked.event("rewound", "rewind", ("Devs-Status", "task-10 rewound"), verb_name="rewind")
    hooked.ledger.append(lambda _tip: Draft(event))
    assert "task-10 was rewound" in commit("one")
    assert not hooked.places.active_task.exists()
    assert commit("two") == ""
    assert git("log", "-1", "--format=%B").startswith("two\n\nDevs-Ledger: ")


def test_two_worktrees_commit_to_their_own_tasks(hooked: Workspace, git: Run, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "second"))
    second = Workspace.open(tmp_path / "second")
    task_start.run(second, task_start.Request("11"))
    commit("ten")
    git("commit", "-q", "--allow-empty", "-m", "eleven", where=tmp_path / "second")
    points = history(hooked).live()
    assert [(p.name, p.branch, p.worktree) for p in points] == [
        ("task-10@1", "main", "."),
        ("task-11@1", "side", "second"),
    ]


def test_numbers_that_a_mirrored_ref_holds_are_left_out(hooked: Workspace, git: Run) -> None:
    git("update-ref", "refs/devs/checkpoints/task-10/1", "HEAD")
    assert commit("one") == ""
    assert rows(hooked) == [("task-10@2", "active", "one")]


def test_a_moved_checkpoint_keeps_its_message_and_worktree(hooked: Workspace) -> None:
    commit("one")
    before = live(hooked)["one"]
    commit("two", "--amend")
    after = live(hooked)["one"]
    same = {name: getattr(before, name) for name in ("task_id", "branch", "worktree", "message", "completed")}
    assert replace(after, **same) == after


def test_an_apply_rebase_moves_only_what_no_other_branch_keeps(hooked: Workspace, git: Run) -> None:
    commit("one")
    git("branch", "twin")
    git("config", "user.name", "Grace")
    rebase("--apply", "--force-rebase", "HEAD~1")
    assert rows(hooked) == [("task-10@1", "active", "one")]  # twin still has it
