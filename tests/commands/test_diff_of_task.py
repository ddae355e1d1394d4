"""`diff task-10` is the patch of the whole task, in git's own form."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import init, rewind, task_complete, task_start
from devs_git.commands.diff import Request, run
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import git_calls
from tests.support.terminal_person import at_terminal

Make = Callable[..., str]


@pytest.fixture
def begun(ledgered: Workspace, mark: Make, repo: Path, git: Make) -> Path:
    """Task 20 with two commits after its beginning, the first of them a checkpoint."""
    task_start.run(ledgered, task_start.Request("20"))
    (repo / "one.txt").write_text("1\n")
    git("add", "-A")
    git("commit", "-qm", "one")
    mark(20)
    (repo / "two.txt").write_text("2\n")
    git("add", "-A")
    return repo


def printed(top: Path, *words: str) -> bytes:
    call = [sys.executable, "-m", "devs_git", "diff", *words]
    return subprocess.run(call, cwd=top, capture_output=True, check=True).stdout


@pytest.mark.quick
def test_a_task_is_compared_with_where_it_began_and_a_checkpoint_with_the_one_before(
    begun: Path, git: Make
) -> None:
    begin = git("rev-parse", "HEAD^")
    task_complete.run(Workspace.open(begun), task_complete.Request("20", message="done"))
    whole = run(Workspace.open(begun), Request("20"))
    assert (whole.from_, whole.from_name) == (begin, "task-20@0")
    assert [one.path for one in whole.files] == ["one.txt", "two.txt"]
    step = run(Workspace.open(begun), Request("task-20@2"))
    assert (step.from_name, [one.path for one in step.files]) == ("task-20@1", ["two.txt"])


@pytest.mark.quick
def test_the_task_in_work_is_compared_up_to_the_working_tree(begun: Path, git: Make) -> None:
    begin = git("rev-parse", "HEAD^")
    so_far = run(Workspace.open(begun), Request("20"))
    assert (so_far.from_, so_far.from_name, so_far.to_name) == (begin, "task-20@0", "the working tree")
    assert [one.path for one in so_far.files] == ["one.txt", "two.txt"]
    assert printed(begun, "20") == printed(begun, "task-20@0")
    assert [one.path for one in run(Workspace.open(begun), Request("20", "HEAD")).files] == ["two.txt"]


def test_the_task_of_another_worktree_is_compared_up_to_its_newest_checkpoint(begun: Path, git: Make) -> None:
    git("worktree", "add", "-q", "-b", "side", "../side")
    other = begun.parent / "side"
    so_far = run(Workspace.open(other), Request("20"))
    assert (so_far.from_name, so_far.to_name) == ("task-20@0", "task-20@1")
    assert [one.path for one in so_far.files] == ["one.txt"]
    task_start.run(Workspace.open(other), task_start.Request("21"))
    with pytest.raises(DevsError) as caught:
        run(Workspace.open(begun), Request("21"))
    assert (caught.value.code, caught.value.message, caught.value.hint) == (
        "NO_CHECKPOINT",
        "task-21 is not completed: it is active.",
        "Complete it first: devs-git task complete task-21",
    )


def test_the_task_in_work_is_compared_with_nothing_if_it_began_before_the_first_commit(
    tmp_path: Path,
) -> None:
    top = tmp_path / "new"
    git_calls.git("init", "-q", "-b", "main", str(top), where=tmp_path)
    init.run(Workspace.open(top), init.Request())
    task_start.run(Workspace.open(top), task_start.Request("1"))
    (top / "one.txt").write_text("1\n")
    git_calls.git("add", "one.txt", where=top)
    so_far = run(Workspace.open(top), Request("1"))
    assert (so_far.from_name, so_far.to_name) == ("the empty tree", "the working tree")
    assert [one.path for one in so_far.files] == ["one.txt"]


def test_a_task_that_was_undone_is_refused_with_its_status_in_plain_words(begun: Path) -> None:
    task_complete.run(Workspace.open(begun), task_complete.Request("20", message="done"))
    task_start.run(Workspace.open(begun), task_start.Request("21"))
    (begun / "three.txt").write_text("3\n")
    done = task_complete.Request("21", message="done", everything=True)
    task_complete.run(Workspace.open(begun), done)
    rewind.run(Workspace.open(begun), rewind.Request("20"))
    with pytest.raises(DevsError) as caught:
        run(Workspace.open(begun), Request("21"))
    assert caught.value.code == "NO_CHECKPOINT"
    assert caught.value.message == "The completion of task-21 was undone; the task is rewound now."


def test_a_target_and_what_it_is_compared_with_are_whatever_git_calls_a_commit(
    begun: Path, git: Make
) -> None:
    git("branch", "side", "HEAD^")
    assert [one.path for one in run(Workspace.open(begun), Request("HEAD", "side")).files] == ["one.txt"]
    assert run(Workspace.open(begun), Request("side")).to_name == "the working tree"
    with pytest.raises(DevsError) as caught:
        run(Workspace.open(begun), Request("nowhere"))
    assert caught.value.code == "TASK_NOT_FOUND"


@pytest.mark.quick
def test_a_pipe_gets_the_patch_that_git_applies_whatever_the_settings_are(begun: Path, git: Make) -> None:
    git("config", "diff.noprefix", "true")
    git("config", "color.ui", "always")
    (begun / "a.txt").write_bytes(b"caf\xe9\x1b[31m\r\n")
    patch = printed(begun, "task-20@0")
    assert b"\n+caf\xe9\x1b[31m\r\n" in patch
    assert patch.startswith(b"diff --git a/a.txt b/a.txt\n")
    subprocess.run(["git", "apply", "-R", "--check"], cwd=begun, input=patch, check=True)


def test_a_terminal_has_the_colours_and_words_of_the_person(
    begun: Path, git: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    git("config", "color.diff.new", "blue bold")
    git("config", "diff.wordRegex", "[a-z]+")
    (begun / "f1.txt").write_text("abc-def\n")
    git("commit", "-qam", "words")
    (begun / "f1.txt").write_text("abc-xyz\n")
    _, shown = at_terminal(begun, "diff", "--word-diff")
    assert "abc-" in shown
    assert "\x1b[1;34m{+xyz+}" in shown


@pytest.mark.quick
def test_untracked_files_are_named_where_the_working_tree_is_compared(begun: Path) -> None:
    (begun / "new.py").write_text("new\n")
    (begun / "more").mkdir()
    (begun / "more" / "one.py").write_text("new\n")
    (begun / "more" / "two.py").write_text("new\n")
    for request in (Request(), Request("20"), Request("task-20@0"), Request("", "HEAD")):
        found = run(Workspace.open(begun), request).untracked
        assert (found.count, found.paths) == (2, ("more/", "new.py"))
    assert run(Workspace.open(begun), Request("HEAD", "task-20@0")).untracked.count == 0
    line = "Untracked, not shown (2): more/, new.py"
    call = [sys.executable, "-m", "devs_git", "diff"]
    piped = subprocess.run(call, cwd=begun, capture_output=True, check=True)
    assert piped.stderr.decode() == f"{line}\n"
    assert b"not shown" not in piped.stdout
    assert line.encode() in printed(begun, "--stat")
    assert line in at_terminal(begun, "diff")[1]
    for at in range(12):
        (begun / f"n{at:02}").write_text("")
    assert printed(begun, "--stat").decode().splitlines()[-1] == (
        "Untracked, not shown (14): more/, n00, n01, n02, n03, n04, n05, n06, n07, n08 and 4 more"
    )


def test_a_line_of_a_file_cannot_pass_for_a_colour_of_git(begun: Path) -> None:
    (begun / "a.txt").write_text("\x1b[32mgreen\n\x9b31m\n")
    _, shown = at_terminal(begun, "diff", "task-20@0")
    assert "+\\x1b[32mgreen" in shown
    assert "\\x9b31m" in shown


def test_a_file_of_which_only_the_time_changed_has_no_section(begun: Path) -> None:
    os.utime(begun / "f1.txt", (1, 1))
    assert b"f1.txt" not in printed(begun, "task-20@0")
    assert b"two.txt" in printed(begun, "task-20@0")


def test_before_a_task_is_where_it_began(begun: Path) -> None:
    so_far = printed(begun, "--before", "20")
    assert so_far == printed(begun, "task-20@0") != b""
    assert b"+1" in so_far
    assert b"+2" in so_far
    assert printed(begun, "task-20@1", "--before", "20") == printed(
        begun, "task-20@1", "--against", "task-20@0"
    )
    status, shown = at_terminal(begun, "diff", "task-20@1", "--before", "20", "--against", "main")
    assert (status, "one and --against or --before" in shown) == (3, True)


def test_on_a_branch_without_a_commit_the_task_in_work_is_compared_with_the_empty_tree(
    begun: Path, git: Make
) -> None:
    git("switch", "-q", "--orphan", "empty")
    (begun / "three.txt").write_text("3\n")
    git("add", "three.txt")
    found = run(Workspace.open(begun), Request("20"))
    assert (found.from_name, found.to_name) == ("the empty tree", "the working tree")
    assert [one.path for one in found.files] == ["three.txt", "two.txt"]
