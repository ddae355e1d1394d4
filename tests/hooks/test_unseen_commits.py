"""git runs no hook in the shell of Gemini CLI: the client's own hook makes a commit of the active task a checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_start
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, before, call
from tests.support.hook_moments import kept
from tests.support.ledgers import put_policy_in_force

Run = Callable[..., str]
SHELL = {"gemini": "run_shell_command", "claude": "Bash"}
# As Gemini CLI sets it, in GIT_CONFIG_KEY_2.
NO_HOOKS = ("-c", "core.hooksPath=")


@pytest.fixture
def task(project: Path) -> Path:
    router.call("task start", Workspace.open(project), task_start.Request("1"))
    return project


def command(
    top: Path, git: Run, *words: str, client: str = "gemini", options: tuple[str, ...] = NO_HOOKS
) -> None:
    """The client runs a command of git in its shell."""
    several(top, git, words, client=client, options=options)


def several(
    top: Path,
    git: Run,
    *commands: tuple[str, ...],
    client: str = "gemini",
    options: tuple[str, ...] = NO_HOOKS,
) -> None:
    """The client's shell gets one line with these commands of git."""
    tool = SHELL[client]
    call(top, before(tool, command="git …"), client=client)
    for words in commands:
        with (top / "a.txt").open("a") as stream:
            stream.write("more\n")
        git(*options, *words)
    call(top, after(tool_name=tool), client=client)
    kept(top)


def checkpoints(top: Path) -> list[tuple[int, str]]:
    live = Workspace.open(top).ledger.tip().history.live()
    return [(point.number, point.commit) for point in live]


@pytest.mark.quick
def test_a_commit_in_its_shell_is_a_checkpoint(task: Path, git: Run) -> None:
    command(task, git, "commit", "-qam", "one")
    command(task, git, "commit", "-qam", "two")
    command(task, git, "status")
    assert checkpoints(task) == [(1, git("rev-parse", "HEAD~1")), (2, git("rev-parse", "HEAD"))]


@pytest.mark.quick
def test_each_commit_of_one_line_of_its_shell_is_a_checkpoint(task: Path, git: Run) -> None:
    message = "commit", "-qam"
    several(task, git, (*message, "one"), (*message, "two"), ("tag", "x"), (*message, "three"), ("status",))
    oids = git("rev-list", "--reverse", "HEAD~3..HEAD").split()
    assert checkpoints(task) == list(enumerate(oids, 1))


def test_a_checkpoint_follows_an_amend_in_the_same_line(task: Path, git: Run) -> None:
    message = "commit", "-qam"
    several(task, git, (*message, "one"), (*message, "one again", "--amend"), (*message, "two"))
    assert checkpoints(task) == [(2, git("rev-parse", "HEAD~1")), (3, git("rev-parse", "HEAD"))]


def test_of_a_line_that_switches_branches_only_the_commits_after_it_are_checkpoints(
    task: Path, git: Run
) -> None:
    message = "commit", "-qam"
    several(task, git, (*message, "one"), ("switch", "-qc", "other"), (*message, "two"))
    assert checkpoints(task) == [(1, git("rev-parse", "HEAD"))]
    assert [point.branch for point in Workspace.open(task).ledger.tip().history.live()] == ["other"]


@pytest.mark.quick
def test_a_checkpoint_follows_an_amend_in_its_shell(task: Path, git: Run) -> None:
    command(task, git, "commit", "-qam", "one")
    command(task, git, "commit", "-qam", "one again", "--amend")
    assert checkpoints(task) == [(2, git("rev-parse", "HEAD"))]


@pytest.mark.quick
def test_an_amended_commit_of_before_the_task_becomes_its_checkpoint(task: Path, git: Run) -> None:
    command(task, git, "commit", "-qam", "more of it", "--amend")
    assert checkpoints(task) == [(1, git("rev-parse", "HEAD"))]


@pytest.mark.quick
def test_what_git_or_devs_git_recorded_is_recorded_once(task: Path, git: Run) -> None:
    command(task, git, "commit", "-qam", "one", options=())
    call(task, before(SHELL["gemini"], command="devs-git checkpoint"), client="gemini")
    (task / "b.txt").write_text("b\n")
    router.call("checkpoint", Workspace.open(task), checkpoint.Request("two", everything=True))
    call(task, after(tool_name=SHELL["gemini"]), client="gemini")
    kept(task)
    assert [number for number, _ in checkpoints(task)] == [1, 2]


@pytest.mark.quick
def test_a_commit_that_was_there_before_is_no_checkpoint(task: Path, git: Run) -> None:
    git("branch", "other")
    git(*NO_HOOKS, "commit", "-q", "--allow-empty", "-m", "before the command")
    command(task, git, "stash", "-q")
    command(task, git, "switch", "-q", "other")
    assert checkpoints(task) == []


def test_without_the_place_of_head_before_the_line_in_the_reflog_only_the_last_commit_is_a_checkpoint(
    task: Path, git: Run
) -> None:
    def commit(text: str) -> tuple[str, ...]:
        return "commit", "-qam", text

    several(
        task, git, commit("one"), ("reflog", "expire", "--expire=all", "HEAD"), commit("two"), commit("three")
    )
    assert checkpoints(task) == [(1, git("rev-parse", "HEAD"))]


def test_it_obeys_the_policy(task: Path, git: Run) -> None:
    put_policy_in_force(Workspace.open(task), checkpoint_on_commit=False)
    command(task, git, "commit", "-qam", "one")
    assert checkpoints(task) == []


def test_without_a_task_and_with_a_client_whose_shell_runs_hooks_nothing_is_recorded(
    project: Path, git: Run
) -> None:
    command(project, git, "commit", "-qam", "no task")
    router.call("task start", Workspace.open(project), task_start.Request("1"))
    command(project, git, "commit", "-qam", "hooks switched off", client="claude")
    assert checkpoints(project) == []
