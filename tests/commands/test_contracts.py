"""Contracts: who steers them, in which phase they are, and what their tasks say of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import contract_show, contract_start, phase_set, rewind, task_start, task_status
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.web_client import serve

pytestmark = pytest.mark.thorough
Run = Callable[..., str]


def start(workspace: Workspace, task: str, **more: str) -> task_start.Result:
    return task_start.run(workspace, task_start.Request(task, **more))


def steer(workspace: Workspace, name: str, session: str = "") -> contract_start.Result:
    return contract_start.run(workspace, contract_start.Request(name, session))


def set_phase(workspace: Workspace, phase: str, **more: str) -> phase_set.Result:
    return phase_set.run(workspace, phase_set.Request(phase, **more))


def phase_of(workspace: Workspace, task: str) -> str:
    return task_status.run(workspace, task_status.Request(task)).phase


@pytest.mark.quick
def test_a_task_without_a_phase_has_its_contracts_else_none(ledgered: Workspace) -> None:
    steer(ledgered, "feature/dates", "s1")
    assert start(ledgered, "1", contract="feature/dates").phase == ""
    assert phase_of(ledgered, "1") == ""
    changed = set_phase(ledgered, "plan")
    assert (changed.contract, changed.before, changed.phase) == ("feature/dates", "", "plan")
    assert phase_of(ledgered, "1") == "plan"
    alone = set_phase(ledgered, "review", task_id="1")
    assert (alone.contract, alone.task_id, alone.before) == ("", "task-1", "plan")
    assert set_phase(ledgered, "execute", contract="feature/dates").keep_own == ("task-1",)
    assert phase_of(ledgered, "1") == "review"


def test_a_task_that_starts_later_has_the_phase_of_its_contract(ledgered: Workspace) -> None:
    steer(ledgered, "c")
    set_phase(ledgered, "specify", contract="c")
    assert start(ledgered, "1", contract="c").phase == "specify"


def test_commits_name_the_phase_in_which_they_were_made(ledgered: Workspace, git: Run, repo: Path) -> None:
    start(ledgered, "1")
    lines = ledgered.places.active_task.read_text()
    assert "Devs-Phase" not in lines
    set_phase(ledgered, "plan")
    assert ledgered.places.active_task.read_text() == lines + "Devs-Phase: plan\n"
    git("worktree", "add", "-q", "-b", "other", str(repo.parent / "other"))
    other = Workspace.open(repo.parent / "other")
    start(other, "2", contract="main")
    set_phase(ledgered, "execute")
    assert other.places.active_task.read_text().endswith("Devs-Phase: execute\n")


def test_without_a_task_the_branch_is_the_contract(ledgered: Workspace, git: Run) -> None:
    assert set_phase(ledgered, "plan").contract == "main"
    git("checkout", "-q", "--detach")
    with pytest.raises(DevsError) as refused:
        set_phase(Workspace.open(ledgered.top), "plan")
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "contract")


def test_the_newest_start_of_a_contract_says_who_steers_it_and_keeps_its_phase(ledgered: Workspace) -> None:
    steer(ledgered, "c", "s1")
    set_phase(ledgered, "plan", contract="c")
    assert steer(ledgered, "c", "s2").phase == "plan"
    shown = contract_show.run(ledgered, contract_show.Request("c"))
    assert shown.supervisor == contract_show.Supervisor("", "s2")
    assert (shown.phase, shown.state, shown.messages) == ("plan", "ended", ())


def test_the_session_that_runs_the_command_steers_and_spawns(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s9")
    assert steer(ledgered, "c").supervisor == contract_start.Supervisor("claude", "s9")
    assert start(ledgered, "1", contract="c").spawned_by == "claude s9"
    assert contract_show.run(ledgered, contract_show.Request("c")).state == "ended"


def test_a_task_names_its_parent_and_the_contract_lists_both(
    ledgered: Workspace, repo: Path, git: Run
) -> None:
    start(ledgered, "1", title="Dates", contract="c")
    git("worktree", "add", "-q", "-b", "other", str(repo.parent / "other"))
    part = start(Workspace.open(repo.parent / "other"), "2", contract="c", parent="1", spawned_by="s1")
    assert (part.parent, part.spawned_by) == ("task-1", "- s1")
    told = task_status.run(ledgered, task_status.Request("2"))
    assert (told.parent, told.spawned_by) == ("task-1", "- s1")
    shown = contract_show.run(ledgered, contract_show.Request("c", limit=1))
    assert ([task.task_id for task in shown.spawned_tasks], shown.task_count) == (["task-2"], 2)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"parent": "7"}, "TASK_NOT_FOUND"),
        ({"parent": "1"}, "INVALID_ARGUMENTS"),
        ({"spawned_by": "a b"}, "INVALID_ARGUMENTS"),
        ({"phase": "sleep"}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_start_that_names_what_is_not_there_is_refused(
    ledgered: Workspace, asked: dict[str, str], code: str
) -> None:
    with pytest.raises(DevsError) as refused:
        start(ledgered, "1", **asked)
    assert refused.value.code == code


def test_a_contract_that_nobody_named_is_not_found(ledgered: Workspace) -> None:
    for call in (
        lambda: contract_show.run(ledgered, contract_show.Request("nope")),
        lambda: set_phase(ledgered, "plan", contract="nope"),
    ):
        with pytest.raises(DevsError) as refused:
            call()
        assert refused.value.code == "CONTRACT_NOT_FOUND"


@pytest.mark.quick
def test_a_contract_with_a_slash_works_in_every_door(ledgered: Workspace) -> None:
    steer(ledgered, "feature/dates")
    start(ledgered, "1", contract="feature/dates")
    by_tool = calling.call("show_contract", {"contract": "feature/dates"}, ledgered.top).value
    assert by_tool["spawned_tasks"][0]["task_id"] == "task-1"
    with serve(ledgered.top) as web:
        for name in ("feature%2Fdates", "feature/dates"):
            told = web.get(f"/api/v1/contracts/{name}/supervisor/conversation")
            assert (told.status, told.value) == (200, by_tool)
            events = web.get(f"/api/v1/contracts/{name}/history")
            assert (events.status, events.value["events"][-1]["contract"]) == (200, "feature/dates")


def test_contracts_stay_after_a_rewind(tasks: Tasks) -> None:
    """Then each clone has a view of its own of the checkpoints."""
    scene = tasks({"10": {"a": "1\n"}, "11": {"a": "2\n"}})
    steer(Workspace.open(scene.top), "release")
    rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    shown = contract_show.run(Workspace.open(scene.top), contract_show.Request("release"))
    assert (shown.contract, shown.started_at != "") == ("release", True)
