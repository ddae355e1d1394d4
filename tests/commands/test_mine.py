"""`checkpoint --mine` and `task complete --mine` commit whole files that only one session wrote, and name the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_complete, task_start
from devs_git.domain.checkpoints.rows import LeftOut
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.agent_calls import install_hooks
from tests.support.two_agents import Agent

Run = Callable[..., str]


@pytest.fixture
def top(initialised: Path) -> Path:
    """A repository with the hooks of all clients, and task-1 active."""
    install_hooks(initialised)
    router.call("task start", Workspace.open(), task_start.Request("1", title="Parse dates"))
    return initialised


@pytest.fixture
def agents(top: Path) -> tuple[Agent, Agent]:
    """Two sessions that were prompted; the second one last."""
    first, second = Agent(top, "session-a"), Agent(top, "session-b")
    first.prompt()
    second.prompt()
    return first, second


def record(session: str = "", message: str = "mine") -> checkpoint.Result:
    request = checkpoint.Request(message, mine=True, session=session)
    done: checkpoint.Result = router.call("checkpoint", Workspace.open(), request)
    return done


def complete(session: str = "") -> task_complete.Result:
    request = task_complete.Request(None, "done", mine=True, session=session)
    done: task_complete.Result = router.call("task complete", Workspace.open(), request)
    return done


def committed(git: Run) -> set[str]:
    return set(git("show", "--format=", "--name-only", "--no-renames", "HEAD").split("\n")) - {""}


@pytest.mark.quick
def test_shell_calls_and_edits_of_two_sessions_are_told_apart(
    agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    first, second = agents
    first.shell("echo A >> a.txt; echo new > by-a.txt; rm f1.txt")
    second.shell("echo B >> f2.txt; mkdir d; echo new > d/by-b.txt")
    first.edit("f3.txt", "edited by A")
    second.edit("d/edited.txt", "edited by B")
    (top / "mine.txt").write_text("a person's")
    done = record("session-a")
    assert committed(git) == {"a.txt", "by-a.txt", "f1.txt", "f3.txt"}
    assert (done.session, done.left_out) == ("session-a", ())
    assert git("status", "--porcelain", "-uall") == "M f2.txt\n?? d/by-b.txt\n?? d/edited.txt\n?? mine.txt"
    record("session-b")
    assert committed(git) == {"f2.txt", "d/by-b.txt", "d/edited.txt"}
    assert git("status", "--porcelain", "-uall") == "?? mine.txt"


@pytest.mark.quick
def test_a_file_that_another_live_session_wrote_too_is_left_out_and_named(
    agents: tuple[Agent, Agent], git: Run
) -> None:
    first, second = agents
    first.edit("a.txt", "by A")
    second.shell("echo B >> a.txt; echo B > only-b.txt")
    second.edit("f2.txt", "by B")
    first.shell("sed -i s/B/C/ f2.txt; echo A > only-a.txt")
    done = complete("session-a")
    assert committed(git) == {"only-a.txt"}
    others = ("session-b",), ("session-b",), False
    assert done.left_out == (LeftOut("a.txt", *others), LeftOut("f2.txt", *others))
    assert git("status", "--porcelain") == "M a.txt\n M f2.txt\n?? only-b.txt"


def test_a_formatter_over_all_files_makes_them_files_of_both(agents: tuple[Agent, Agent], git: Run) -> None:
    first, second = agents
    first.edit("f1.txt", "one  ")
    second.edit("f2.txt", "two  ")
    first.shell("for f in f*.txt; do sed -i 's/ *$/./' $f; done")
    done = record("session-a")
    assert committed(git) == {"f1.txt", "f3.txt"}
    assert [one.path for one in done.left_out] == ["f2.txt"]


def test_while_a_long_command_of_one_session_runs_edits_of_the_other_stay_its_own(
    agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    first, second = agents
    long = first.begins("make test")
    # Each edit is a new text, and the last one stays.
    second.edit("a.txt", "at first by B")
    second.edit("a.txt", "by B")
    (top / "report.txt").write_text("by the tests of A")
    second.shell("echo B > shell-of-b.txt")
    first.ends(long, "make test")
    done = record("session-b")
    # What changed while calls of both ran may be of either.
    assert committed(git) == {"a.txt"}
    assert {one.path: one.sessions for one in done.left_out} == {"shell-of-b.txt": ("session-a",)}


def test_a_file_that_a_command_of_one_wrote_while_the_other_edited_it_is_of_both(
    agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    first, second = agents
    long = first.begins("make fmt")
    second.edit("a.txt", "by B\n")
    second.edit("f1.txt", "by B\n")
    with (top / "a.txt").open("a") as stream:
        stream.write("by the command of A\n")
    first.ends(long, "make fmt")
    done = record("session-b")
    assert committed(git) == {"f1.txt"}
    assert done.left_out == (LeftOut("a.txt", ("session-a",), ("session-a",), unknown=False),)


def test_what_changed_while_calls_of_both_ran_counts_for_both(
    agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    first, second = agents
    of_first = first.begins("make")
    (top / "before.txt").write_text("by A, before B began")
    of_second = second.begins("make")
    (top / "both.txt").write_text("by A or by B")
    second.ends(of_second)
    (top / "after.txt").write_text("by A, after B ended")
    first.ends(of_first)
    done = record("session-a")
    assert committed(git) == {"before.txt", "after.txt"}
    assert [(one.path, one.sessions) for one in done.left_out] == [("both.txt", ("session-b",))]


@pytest.mark.quick
def test_what_a_person_wrote_too_is_left_out(agents: tuple[Agent, Agent], top: Path, git: Run) -> None:
    first, _ = agents
    first.shell("echo A > one.txt; echo A > two.txt")
    (top / "one.txt").write_text("a person's")
    done = record("session-a")
    assert committed(git) == {"two.txt"}
    assert done.left_out == (LeftOut("one.txt", (), (), unknown=True),)


@pytest.mark.quick
def test_what_others_staged_stays_staged_and_is_not_committed(agents: tuple[Agent, Agent], git: Run) -> None:
    first, second = agents
    second.shell(
        "echo B >> f2.txt; git add f2.txt; echo more >> f2.txt; echo B > new-b.txt; git add -N new-b.txt"
    )
    first.shell("echo A >> a.txt; git add a.txt; echo A >> a.txt; git mv f1.txt moved.txt; git rm -q f3.txt")
    record("session-a")
    assert committed(git) == {"a.txt", "f1.txt", "moved.txt", "f3.txt"}
    assert git("status", "--porcelain") == "MM f2.txt\n A new-b.txt"
    assert git("show", ":f2.txt") == "2\nB"


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_each_client_and_its_edits_are_known(client: str, top: Path, git: Run) -> None:
    first, second = Agent(top, "session-a", client), Agent(top, "session-b", "claude")
    first.prompt()
    second.prompt()
    first.shell("echo A > by-shell.txt")
    first.edit("by-edit.txt", "A")
    second.edit("other.txt", "B")
    record("session-a")
    assert committed(git) == {"by-shell.txt", "by-edit.txt"}


def test_a_patch_names_what_it_moved_and_deleted(top: Path, git: Run) -> None:
    first, second = Agent(top, "session-a", "codex"), Agent(top, "session-b")
    first.prompt()
    long = second.begins("make test")
    patch = (
        "*** Begin Patch\n*** Update File: f1.txt\n*** Move to: d/moved.txt\n@@\n-1\n+2\n*** Delete File: f2.txt\n"
        "*** Add File: new.txt\n+x\n*** End Patch\n"
    )
    first.patch(patch, "mkdir d; mv f1.txt d/moved.txt; echo 2 > d/moved.txt; rm f2.txt; echo x > new.txt")
    second.ends(long, "make test")
    record("session-a")
    assert committed(git) == {"f1.txt", "d/moved.txt", "f2.txt", "new.txt"}


def test_a_session_that_has_ended_is_no_live_one_but_its_work_is_still_not_mine(
    agents: tuple[Agent, Agent], git: Run
) -> None:
    first, second = agents
    first.shell("echo A > both.txt; echo A > only-a.txt")
    second.shell("echo B >> both.txt; echo B > only-b.txt")
    first.quits()
    done = record("session-b")
    assert committed(git) == {"only-b.txt"}
    assert done.left_out == (LeftOut("both.txt", ("session-a",), (), unknown=False),)


def test_without_a_name_the_session_of_the_newest_prompt_is_meant_or_the_one_that_runs_it(
    agents: tuple[Agent, Agent], git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = agents
    first.shell("echo A > a1.txt")
    second.shell("echo B > b1.txt")
    assert record().session == "session-b"
    assert committed(git) == {"b1.txt"}
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-a")
    assert record().session == "session-a"
    assert committed(git) == {"a1.txt"}


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_a_prompt_is_the_newest_one_also_if_nothing_changed_since_the_last_moment(
    client: str, agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    agents[0].shell("echo A > a1.txt")
    third = Agent(top, "ses_third", client)
    third.prompt('Say "session_id":"session-a"')
    with pytest.raises(DevsError) as refused:
        record()
    assert "ses_third" in refused.value.message
    agents[0].prompt()
    record()
    assert committed(git) == {"a1.txt"}


def test_the_beginning_of_an_id_is_enough_if_no_other_begins_so(
    agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    for agent in agents:
        agent.shell(f"echo {agent.session} > {agent.session}.txt")
    with pytest.raises(DevsError) as refused:
        record("session-")
    assert refused.value.code == "INVALID_ARGUMENTS"
    third = Agent(top, "0199-third")
    third.prompt()
    third.shell("echo C > c.txt")
    assert record("0199").session == "0199-third"
    assert committed(git) == {"c.txt"}


def test_files_that_were_dirty_before_another_sessions_commit_are_still_of_who_wrote_them(
    agents: tuple[Agent, Agent], git: Run
) -> None:
    first, second = agents
    second.shell("echo B > b1.txt")
    first.shell("echo A > a1.txt")
    record("session-a")
    second.shell("echo B > b2.txt")
    record("session-b")
    assert committed(git) == {"b1.txt", "b2.txt"}


def test_a_file_that_was_committed_is_of_who_writes_it_next(agents: tuple[Agent, Agent], git: Run) -> None:
    first, second = agents
    first.shell("echo A > both.txt")
    second.shell("echo B >> both.txt; git add both.txt; git commit -qm both")
    first.shell("echo A >> both.txt")
    record("session-a")
    assert committed(git) == {"both.txt"}


def test_a_refused_commit_leaves_index_and_files_as_they_were(
    agents: tuple[Agent, Agent], top: Path, git: Run
) -> None:
    first, second = agents
    first.shell("echo A > a1.txt; echo A >> a.txt")
    second.shell("echo B >> f2.txt; git add f2.txt")
    hook = top / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    before = git("status", "--porcelain"), git("ls-files", "-s"), git("rev-parse", "HEAD")
    with pytest.raises(DevsError) as refused:
        record("session-a")
    assert refused.value.code == "CONFLICT"
    assert (git("status", "--porcelain"), git("ls-files", "-s"), git("rev-parse", "HEAD")) == before
    assert list((top / ".git/devs").glob("paths.*")) == []
