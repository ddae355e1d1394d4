"""When `--mine` refuses, and what surrounds its commit: hooks, other operations, odd names, interrupted commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_complete, task_start
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.agent_calls import install_hooks
from tests.support.two_agents import Agent

Run = Callable[..., str]


@pytest.fixture
def agent(initialised: Path) -> Agent:
    """A session that was prompted, in a repository with task-1 active."""
    install_hooks(initialised)
    router.call("task start", Workspace.open(), task_start.Request("1", title="Parse dates"))
    made = Agent(initialised, "session-a")
    made.prompt()
    return made


def committed(git: Run) -> str:
    return git("show", "--format=", "--name-only", "HEAD")


def devs_git(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devs_git", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


def record(session: str = "session-a") -> checkpoint.Result:
    request = checkpoint.Request("mine", mine=True, session=session)
    done: checkpoint.Result = router.call("checkpoint", Workspace.open(), request)
    return done


def complete() -> task_complete.Result:
    request = task_complete.Request(None, "done", mine=True, session="session-a")
    done: task_complete.Result = router.call("task complete", Workspace.open(), request)
    return done


def refusal(do: Callable[[], object]) -> DevsError:
    with pytest.raises(DevsError) as refused:
        do()
    return refused.value


@pytest.mark.quick
@pytest.mark.parametrize("verb", ["checkpoint", "task complete"])
def test_options_that_contradict_each_other_are_refused(verb: str, agent: Agent) -> None:
    agent.shell("echo A > a1.txt")
    for words, field in ((("--mine", "--all"), "mine"), (("--session", "session-a"), "session")):
        answer = devs_git(*verb.split(), *words, "--json")
        said = json.loads(answer.stdout or answer.stderr)
        assert (said["error"], said["field"]) == ("INVALID_ARGUMENTS", field)


@pytest.mark.quick
def test_text_and_json_name_the_session_and_what_was_left_out(agent: Agent, git: Run) -> None:
    other = Agent(agent.top, "session-b")
    agent.shell("echo A > a1.txt; echo A > both.txt")
    other.shell("echo B >> both.txt")
    done = devs_git("checkpoint", "--mine", "-m", "by A", CLAUDE_CODE_SESSION_ID="session-a")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n", 1)[1] == (
        "Left out, because others wrote it, too (1):\n  both.txt: session session-b\n"
    )
    agent.shell("echo A > a2.txt")
    told = json.loads(devs_git("task", "complete", "--mine", "--session", "session-a", "--json").stdout)
    assert told["session"] == "session-a"
    assert told["left_out"] == [
        {"path": "both.txt", "sessions": ["session-b"], "live": ["session-b"], "unknown": False}
    ]
    assert git("status", "--porcelain") == "?? both.txt"


def test_without_moments_or_without_a_session_nobody_knows_who_wrote_what(agent: Agent) -> None:
    (agent.top / "a.txt").write_text("x")
    (agent.top / ".git/devs/moments-on").unlink()
    error = refusal(record)
    assert (error.code, error.details["field"]) == ("INVALID_ARGUMENTS", "mine")
    assert "agent install" in error.hint


def test_where_no_session_was_at_work_there_is_none_to_take(initialised: Path) -> None:
    install_hooks(initialised)
    router.call("task start", Workspace.open(), task_start.Request("1", title="Parse dates"))
    (initialised / "a.txt").write_text("x")
    error = refusal(lambda: record(""))
    assert (error.code, error.details["field"]) == ("INVALID_ARGUMENTS", "session")


def test_a_session_that_wrote_nothing_alone_has_nothing_to_commit(agent: Agent, git: Run) -> None:
    other = Agent(agent.top, "session-b")
    agent.shell("echo A >> a.txt")
    other.shell("echo B >> a.txt; echo B > b1.txt; git add b1.txt")
    before = git("status", "--porcelain"), git("rev-parse", "HEAD")
    error = refusal(record)
    assert (error.code, error.details["paths"]) == ("INVALID_ARGUMENTS", ["a.txt"])
    assert "'a.txt'" in error.message
    assert refusal(lambda: record("nobody")).code == "INVALID_ARGUMENTS"
    assert refusal(complete).code == "INVALID_ARGUMENTS"
    assert (git("status", "--porcelain"), git("rev-parse", "HEAD")) == before


def test_a_task_is_completed_after_all_files_of_its_session_are_committed(agent: Agent, git: Run) -> None:
    other = Agent(agent.top, "session-b")
    agent.shell("echo A > a1.txt")
    other.shell("echo B > b1.txt; echo B >> a.txt; git add a.txt")
    made = record()
    done = complete()
    assert (done.status, done.commit) == ("completed", made.commit)
    assert git("status", "--porcelain") == "M  a.txt\n?? b1.txt"


def test_hooks_of_the_person_see_the_files_that_are_committed_and_no_others(agent: Agent, git: Run) -> None:
    other = Agent(agent.top, "session-b")
    other.shell("echo B >> f2.txt; git add f2.txt")
    agent.shell("echo A > a1.txt; echo A >> a.txt")
    hook = agent.top / ".git/hooks/pre-commit"
    ours = hook.read_text()
    hook.with_name("pre-commit.ours").write_text(ours)
    hook.with_name("pre-commit.ours").chmod(0o755)
    hook.write_text('#!/bin/sh\ngit diff --cached --name-only > .git/seen\nexec "$0.ours"\n')
    record()
    assert (agent.top / ".git/seen").read_text() == "a.txt\na1.txt\n"
    assert git("status", "--porcelain") == "M  f2.txt"


def test_names_that_git_could_read_as_patterns_are_plain_files(agent: Agent, git: Run) -> None:
    odd = ("*.txt", ":(exclude)x", "a\nb", "-m", os.fsdecode(b"\xff"))
    other = Agent(agent.top, "session-b")
    agent.prompt()
    begun = agent.begins("make")
    for name in odd:
        (agent.top / name).write_text("A")
    agent.ends(begun)
    other.shell("echo B >> a.txt; echo B > x")
    record()
    out = subprocess.run(
        ["git", "show", "--format=", "--name-only", "-z", "HEAD"],
        capture_output=True,
        check=True,
        cwd=agent.top,
    ).stdout
    assert set(os.fsdecode(out).strip("\0").split("\0")) == set(odd)
    assert git("status", "--porcelain") == "M a.txt\n?? x"


def test_during_a_merge_nothing_is_committed_in_part(agent: Agent, git: Run) -> None:
    git("checkout", "-qb", "side")
    git("commit", "-q", "--allow-empty", "-m", "side")
    git("checkout", "-q", "main")
    git("commit", "-q", "--allow-empty", "-m", "here")
    git("merge", "-q", "--no-commit", "--no-ff", "side")
    agent.shell("echo A > a1.txt")
    before = git("status", "--porcelain"), git("rev-parse", "HEAD")
    assert refusal(record).code == "CONFLICT"
    assert (git("status", "--porcelain"), git("rev-parse", "HEAD")) == before


def test_a_linked_worktree_has_its_own_sessions(
    agent: Agent, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("worktree", "add", "-q", "../linked")
    linked = agent.top.parent / "linked"
    monkeypatch.chdir(linked)
    router.call("task start", Workspace.open(), task_start.Request("2", title="Elsewhere"))
    there = Agent(linked, "session-b")
    there.prompt()
    agent.shell("echo A > a1.txt")
    there.shell("echo B > b1.txt")
    done = record("session-b")
    assert git("show", "--format=", "--name-only", done.commit, where=linked) == "b1.txt"
    assert git("status", "--porcelain") == "?? a1.txt"
    # A long command there may not have written what changes here.
    long = there.begins("make test")
    agent.shell("echo A > a2.txt")
    there.ends(long, "make test")
    monkeypatch.chdir(agent.top)
    assert record().left_out == ()
    assert committed(git) == "a1.txt\na2.txt"


# Kills the process at a step of the commit, as a loss of power would.
KILLED = """
import os, signal, sys
from importlib import import_module
module = import_module("devs_git.operations.checkpoint." + sys.argv[1])
setattr(module, sys.argv[2], lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
sys.argv = ["devs-git", "checkpoint", "--mine", "--session", "session-a", "-m", "mine"]
from devs_git.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("module", "step", "done"),
    [
        ("commit_work", "_named", False),
        ("commit_work", "commit", False),
        ("complete_task", "record", True),
        ("complete_task", "_end", True),
    ],
)
def test_a_kill_at_a_step_is_finished_or_taken_back_by_the_next_command(
    module: str, step: str, done: bool, agent: Agent, git: Run
) -> None:
    other = Agent(agent.top, "session-b")
    other.shell("echo B >> f2.txt; git add f2.txt")
    agent.shell("echo A > a1.txt; echo A >> a.txt")
    before = git("status", "--porcelain"), git("ls-files", "-s")
    killed = subprocess.run([sys.executable, "-c", KILLED, module, step], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert devs_git("status").returncode == 0
    if done:
        assert committed(git) == "a.txt\na1.txt"
        assert git("status", "--porcelain") == "M  f2.txt"
    else:
        assert (git("status", "--porcelain"), git("ls-files", "-s")) == before
    assert list((agent.top / ".git/devs").glob("paths.*")) == []


def test_a_tool_of_an_agent_takes_no_session_of_another_one(agent: Agent, git: Run) -> None:
    agent.shell("echo A > a1.txt")
    assert calling.call("create_checkpoint", {"mine": True}, agent.top).value["session"] == "session-a"
    other = Agent(agent.top, "session-b")
    other.prompt()
    other.shell("echo B > b1.txt")
    agent.shell("echo A > a2.txt")
    refused = calling.call("commit_task", {"mine": True}, agent.top)
    assert (refused.value["error"], refused.value["field"]) == ("INVALID_ARGUMENTS", "session")
    calling.call("commit_task", {"mine": True, "session": "session-a"}, agent.top)
    assert committed(git) == "a2.txt"
    assert git("status", "--porcelain") == "?? b1.txt"
