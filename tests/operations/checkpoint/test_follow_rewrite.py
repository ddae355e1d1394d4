"""Checkpoints follow the commits that git wrote anew, as post-rewrite tells them; no hook runs here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_complete, task_start
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import follow_rewrite
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick
Run = Callable[..., str]


@pytest.fixture
def working(ledgered: Workspace) -> Workspace:
    """task-10 with one numbered checkpoint; its commit is HEAD."""
    task_start.run(ledgered, task_start.Request("10"))
    Path("a.txt").write_text("one\n")
    checkpoint.run(ledgered, checkpoint.Request("one", everything=True))
    return Workspace.open()


def amended(git: Run) -> tuple[str, str]:
    """HEAD before and after an amend."""
    old = git("rev-parse", "HEAD")
    git("commit", "-q", "--amend", "-m", "another")
    return old, git("rev-parse", "HEAD")


def points(workspace: Workspace) -> list[tuple[str, str, str]]:
    history = Workspace.open(workspace.top).ledger.tip().history
    return [(point.name, point.status, point.commit) for point in history.checkpoints.values()]


def test_an_amended_commit_takes_its_checkpoint_along_under_the_next_number(
    working: Workspace, git: Run
) -> None:
    old, new = amended(git)
    event = follow_rewrite.follow_rewritten_commits(working, {old: new}, "amend")
    assert event is not None
    assert (event.subject, event.get("Devs-Next")) == ("amend: 1 checkpoint moved", "task-10 3")
    assert points(working) == [("task-10@1", "replaced", old), ("task-10@2", "active", new)]
    assert git("rev-parse", "refs/devs/checkpoints/task-10/2^{commit}") == new
    assert git("rev-parse", "refs/devs/checkpoints/task-10/1^{commit}") == old  # stays reachable


def test_a_completion_takes_its_visible_tag_along_but_not_one_of_somebody_else(
    working: Workspace, git: Run
) -> None:
    task_complete.run(working, task_complete.Request(message="done"))
    follow_rewrite.follow_rewritten_commits(working, dict([amended(git)]), "amend")
    assert git("rev-parse", "devs/task-10^{commit}") == git("rev-parse", "HEAD")
    git("tag", "-f", "devs/task-10", "HEAD~1")
    follow_rewrite.follow_rewritten_commits(Workspace.open(), dict([amended(git)]), "amend")
    assert git("rev-parse", "devs/task-10") == git("rev-parse", "HEAD~1")


def test_where_no_checkpoint_stood_or_another_branch_keeps_the_commit_nothing_follows(
    working: Workspace, git: Run
) -> None:
    tip = working.ledger.tip().oid
    assert (
        follow_rewrite.follow_rewritten_commits(working, {git("rev-parse", "HEAD~1"): "0" * 40}, "amend")
        is None
    )
    git("checkout", "-qb", "other")
    assert follow_rewrite.follow_rewritten_commits(working, dict([amended(git)]), "amend") is None
    assert Workspace.open().ledger.tip().oid == tip


def test_a_commit_that_is_still_in_the_history_was_not_rewritten(working: Workspace, git: Run) -> None:
    """`git rebase -i` with `edit` and a new commit on top tells the stopped commit as one that became the new one."""
    old = git("rev-parse", "HEAD")
    git("commit", "-q", "--allow-empty", "-m", "inserted")
    assert follow_rewrite.follow_rewritten_commits(working, {old: git("rev-parse", "HEAD")}, "rebase") is None
    assert points(working) == [("task-10@1", "active", old)]


def test_a_number_that_somebody_took_beside_the_ledger_is_passed_over(working: Workspace, git: Run) -> None:
    git("update-ref", "refs/devs/checkpoints/task-10/2", "HEAD")
    old, new = amended(git)
    assert follow_rewrite.follow_rewritten_commits(working, {old: new}, "amend")
    assert points(working)[-1] == ("task-10@3", "active", new)


def test_refs_that_others_go_on_moving_are_busy_and_not_forced(
    working: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = amended(git)
    write = type(working.objects).write

    def race(objects: object, kind: str, data: bytes) -> str:
        """Each number is taken by somebody at the moment when its tag was made."""
        oid = write(objects, kind, data)  # type: ignore[arg-type]
        if kind == "tag":
            number = data.partition(b"task-10@")[2].partition(b"\n")[0].decode()
            git("update-ref", f"refs/devs/checkpoints/task-10/{number}", "HEAD")
        return oid

    monkeypatch.setattr(type(working.objects), "write", race)
    with pytest.raises(DevsError) as caught:
        follow_rewrite.follow_rewritten_commits(working, {old: new}, "amend")
    assert caught.value.code == "BUSY"
    assert points(working) == [("task-10@1", "active", old)]
