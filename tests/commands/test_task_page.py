"""`show task-10` also shows the page of the task: everything that belongs to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import (
    checkpoint,
    contract_start,
    phase_set,
    show,
    task_complete,
    task_result,
    task_start,
    trace_put,
)
from devs_git.domain.checkpoints.rows import ChildTask, TaskPage
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import log_text
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.timeline_scene import say

pytestmark = pytest.mark.thorough


def page(workspace: Workspace, target: str = "task-1") -> TaskPage:
    found = show.run(workspace, show.Request(target))
    assert isinstance(found, show.Result)
    assert found.task is not None
    return found.task


@pytest.fixture
def worked(ledgered: Workspace, repo: Path) -> Workspace:
    """A completed task with two checkpoints, a phase of its contract and then one of its own, and all that belongs to it."""
    contract_start.run(ledgered, contract_start.Request("c", "s1"))
    phase_set.run(ledgered, phase_set.Request("plan", contract="c"))
    begun = task_start.Request("1", title="Dates", plan="Read, then write.", contract="c", spawned_by="s1")
    task_start.run(ledgered, begun)
    (repo / "new.txt").write_text("1\n2\n")
    checkpoint.run(ledgered, checkpoint.Request("half", everything=True))
    phase_set.run(ledgered, phase_set.Request("review", task_id="1"))
    trace_put.run(ledgered, trace_put.Request(b"It works.", task_id="task-1", tool_name="Bash"))
    say(ledgered, "s1", 3)
    task_result.run(ledgered, task_result.Request("1", "Dates are read."))
    task_complete.run(ledgered, task_complete.Request("1", "done"))
    return ledgered


@pytest.mark.quick
@pytest.mark.usefixtures("worked")
def test_a_result_of_a_new_task_is_recorded_without_the_whole_ledger(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Ledger, "history_at", lambda _self, oid: pytest.fail(f"all events of {oid} were read")
    )
    task_result.run(Workspace.open(repo), task_result.Request("1", "Dates are written, too."))
    record = task_files.newest(Workspace.open(repo).ledger.tip(), "task-1")
    assert (record["result"], record["phase"]) == ("Dates are written, too.", "review")


@pytest.mark.quick
def test_the_page_of_a_task_has_everything_that_belongs_to_it(worked: Workspace) -> None:
    child = task_start.Request("2", title="More", parent="1")
    task_start.run(worked, child)
    gate = ask(worked, task_id="task-1", kind="MANUAL")
    found = page(worked)
    assert (found.title, found.status, found.plan) == ("Dates", "completed", "Read, then write.")
    assert (found.contract, found.phase, found.spawned_by) == ("c", "review", "- s1")
    assert [one.phase for one in found.phases] == ["plan", "review"]
    assert [(one.name, one.status) for one in found.checkpoints] == [
        ("task-1@2", "completed"),
        ("task-1@1", "completed"),
    ]
    assert (found.checkpoints[1].files_changed, found.checkpoints[1].lines_added) == (1, 2)
    assert [(one.tool_name, one.size) for one in found.traces] == [("Bash", 9)]
    assert ([one.content for one in found.messages], found.message_count) == (
        ["Say 0.", "Say 1.", "Say 2."],
        3,
    )
    assert [(one.gate_id, one.status) for one in found.gates] == [(gate, "PENDING_APPROVAL")]
    assert found.children == (ChildTask("task-2", "More", "active"),)
    assert found.result == "Dates are read."


def test_a_numbered_checkpoint_has_the_keys_that_it_had_and_no_page(worked: Workspace) -> None:
    numbered = router.call("show", worked, show.Request("task-1@1"))
    assert isinstance(numbered, show.Result)
    assert numbered.task is None


def test_people_read_the_page_below_the_checkpoint(worked: Workspace) -> None:
    text = log_text.show_text(show.run(worked, show.Request("task-1")))
    for words in (
        "phases      plan since",
        "Checkpoints (2):",
        "Outputs of tools (1):",
        "Messages (3):",
        "result",
    ):
        assert words in text


def test_only_the_completion_is_shown_as_completed(worked: Workspace) -> None:
    shown = log_text.show_text(show.run(worked, show.Request("task-1")))
    states = [
        line.split()[:2] for line in shown.splitlines() if line.startswith("task-1@") and "Dates" not in line
    ]
    assert states == [["task-1@2", "completed"], ["task-1@1", "recorded"]], shown


def test_a_damaged_catalog_does_not_stop_the_page(worked: Workspace) -> None:
    (worked.places.shared / "catalog.db").write_bytes(b"no database" * 1000)
    found = page(Workspace.open(worked.top))
    assert (found.title, found.checkpoint_count, found.trace_count) == ("Dates", 2, 0)
