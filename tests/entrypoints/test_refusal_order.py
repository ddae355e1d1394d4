"""The order of refusals while a gate is open: arguments, not found, the gate, and last the state.

A dry run is never refused for the gate or the state: its `blocked_by` has what would refuse the real command.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    branch,
    checkpoint,
    init,
    purge,
    restore,
    rewind,
    snapshot_create,
    snapshot_open,
    snapshot_prune,
    task_complete,
    task_result,
    task_start,
    trace_prune,
    undo,
)
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support import gate_scene

Git = Callable[..., str]


@pytest.fixture
def top(initialised: Path, moulded: Moulded) -> Path:
    """task-1 completed, task-2 rewound (so it has no live completion), task-3 active with two checkpoints."""

    def make() -> None:
        for task in ("1", "2"):
            call("task start", task_start.Request(task))
            (initialised / f"{task}.txt").write_text(task)
            call("task complete", task_complete.Request(task, "done", everything=True))
        call("rewind", rewind.Request("1"))
        call("task start", task_start.Request("3"))
        for text in ("one", "two"):
            (initialised / "3.txt").write_text(text)
            call("checkpoint", checkpoint.Request(text, everything=True))

    return moulded("refusal order", make)


def call(name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(), request)


def code(name: str, request: Any) -> str:
    with pytest.raises(DevsError) as error:
        call(name, request)
    return error.value.code


NOT_FOUND: list[tuple[str, Any, str]] = [
    ("rewind", rewind.Request("9"), "TASK_NOT_FOUND"),
    ("rewind", rewind.Request("1@9"), "CHECKPOINT_NOT_FOUND"),
    ("restore", restore.Request("9"), "TASK_NOT_FOUND"),
    ("restore", restore.Request("snapshot/none"), "SNAPSHOT_NOT_FOUND"),
    ("branch", branch.Request("1@9", "x"), "CHECKPOINT_NOT_FOUND"),
    ("task complete", task_complete.Request("9"), "TASK_NOT_FOUND"),
    ("task result", task_result.Request("9", "x"), "TASK_NOT_FOUND"),
    ("snapshot open", snapshot_open.Request("none"), "SNAPSHOT_NOT_FOUND"),
]
STATE: list[tuple[str, Any, str]] = [
    ("rewind", rewind.Request("2"), "NO_CHECKPOINT"),
    ("restore", restore.Request("2"), "NO_CHECKPOINT"),
    ("branch", branch.Request("2", "x"), "NO_CHECKPOINT"),
    ("branch", branch.Request("1", "main"), "INVALID_BRANCH"),
    ("task start", task_start.Request("1"), "TASK_EXISTS"),
    ("task complete", task_complete.Request("2"), "CONFLICT"),
    ("undo", undo.Request("20010203T040506-1a2b3c4d"), "NOTHING_TO_UNDO"),
]


@pytest.mark.quick
def test_while_a_gate_is_open_what_is_not_found_comes_first_and_the_state_after_it(top: Path) -> None:
    for name, request, said in (*NOT_FOUND, *STATE):
        assert code(name, request) == said, (name, request)
    gate_scene.ask(Workspace.open(top), kind="MANUAL")
    for name, request, said in NOT_FOUND:
        assert code(name, request) == said, (name, request)
    for name, request, _ in STATE:
        assert code(name, request) == "GATE_BLOCKED", (name, request)


@pytest.mark.quick
def test_with_no_task_active_there_is_none_to_complete_or_record_gate_or_no_gate(initialised: Path) -> None:
    gate_scene.ask(Workspace.open(initialised), kind="MANUAL")
    assert code("checkpoint", checkpoint.Request()) == "TASK_NOT_FOUND"
    assert code("task complete", task_complete.Request()) == "TASK_NOT_FOUND"


DRY: list[tuple[str, Any]] = [
    ("rewind", rewind.Request("1", dry_run=True)),
    ("undo", undo.Request(preserve="branch", dry_run=True)),
    ("snapshot prune", snapshot_prune.Request("0d", dry_run=True)),
    ("trace prune", trace_prune.Request("0d", dry_run=True)),
    ("purge", purge.Request(text="never was said", dry_run=True)),
]


@pytest.mark.quick
def test_a_dry_run_answers_while_a_gate_is_open_and_names_it(top: Path) -> None:
    for name, request in DRY:
        assert call(name, request).blocked_by == (), name
    gate = gate_scene.ask(Workspace.open(top), kind="MANUAL")
    for name, request in DRY:
        blocked = call(name, request).blocked_by
        assert [(one["code"], one["gate_id"]) for one in blocked] == [("GATE_BLOCKED", gate)], name


def _cli(*words: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "devs_git", *words, "--json"]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.thorough
def test_a_dry_run_exits_1_where_anything_would_stop_the_real_one(top: Path) -> None:
    assert _cli("rewind", "1", "--dry-run")[0] == 0
    (top / "3.txt").write_text("edited")
    status, said = _cli("rewind", "1", "--dry-run")
    assert (status, [one["reason"] for one in said["blocked_by"]]) == (1, ["dirty"])
    assert _cli("rewind", "1", "--dry-run", "--preserve", "stash")[0] == 0
    gate_scene.ask(Workspace.open(top), kind="MANUAL")
    assert _cli("rewind", "1", "--dry-run", "--preserve", "stash")[0] == 1
    assert _cli("undo", "--dry-run", "--preserve", "stash")[0] == 1
    assert _cli("snapshot", "prune", "--older-than", "0d", "--dry-run")[0] == 1
    assert _cli("trace", "prune", "--older-than", "0d", "--dry-run")[0] == 1


def test_a_person_reads_what_blocks_a_dry_run(top: Path) -> None:
    gate = gate_scene.ask(Workspace.open(top), kind="MANUAL")
    for words in ("rewind 1", "undo", "snapshot prune --older-than 0d", "trace prune --older-than 0d"):
        command = [sys.executable, "-m", "devs_git", *words.split(), "--dry-run"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "BLOCKED" in done.stdout, words
        assert f"devs-git gate show {gate}" in done.stdout, words


def test_a_dry_run_of_an_override_says_that_a_person_has_to_do_it(top: Path) -> None:
    gate_scene.ask(Workspace.open(top), kind="MANUAL")
    plan = call("rewind", rewind.Request("1", dry_run=True, override_reason="x"))
    assert [one["code"] for one in plan.blocked_by] == ["TERMINAL_REQUIRED"]


def test_a_dry_run_tells_a_plan_that_is_stale_and_a_branch_name_that_is_taken(top: Path) -> None:
    plan = call("rewind", rewind.Request("1", dry_run=True))
    assert call("rewind", rewind.Request(plan_id=plan.plan_id, dry_run=True)).blocked_by == ()
    (top / "3.txt").write_text("edited")
    subprocess.run(["git", "commit", "-qam", "more"], cwd=top, check=True)
    again = call("rewind", rewind.Request(plan_id=plan.plan_id, dry_run=True))
    assert [one["code"] for one in again.blocked_by] == ["PLAN_STALE"]
    taken = call("rewind", rewind.Request("1", branch_name="main", dry_run=True))
    assert [one["code"] for one in taken.blocked_by] == ["INVALID_BRANCH"]
    call("rewind", rewind.Request("1", preserve="discard"))
    taken = call("undo", undo.Request(branch_name="main", dry_run=True))
    assert [one["code"] for one in taken.blocked_by] == ["INVALID_BRANCH"]


def test_a_dry_run_tells_that_there_is_more_to_save_than_the_policy_allows(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devs_git.operations.rewind.return_to_state.ROOM_UNASKED", 0)
    gate_scene.in_force(Workspace.open(top), backup_limit="1KiB")
    (top / "3.txt").write_text("x" * 2000)
    plan = call("rewind", rewind.Request("1", preserve="stash", dry_run=True))
    assert [one.get("reason") for one in plan.blocked_by] == ["too_large"]


@pytest.mark.usefixtures("top")
def test_an_undo_that_would_bring_back_an_id_which_is_in_use_answers_a_dry_run() -> None:
    operation = call("undo", undo.Request(dry_run=True)).undone_operation
    call("task complete", task_complete.Request("3", "done", everything=True))
    call("task start", task_start.Request("2"))
    look = call("undo", undo.Request(preserve="branch", dry_run=True))
    assert [one.get("reason", one["code"]) for one in look.blocked_by] == ["TASK_EXISTS", "later_tasks"]
    assert look.undone_operation == operation
    assert code("undo", undo.Request(preserve="branch")) == "TASK_EXISTS"


@pytest.mark.quick
@pytest.mark.parametrize("strict", [False, True])
def test_a_snapshot_is_made_while_a_gate_is_open_and_moves_nothing(
    initialised: Path, git: Git, strict: bool
) -> None:
    if strict:
        call("init", init.Request(strict=True))
    gate = gate_scene.ask(Workspace.open(initialised), kind="MANUAL")
    (initialised / "new.txt").write_text("new\n")
    before = git("for-each-ref", "refs/heads/main", "refs/tags"), git("status", "--porcelain")
    made = call("snapshot create", snapshot_create.Request())
    assert git("show", f"{made.branch}:new.txt") == "new"
    assert (git("for-each-ref", "refs/heads/main", "refs/tags"), git("status", "--porcelain")) == before
    assert Workspace.open(initialised).ledger.open_gates() == (gate,)
    if strict:  # by hand nobody does
        words = ["git", "commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}"]
        mine = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        words = ["git", "update-ref", "refs/heads/snapshot/mine", mine]
        assert b"GATE_BLOCKED" in subprocess.run(words, capture_output=True, check=False).stderr
