"""Directives: who may write one, whose counts, and what a list says of their states."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    directive_add,
    directive_list,
    directive_withdraw,
    drop,
    history,
    resume,
    rewind,
    status,
    undo,
)
from devs_git.domain.checkpoints import task_states
from devs_git.domain.verbs import VerbRequest
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import directive_text
from devs_git.operations.directives import waiting_directives, write_directive
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.gate_scene import Key, in_force, make_key
from tests.support.refusals import refusal
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.thorough


def add(workspace: Workspace, task: str, text: str, **how: Any) -> directive_add.Result:
    return directive_add.run(workspace, directive_add.Request(task, text, **{"at_terminal": True, **how}))


def listed(workspace: Workspace, **which: Any) -> tuple[directive_list.Row, ...]:
    return directive_list.run(workspace, directive_list.Request(**which)).directives


def withdraw(workspace: Workspace, directive_id: str) -> directive_withdraw.Result:
    return directive_withdraw.run(workspace, directive_withdraw.Request(directive_id, at_terminal=True))


@pytest.fixture
def opened(tasks: Tasks) -> Workspace:
    """A repository with the completed tasks 1 and 2."""
    return tasks({"1": {"a.txt": "1\n"}, "2": {"a.txt": "2\n"}}).workspace


@pytest.mark.quick
def test_a_person_writes_a_directive_and_takes_it_back(opened: Workspace) -> None:
    done = add(opened, "2", "use X, not Y")
    (row,) = listed(opened)
    assert (row.directive_id, row.task_id, row.text, row.state) == (
        done.directive_id,
        "task-2",
        "use X, not Y",
        "written",
    )
    assert (row.written_at, row.handed_at, row.seen_at, row.withdrawn_at) == (done.written_at, "", "", "")
    assert (row.author, row.refused) == (opened.actor, "")
    gone = withdraw(opened, done.directive_id)
    (row,) = listed(opened)
    assert (row.state, row.withdrawn_at) == ("withdrawn", gone.withdrawn_at)
    again = withdraw(opened, done.directive_id)
    assert (again.event, again.withdrawn_at) == ("", gone.withdrawn_at)


@pytest.mark.quick
def test_nobody_without_a_terminal_writes_one_or_takes_one_back(
    opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refusal(partial(add, opened, "2", "x", at_terminal=False)).code == "TERMINAL_REQUIRED"
    directive_id = add(opened, "2", "x").directive_id
    request = directive_withdraw.Request(directive_id)
    assert refusal(partial(directive_withdraw.run, opened, request)).code == "TERMINAL_REQUIRED"
    monkeypatch.setenv("CLAUDECODE", "1")
    agent = Workspace.open()
    assert "CLAUDECODE" in refusal(partial(add, agent, "2", "x")).message
    assert refusal(partial(withdraw, agent, directive_id)).code == "TERMINAL_REQUIRED"
    assert len(listed(agent)) == 1


def test_a_person_at_a_real_terminal(opened: Workspace) -> None:
    status, shown = at_terminal(opened.top, "directive", "add", "2", "use X")
    assert status == 0, shown
    assert "waits for the next prompt of an agent at work on task-2" in shown
    (row,) = listed(Workspace.open())
    assert f"devs-git directive withdraw {row.directive_id}" in shown


def test_a_directive_needs_a_task_and_a_text_that_a_terminal_can_show(opened: Workspace) -> None:
    assert refusal(partial(add, opened, "9", "x")).code == "TASK_NOT_FOUND"
    for text in ("", " ", "a\x1b[2Jb", "a\u202eb", "x" * 100_001):
        assert refusal(partial(add, opened, "2", text)).details["field"] == "text"
    assert refusal(partial(add, opened, "2", "\u20ac" * 100_000)).details["field"] == "text"
    assert refusal(partial(withdraw, opened, "20010203T040506-1a2b3c4d")).code == "DIRECTIVE_NOT_FOUND"
    assert listed(opened) == ()


@pytest.mark.quick
def test_nobody_would_read_a_directive_of_a_rewound_or_dropped_task(opened: Workspace) -> None:
    top = opened.top
    operations: dict[str, VerbRequest] = {"drop": drop.Request("2"), "rewind": rewind.Request("1")}
    for operation, request in operations.items():
        router.call(operation, Workspace.open(top), request)
        refused = refusal(partial(add, Workspace.open(top), "2", "x"))
        assert (refused.code, "no agent would get" in refused.message) == ("CONFLICT", True)
        assert "devs-git undo" in refused.hint
        assert "devs-git task start task-2" in refused.hint
        router.call("undo", Workspace.open(top), undo.Request())
    assert add(Workspace.open(top), "2", "x").task_status == "completed"


def test_status_does_not_name_a_directive_of_a_dropped_task(
    opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An earlier version wrote such ones.
    monkeypatch.setattr(task_states, "require_reader", lambda *_: None)
    top = opened.top
    router.call("drop", Workspace.open(top), drop.Request("2"))
    for task in ("1", "2"):
        request = directive_add.Request(task, "x", at_terminal=True)
        router.call("directive add", Workspace.open(top), request)
    assert [one.task_id for one in status.run(Workspace.open(top), status.Request()).directives] == ["task-1"]


def test_the_directive_of_a_completed_task_stands_in_its_bundle(opened: Workspace) -> None:
    done = add(opened, "2", "use X")
    assert done.task_status == "completed"
    assert "devs-git resume task-2" in directive_text.add_text(done)
    told = router.call("resume", Workspace.open(), resume.Request("2"))
    assert [one.text for one in told.bundle.directives] == ["use X"]


def test_a_directive_that_was_interrupted_before_its_event_does_not_exist(
    opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "append", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add(opened, "2", "x")
    monkeypatch.undo()
    assert listed(opened) == ()


def test_a_list_filters_and_has_pages(opened: Workspace) -> None:
    ids = [add(opened, task, "x").directive_id for task in ("1", "2", "1")]
    withdraw(opened, ids[0])
    assert {row.directive_id for row in listed(opened, task_id="1")} == {ids[0], ids[2]}
    assert [row.directive_id for row in listed(opened, state="withdrawn")] == [ids[0]]
    first = directive_list.run(opened, directive_list.Request(limit=2))
    rest = directive_list.run(opened, directive_list.Request(limit=2, cursor=first.next_cursor))
    assert [row.directive_id for row in (*first.directives, *rest.directives)] == ids[::-1]
    assert rest.next_cursor == ""
    assert refusal(lambda: directive_list.Request(state="lost")).code == "INVALID_ARGUMENTS"


@pytest.mark.quick
def test_a_rewind_withdraws_the_directives_of_the_tasks_that_it_undoes_and_undo_restores_them(
    opened: Workspace,
) -> None:
    kept, undone = add(opened, "1", "kept"), add(opened, "2", "undone")
    waiting_directives.refresh(opened)
    plan = rewind.run(opened, rewind.Request("1", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert "directives" in plan.sqlite_tables_affected
    rewind.run(opened, rewind.Request("1"))
    states = {row.directive_id: row.state for row in listed(Workspace.open())}
    assert states == {kept.directive_id: "written", undone.directive_id: "withdrawn"}
    (row,) = listed(Workspace.open(), state="withdrawn")
    assert row.withdrawn_at > row.written_at
    undo.run(Workspace.open(), undo.Request())
    assert {row.state for row in listed(Workspace.open())} == {"written"}


def test_a_withdrawn_directive_stays_withdrawn_after_an_undo(opened: Workspace) -> None:
    gone = withdraw(opened, add(opened, "2", "x").directive_id)
    rewind.run(opened, rewind.Request("1"))
    undo.run(Workspace.open(), undo.Request())
    (row,) = listed(Workspace.open())
    assert (row.state, row.withdrawn_at) == ("withdrawn", gone.withdrawn_at)


def test_history_lists_them_as_subtype_directive_of_a_task(opened: Workspace) -> None:
    done = add(opened, "2", "use X, not Y")
    withdraw(opened, done.directive_id)
    found = history.run(opened, history.Request(types=("task",), subtypes=("directive",))).events
    assert [row.event_data["event"] for row in found] == ["directive.withdrawn", "directive.added"]
    assert {row.event_data["directive_id"] for row in found} == {done.directive_id}


@pytest.fixture
def ada(ledgered: Workspace, tmp_path: Path) -> Key:
    """Ada's key; the policy in force names her."""
    key = make_key(tmp_path, "ada")
    in_force(ledgered, approvers=[{"principal": "ada@example.org", "key": key.public}])
    return key


def test_an_approver_signs_a_directive_without_a_terminal(ada: Key, ledgered: Workspace) -> None:
    Scene(ledgered).task("1", {"a.txt": "1\n"})
    opened = Workspace.open()
    done = add(opened, "1", "use X", sign=True, key=str(ada.path), at_terminal=False)
    assert done.author == "ada@example.org"
    (row,) = listed(opened)
    assert (row.author, row.refused) == ("ada@example.org", "")


@pytest.mark.usefixtures("ada")
def test_a_key_that_the_policy_does_not_name_signs_none(ledgered: Workspace, tmp_path: Path) -> None:
    Scene(ledgered).task("1", {"a.txt": "1\n"})
    rogue = make_key(tmp_path, "rogue")
    opened = Workspace.open()
    assert refusal(partial(add, opened, "1", "x", sign=True, key=str(rogue.path))).code == "UNKNOWN_SIGNER"
    assert listed(opened) == ()


def test_a_person_is_refused_with_a_sentence(opened: Workspace) -> None:
    caught = refusal(lambda: write_directive.require_person(opened, "do it", at_terminal=False))
    assert caught.message == "Only a person at a terminal can do it, and there is no terminal here."


def test_the_list_as_json_has_the_keys_that_programs_read(
    opened: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    from devs_git.entrypoints.cli.main import cli

    add(opened, "2", "x")
    cli(["directive", "list", "--json"], standalone_mode=False)
    (row,) = json.loads(capsys.readouterr().out)["directives"]
    wanted = (
        "directive_id",
        "task_id",
        "text",
        "state",
        "written_at",
        "handed_at",
        "seen_at",
        "withdrawn_at",
    )
    assert set(wanted) <= set(row)
