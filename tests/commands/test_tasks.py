"""Tasks and checkpoints through the command line, on real repositories without our hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkpoint, task_complete, task_start, task_status
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import ledgers

Run = Callable[..., str]
pytestmark = pytest.mark.usefixtures("ledgered")


def devs(*args: str, where: Path | None = None, stdin: str = "", **env: str) -> tuple[int, dict[str, Any]]:
    """Exit status and JSON answer of `devs-git args`."""
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *args, "--json"],
        cwd=where,
        input=stdin,
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}")


def start(workspace: Workspace, task: str, **more: str) -> task_start.Result:
    return task_start.run(workspace, task_start.Request(task, **more))


def state(git: Run, repo: Path) -> tuple[str, str, bytes]:
    """All refs, what git says of the working tree, and the index's bytes."""
    return git("for-each-ref"), git("status", "--porcelain"), (repo / ".git/index").read_bytes()


@pytest.mark.quick
def test_a_checkpoint_commits_what_is_staged_and_leaves_the_rest(
    workspace: Workspace, git: Run, repo: Path
) -> None:
    start(workspace, "10")
    (repo / "new.txt").write_text("new\n")
    (repo / "a.txt").write_text("changed\n")
    git("add", "new.txt")
    row = checkpoint.run(workspace, checkpoint.Request("half of it"))
    assert (row.task_id, row.number, row.message, row.status) == ("task-10", 1, "half of it", "active")
    assert (row.files_changed, row.lines_added, row.lines_removed) == (1, 1, 0)
    assert git("show", "--format=%s", "--name-only", "HEAD").split() == ["half", "of", "it", "new.txt"]
    assert git("status", "--porcelain") == "M a.txt"


def test_all_commits_new_changed_and_deleted_files(workspace: Workspace, git: Run, repo: Path) -> None:
    start(workspace, "10")
    (repo / "sub").mkdir()
    (repo / "sub/new.txt").write_text("new\n")
    (repo / "a.txt").write_text("changed\n")
    (repo / "f1.txt").unlink()
    task_complete.run(workspace, task_complete.Request(None, "done", everything=True))
    shown = git("show", "--format=", "--name-status", "HEAD")
    assert shown.split() == ["M", "a.txt", "D", "f1.txt", "A", "sub/new.txt"]
    assert git("status", "--porcelain") == ""


def test_with_nothing_to_commit_head_becomes_the_checkpoint(workspace: Workspace, git: Run) -> None:
    head = git("rev-parse", "HEAD")
    start(workspace, "10")
    row = checkpoint.run(workspace, checkpoint.Request(everything=True))
    assert (row.commit, row.message, git("rev-parse", "HEAD")) == (head, "Checkpoint of task-10", head)


def test_a_completion_takes_the_next_number_and_a_visible_tag(workspace: Workspace, git: Run) -> None:
    start(workspace, "10", title="Parse dates")
    checkpoint.run(workspace, checkpoint.Request())
    row = task_complete.run(workspace, task_complete.Request("10", "Dates are parsed"))
    assert (row.number, row.status) == (2, "completed")
    assert (
        git("rev-parse", "refs/tags/devs/task-10", "refs/devs/checkpoints/task-10/2").split() == [row.tag] * 2
    )
    assert task_status.run(workspace, task_status.Request("10")).status == "completed"
    with pytest.raises(DevsError, match="No task is active"):
        task_status.run(workspace, task_status.Request())


def test_completing_again_without_new_work_is_refused_and_with_new_work_moves_the_tag(
    workspace: Workspace, git: Run, repo: Path
) -> None:
    start(workspace, "10")
    first = task_complete.run(workspace, task_complete.Request("10"))
    before = state(git, repo)
    with pytest.raises(DevsError) as refused:
        task_complete.run(workspace, task_complete.Request("10", everything=True))
    assert (refused.value.code, state(git, repo)) == ("TASK_EXISTS", before)
    (repo / "more.txt").write_text("more\n")
    second = task_complete.run(workspace, task_complete.Request("10", everything=True))
    assert second.number == first.number + 1
    assert git("rev-parse", "refs/tags/devs/task-10") == second.tag
    assert (first.before, second.before) == ("", "task-10@1")


def test_another_tasks_commits_are_no_new_work_of_a_completed_one(workspace: Workspace, repo: Path) -> None:
    start(workspace, "10")
    task_complete.run(workspace, task_complete.Request("10"))
    start(workspace, "11")
    (repo / "eleven.txt").write_text("11\n")
    task_complete.run(workspace, task_complete.Request("11", everything=True))
    with pytest.raises(DevsError, match="nothing was done for it since then"):
        task_complete.run(workspace, task_complete.Request("10"))


@pytest.mark.quick
def test_a_live_id_cannot_be_started_again_nor_another_beside_the_running_one(
    workspace: Workspace, git: Run, repo: Path
) -> None:
    start(workspace, "10")
    before = state(git, repo)
    for task, code in (("10", "TASK_EXISTS"), ("task-11", "TASK_ACTIVE")):
        with pytest.raises(DevsError) as refused:
            start(workspace, task)
        assert (refused.value.code, refused.value.details["task_id"]) == (code, "task-10")
    task_complete.run(workspace, task_complete.Request())
    with pytest.raises(DevsError) as refused:
        start(workspace, "10")
    assert refused.value.code == "TASK_EXISTS"
    assert state(git, repo)[1:] == before[1:]


@pytest.mark.quick
@pytest.mark.parametrize("everything", [True, False])
def test_a_commit_that_a_hook_refuses_leaves_head_index_and_ledger_as_they_were(
    workspace: Workspace, git: Run, repo: Path, everything: bool
) -> None:
    start(workspace, "10")
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngit add f2.txt\necho 'the linter says no' >&2\nexit 1\n")
    hook.chmod(0o755)
    (repo / "new.txt").write_text("new\n")
    (repo / "f2.txt").write_text("changed\n")
    (repo / "a.txt").write_text("staged\n")
    git("add", "a.txt")
    before = state(git, repo)
    with pytest.raises(DevsError, match="the linter says no") as refused:
        checkpoint.run(workspace, checkpoint.Request(everything=everything))
    assert (refused.value.code, state(git, repo)) == ("CONFLICT", before)
    assert list((repo / ".git/devs/journal").iterdir()) == []


def test_a_machine_without_an_identity_still_records(workspace: Workspace, git: Run, repo: Path) -> None:
    """A checkpoint that silently saved nothing because no identity was set: https://github.com/unarbos/arbos/pull/390."""
    start(workspace, "10")
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    (repo / "work.txt").write_text("hours of it\n")
    status, row = devs("checkpoint", "--all", "-m", "saved")
    assert (status, row["number"]) == (0, 1)
    assert git("show", f"{row['commit']}:work.txt") == "hours of it"


def test_the_command_line_refuses_where_nothing_is_active_and_where_there_is_no_ledger(
    git: Run, tmp_path: Path
) -> None:
    assert devs("checkpoint")[1]["code"] == "TASK_NOT_FOUND"
    assert devs("task", "complete", "99")[1]["code"] == "TASK_NOT_FOUND"
    git("init", "-q", "other", where=tmp_path)
    assert devs("task", "start", "1", where=tmp_path / "other")[1]["code"] == "NOT_INITIALIZED"


def test_conflicts_are_never_committed_by_all(workspace: Workspace, git: Run, repo: Path) -> None:
    start(workspace, "10")
    git("checkout", "-qb", "side", "HEAD~1")
    (repo / "f3.txt").write_text("theirs\n")
    git("add", "f3.txt")
    git("commit", "-qm", "theirs")
    subprocess.run(["git", "merge", "-q", "main"], cwd=repo, capture_output=True, check=False)
    with pytest.raises(DevsError, match="in conflict") as refused:
        checkpoint.run(workspace, checkpoint.Request(everything=True))
    assert refused.value.code == "CONFLICT"
    assert "AA f3.txt" in git("status", "--porcelain")


def test_a_first_commit_can_be_made_by_a_checkpoint_but_not_of_nothing(git: Run, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    git("init", "-q", "fresh", where=tmp_path)
    workspace = Workspace.open(fresh)
    ledgers.begin(workspace)
    start(workspace, "1")
    with pytest.raises(DevsError, match="no commit yet"):
        checkpoint.run(workspace, checkpoint.Request())
    (fresh / "a").write_text("a\n")
    row = checkpoint.run(workspace, checkpoint.Request(everything=True))
    assert git("log", "--format=%H", where=fresh) == row.commit


def test_a_detached_head_has_checkpoints_without_a_branch(workspace: Workspace, git: Run) -> None:
    git("checkout", "-q", "--detach")
    start(workspace, "10")
    assert checkpoint.run(workspace, checkpoint.Request()).branch == ""
    assert task_status.run(workspace, task_status.Request("10")).contract == ""


def git_worktree(git: Run, folder: Path) -> Path:
    git("worktree", "add", "-q", "-b", folder.name, str(folder))
    return folder


@pytest.mark.quick
def test_two_worktrees_work_on_two_tasks_without_seeing_each_others(
    workspace: Workspace, git: Run, tmp_path: Path
) -> None:
    second = Workspace.open(git_worktree(git, tmp_path / "second"))
    start(workspace, "10")
    start(second, "11")
    (tmp_path / "second/b.txt").write_text("b\n")
    mine, theirs = (
        checkpoint.run(workspace, checkpoint.Request()),
        checkpoint.run(second, checkpoint.Request(everything=True)),
    )
    assert [(row.task_id, row.number, row.branch) for row in (mine, theirs)] == [
        ("task-10", 1, "main"),
        ("task-11", 1, "second"),
    ]
    with pytest.raises(DevsError, match="already exists and is active") as refused:
        start(Workspace.open(git_worktree(git, tmp_path / "third")), "10")
    assert refused.value.code == "TASK_EXISTS"
    with pytest.raises(DevsError, match="active in another worktree"):
        task_complete.run(workspace, task_complete.Request("11"))
    task_complete.run(second, task_complete.Request())
    assert task_status.run(workspace, task_status.Request()).task_id == "task-10"


def test_a_result_is_read_from_standard_input(workspace: Workspace) -> None:
    start(workspace, "10", plan="First this.\nThen that.")
    assert devs("task", "result", "10", stdin="It works.\nMostly.\n")[0] == 0
    shown = task_status.run(workspace, task_status.Request("10"))
    assert (shown.plan, shown.result) == ("First this.\nThen that.", "It works.\nMostly.\n")


def test_a_task_whose_start_died_before_its_mark_was_written_can_be_started_again(
    workspace: Workspace,
) -> None:
    start(workspace, "10")
    workspace.places.active_task.unlink()
    assert start(workspace, "10").next_checkpoint == 1


def test_a_working_tree_that_lies_elsewhere_is_committed_there(git: Run, repo: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git("config", "core.worktree", str(elsewhere))
    (elsewhere / "only.txt").write_text("here\n")
    workspace = Workspace.open(repo)
    start(workspace, "10")
    row = checkpoint.run(workspace, checkpoint.Request("moved", everything=True))
    assert git("ls-tree", "--name-only", row.commit) == "only.txt"


def test_the_verbs_message_keeps_a_repositorys_own_trailers_and_has_ours_once(
    workspace: Workspace, git: Run, repo: Path, tmp_path: Path
) -> None:
    git("config", "trailer.separators", "#")
    git("config", "trailer.sign.command", f"touch {tmp_path}/ran; echo added")
    start(workspace, "10", phase="plan")
    (repo / "new.txt").write_text("new\n")
    tip = git("rev-parse", "refs/heads/devs/ledger")
    message = "one\n\nBug #42\nDevs-Task: task-9\nDevs-Ledger: 0"
    row = checkpoint.run(workspace, checkpoint.Request(message, everything=True))
    ours = f"Devs-Task: task-10\nDevs-Phase: plan\nDevs-Ledger: {tip}"
    assert git("log", "-1", "--format=%B", row.commit) == f"one\n\nBug #42\n{ours}"
    assert not (tmp_path / "ran").exists()
