"""What a fork began from stays as long as the fork is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import fork, rewind, task_start
from devs_git.domain.moments.moment import Occasion
from devs_git.storage.moments import make_moment, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.moment_scene import maker
from tests.support.old_conversations import call, completed, counts, kept, run, said, tell

pytestmark = pytest.mark.quick

OLD, NOW = "2026-01-01T12:00:00+00:00", "2026-11-23T12:00:00+00:00"


def forked(top: Path, target: str) -> None:
    call(top, "fork", fork.Request(target, "10b", conversation=False))


def test_the_moment_of_a_fork_and_its_session_stay(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", OLD)
    tell(initialised, "s", 2)
    tell(initialised, "other", 2)
    workspace = Workspace.open(initialised)
    for text in ("one", "two"):
        (initialised / "new.txt").write_text(text)
        make_moment.make(
            replace(maker(workspace), clock=workspace.clock), Occasion("prompt", session="s", client="claude")
        )
    moments = read_moments.list_moments(workspace.store_git, workspace.objects)
    call(initialised, "task start", task_start.Request("10"))
    forked(initialised, f"moment:{moments[0].id}")
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    done = run(initialised)
    assert counts(done) == {"moments": 1, "conversations": 1}
    assert kept(done) == {
        ". 2026-01-01": "task-10b needs a moment of it",
        "s": "task-10b was forked from a moment of it",
    }
    here = Workspace.open(initialised)
    assert [one.id for one in read_moments.list_moments(here.store_git, here.objects)] == [moments[0].id]
    assert (len(said(initialised, "s")), said(initialised, "other")) == (2, [])


def test_the_session_of_a_rewound_checkpoint_stays_with_the_fork_that_began_there(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", OLD)
    call(initialised, "task start", task_start.Request("9"))
    completed(initialised, "9")
    call(initialised, "task start", task_start.Request("10"))
    tell(initialised, "s", 2)
    completed(initialised, "10")
    forked(initialised, "10")
    # While the fork's branch has the checkpoint, a rewind leaves it live.
    git("worktree", "remove", "--force", "../repo-task-10b", where=initialised)
    git("branch", "-D", "task-10b", where=initialised)
    call(initialised, "rewind", rewind.Request("9"))
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    assert kept(run(initialised))["s"] == "task-10b was forked from task-10@1"


def test_the_session_of_the_message_at_which_a_fork_began_stays(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", "2025-12-31T12:00:00+00:00")
    call(initialised, "task start", task_start.Request("10"))
    monkeypatch.setenv("DEVS_GIT_CLOCK", OLD)
    tell(initialised, "s", 2, task="10")
    tell(initialised, "other", 2)
    request = fork.Request("10", "10b", at_message="s-1")
    made = call(initialised, "fork", request)
    assert made.point.session_id == "s"
    # Also if the fork is started again, because its worktree lost the note of its task.
    Workspace.open(Path(made.worktree)).places.active_task.unlink()
    call(Path(made.worktree), "task start", task_start.Request("10b"))
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    done = run(initialised)
    assert kept(done) == {"s": "task-10b was forked from it"}
    assert (len(said(initialised, "s")), said(initialised, "other")) == (2, [])


@pytest.mark.parametrize("steered", [True, False])
def test_the_session_in_which_a_task_began_stays_with_the_fork_from_there(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, *, steered: bool
) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", OLD)
    tell(initialised, "other", 2)
    tell(initialised, "s", 2)
    if steered:
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "steering")
    call(initialised, "task start", task_start.Request("10"))
    if steered:
        monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
        tell(initialised, "steering", 1)
    forked(initialised, "10@0")
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    staying = "steering" if steered else "s"
    done = run(initialised)
    assert kept(done) == {staying: "task-10b was forked from task-10@0"}
    assert (said(initialised, staying) != [], said(initialised, "other")) == (True, [])
