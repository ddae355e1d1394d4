"""What post-commit records, called as the hook calls it; no hook runs here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import task_start
from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import record_in_hook, unrecorded_commits
from devs_git.storage.git.program import GitFailed
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick
Run = Callable[..., str]


@pytest.fixture
def working(ledgered: Workspace, git: Run) -> Workspace:
    """task-10 is active, and HEAD is its first commit, which nobody recorded."""
    task_start.run(ledgered, task_start.Request("10"))
    Path("a.txt").write_text("one\n")
    git("commit", "-qam", "one")
    return Workspace.open()


def recorded(*, wanted: bool = True, amended: bool = False) -> str:
    """The name of the checkpoint that was made, '' where none was."""
    point = record_in_hook.record_head(Workspace.open(), lambda: wanted, amended=amended)
    return point.name if point else ""


def test_a_commit_of_the_active_task_is_its_next_checkpoint(working: Workspace, git: Run) -> None:
    assert recorded() == "task-10@1"
    assert git("rev-parse", "refs/devs/checkpoints/task-10/1^{commit}") == git("rev-parse", "HEAD")
    assert unrecorded_commits.read(working.places) == ()


def test_nothing_is_recorded_where_the_policy_says_so_or_no_task_is_active(working: Workspace) -> None:
    assert recorded(wanted=False) == ""
    active_task.write(working.places, "")
    assert recorded() == ""
    assert unrecorded_commits.read(working.places) == ()


@pytest.mark.usefixtures("working")
def test_an_amend_is_left_to_post_rewrite_and_a_fast_forward_to_whoever_made_it(git: Run) -> None:
    git("commit", "-q", "--amend", "-m", "two")
    assert recorded() == ""
    assert recorded(amended=True) == "task-10@1"
    git("checkout", "-qb", "side")
    git("commit", "-q", "--allow-empty", "-m", "theirs")
    git("checkout", "-q", "main")
    git("merge", "-q", "--ff-only", "side")
    assert recorded() == ""


def test_a_task_that_is_over_is_no_longer_active_and_the_commit_is_not_noted(working: Workspace) -> None:
    over = working.event(
        "task.dropped", "drop: task-10", ("Devs-Status", "task-10 dropped"), verb_name="drop"
    )
    working.append(lambda _tip: Draft(over))
    with pytest.raises(DevsError) as caught:
        recorded()
    assert caught.value.code in record_in_hook.ENDED
    assert (active_task.read(working.places), unrecorded_commits.read(working.places)) == ("", ())


def test_what_could_not_be_recorded_stays_noted(working: Workspace, git: Run) -> None:
    git("update-ref", "refs/devs/checkpoints/task-10", "HEAD")  # in the way of every number's ref
    with pytest.raises(GitFailed):
        recorded()
    assert unrecorded_commits.read(working.places) == (f"{git('rev-parse', 'HEAD')} task-10",)
    git("update-ref", "-d", "refs/devs/checkpoints/task-10")
    assert recorded() == "task-10@1"
