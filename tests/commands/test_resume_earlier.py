"""`resume` from an earlier state: where the code goes, which session goes on, and the whole bundle of each mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkpoint, phase_set, resume, task_complete, task_start, undo
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.resumable_contract import (
    NOTHING,
    SESSION,
    begin,
    commit_of,
    contract_of,
    expected,
    numbers,
    point,
    said,
    since,
    task,
    whole,
)
from tests.support.turn_scene import Turns

pytestmark = pytest.mark.quick


@pytest.fixture
def turns(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Turns:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return begin(initialised, tmp_path)


def go_on(turns: Turns, target: str = "1", seconds: float = 20, **options: Any) -> resume.Result:
    found = router.call("resume", turns.now(seconds), resume.Request(target, **options))
    assert isinstance(found, resume.Result)
    return found


def test_the_whole_bundle_of_with_context_and_of_continue(turns: Turns) -> None:
    assert whole(go_on(turns)) == expected(turns, "with_context")
    assert whole(go_on(turns, mode="continue")) == expected(turns, "continue")
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt", "two.txt"]


def test_a_clean_restart_brings_the_code_to_where_the_task_began_and_tells_no_conversation(
    turns: Turns,
) -> None:
    found = go_on(turns, mode="clean_restart", context="Again.")
    assert found.rewind
    assert (found.rewind.rewound_to, found.fork, found.session) == ("task-1@0", None, None)
    assert numbers(turns.workspace.top) == ["left.txt"]
    (told,) = Workspace.open(turns.workspace.top).ledger.tip().here.operations
    assert whole(found) == expected(
        turns,
        "clean_restart",
        code={"commit": commit_of(turns, 0), "branch": "main", "worktree": ".", "dirty": True},
        changes=since("the start of task-1"),
        conversation=[],
        checkpoints=[],
        context="Again.",
        rewound=[
            {
                "operation": found.rewind.rewind_id,
                "kind": "rewind",
                "target": "task-1@0",
                "author": told.actor,
                "reason": "",
                "created_at": turns.at(20),
                "undone": False,
            }
        ],
    )
    assert found.start_command == ("claude", found.markdown)
    assert found.rewind.now_active == "task-1"


def test_a_clean_restart_of_a_completed_task_makes_it_active_again(turns: Turns) -> None:
    task_complete.run(turns.now(11), task_complete.Request("1", "done", everything=True))
    found = go_on(turns, mode="clean_restart")
    assert found.rewind
    assert found.rewind.now_active == "task-1"
    assert found.bundle.task
    assert found.bundle.task.status == "active"
    assert numbers(turns.workspace.top) == []


def test_undo_takes_a_clean_restart_back(turns: Turns) -> None:
    go_on(turns, mode="clean_restart")
    router.call("undo", turns.now(30), undo.Request())
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt", "two.txt"]
    assert whole(go_on(turns, "1@2"))["point"] == "task-1@2"


def test_a_clean_restart_by_fork_leaves_the_worktree_as_it_is(turns: Turns) -> None:
    found = go_on(turns, mode="clean_restart", fork=True, name="1b", plan="Otherwise.")
    assert found.fork
    assert (found.rewind, found.task_id, found.fork.forked_from) == (None, "task-1b", "task-1@0")
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt", "two.txt"]
    assert numbers(Path(found.fork.worktree)) == []
    assert whole(found) == expected(
        turns,
        "clean_restart",
        task=task(turns, "task-1b", plan="Otherwise."),
        code={
            "commit": commit_of(turns, 0),
            "branch": "task-1b",
            "worktree": f"../{Path(found.fork.worktree).name}",
            "dirty": False,
        },
        changes={"since": "task-1@0", **NOTHING},
        conversation=[],
        checkpoints=[],
        point="task-1@0",
    )
    assert found.fork.session is None


def test_from_a_checkpoint_a_task_goes_on_as_a_new_one_in_a_session_that_is_cut_there(turns: Turns) -> None:
    found = go_on(turns, mode="from_checkpoint", checkpoint="1", name="1b", plan="Otherwise.", context="Go.")
    assert found.fork
    assert found.session
    assert (found.rewind, found.task_id, found.fork.forked_from) == (None, "task-1b", "task-1@1")
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt", "two.txt"]
    assert numbers(Path(found.fork.worktree)) == ["one.txt"]
    text = Path(found.session.file).read_text()
    assert "One is done." in text
    assert "Two" not in text
    assert found.start_command == ("claude", "--resume", found.session.session_id, "Otherwise.\n\nGo.")
    assert whole(found) == expected(
        turns,
        "from_checkpoint",
        task=task(turns, "task-1b", plan="Otherwise."),
        code={
            "commit": commit_of(turns, 1),
            "branch": "task-1b",
            "worktree": f"../{Path(found.fork.worktree).name}",
            "dirty": False,
        },
        changes={"since": "task-1@1", **NOTHING},
        conversation=[said(turns, 0), said(turns, 1)],
        checkpoints=[point(turns, 1)],
        point="task-1@1",
        context="Go.",
    )


def test_a_phase_begins_again_at_its_first_checkpoint(turns: Turns) -> None:
    found = go_on(turns, "c", mode="restart_phase")
    assert found.rewind
    assert (found.contract, found.rewind.rewound_to, found.session) == ("c", "task-1@1", None)
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt"]
    assert whole(found) == expected(
        turns,
        "restart_phase",
        task=None,
        contract=contract_of(turns),
        code={"commit": commit_of(turns, 1), "branch": "main", "worktree": ".", "dirty": True},
        changes=since("task-1@1"),
        conversation=[said(turns, 0), said(turns, 1)],
        checkpoints=[point(turns, 1)],
        point="task-1@1",
    )
    assert found.start_command == ("claude", found.markdown)


def test_checkpoints_of_an_earlier_phase_do_not_count(turns: Turns) -> None:
    phase_set.run(turns.now(9.5), phase_set.Request("review", contract="c"))
    with pytest.raises(DevsError) as caught:
        go_on(turns, "c", mode="restart_phase")
    assert caught.value.code == "CHECKPOINT_NOT_FOUND"
    turns.edit("three.txt", "3\n")
    checkpoint.run(turns.now(10), checkpoint.Request("three", everything=True))
    found = go_on(turns, "c", mode="restart_phase", fork=True, name="again")
    assert found.fork
    assert (found.contract, found.task_id, found.fork.forked_from) == ("c", None, "task-1@3")


@pytest.mark.parametrize("fork", [False, True])
def test_from_a_checkpoint_the_session_of_the_supervisor_goes_on_that_is_cut_there(
    turns: Turns, *, fork: bool
) -> None:
    source = turns.folder / f"{SESSION}.jsonl"
    before = source.read_bytes()
    more: dict[str, Any] = {"fork": True, "name": "again"} if fork else {}
    found = go_on(turns, "c", mode="from_checkpoint", checkpoint="task-1@1", **more)
    assert found.session
    assert (found.contract, bool(found.rewind), bool(found.fork)) == ("c", not fork, fork)
    text = Path(found.session.file).read_text()
    assert "One is done." in text
    assert "Two" not in text
    top = Path(found.fork.worktree) if found.fork else turns.workspace.top
    assert {json.loads(line).get("cwd", str(top)) for line in text.splitlines()} == {str(top)}
    assert numbers(top) == (["one.txt"] if fork else ["left.txt", "one.txt"])
    assert found.start_command == ("claude", "--resume", found.session.session_id)
    assert source.read_bytes() == before
    if not fork:
        assert whole(found) == expected(
            turns,
            "from_checkpoint",
            task=None,
            contract=contract_of(turns),
            code={"commit": commit_of(turns, 1), "branch": "main", "worktree": ".", "dirty": True},
            changes=since("task-1@1"),
            conversation=[said(turns, 0), said(turns, 1)],
            checkpoints=[point(turns, 1)],
            point="task-1@1",
        )


def test_a_refused_rewind_writes_no_session_and_moves_nothing(turns: Turns) -> None:
    turns.edit("one.txt", "changed\n")
    with pytest.raises(DevsError) as caught:
        go_on(turns, "c", mode="from_checkpoint", checkpoint="task-1@1")
    assert caught.value.code == "GIT_RESET_FAILED"
    assert list(Path(turns.folder / "claude").rglob("*.jsonl")) == []
    assert (turns.workspace.top / "one.txt").read_text() == "changed\n"
    found = go_on(turns, "c", mode="from_checkpoint", checkpoint="task-1@1", preserve="branch")
    assert found.rewind
    assert found.rewind.preserved_as["type"] == "branch"


def test_a_fork_with_a_taken_name_writes_no_session(turns: Turns) -> None:
    with pytest.raises(DevsError) as caught:
        go_on(turns, "c", mode="from_checkpoint", checkpoint="task-1@1", fork=True, name="1")
    assert caught.value.code == "TASK_EXISTS"
    assert list(Path(turns.folder / "claude").rglob("*.jsonl")) == []


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("1", {"mode": "clean_restart"}),
        ("1", {"mode": "clean_restart", "fork": True, "name": "1b"}),
        ("1", {"mode": "from_checkpoint", "checkpoint": "1", "name": "1b", "plan": "x"}),
        ("c", {"mode": "restart_phase"}),
        ("c", {"mode": "from_checkpoint", "checkpoint": "task-1@1"}),
    ],
)
def test_a_mode_that_moves_code_waits_while_a_gate_is_open(
    turns: Turns, target: str, options: dict[str, Any]
) -> None:
    ask(turns.workspace, task_id="task-1", kind="MANUAL")
    with pytest.raises(DevsError) as caught:
        go_on(turns, target, **options)
    assert caught.value.code == "GATE_BLOCKED"
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt", "two.txt"]
    assert list(Path(turns.folder / "claude").rglob("*.jsonl")) == []
    assert go_on(turns).bundle.task


@pytest.mark.parametrize(
    ("target", "options", "field"),
    [
        ("1", {"mode": "restart_phase"}, "mode"),
        ("c", {"mode": "clean_restart"}, "mode"),
        ("1", {"mode": "from_checkpoint", "name": "1b", "plan": "x"}, "checkpoint"),
        ("c", {"mode": "from_checkpoint", "checkpoint": "1"}, "checkpoint"),
        ("1", {"mode": "from_checkpoint", "checkpoint": "1", "plan": "x"}, "name"),
        ("1", {"mode": "from_checkpoint", "checkpoint": "1", "name": "1b"}, "plan"),
        ("1", {"mode": "clean_restart", "name": "1b"}, "name"),
        ("1", {"mode": "clean_restart", "fork": True}, "name"),
        ("1", {"mode": "clean_restart", "fork": True, "name": "1b", "preserve": "branch"}, "preserve"),
        ("1", {"mode": "clean_restart", "checkpoint": "1"}, "checkpoint"),
        ("1", {"fork": True, "name": "1b"}, "name"),
        ("1", {"mode": "continue", "preserve": "branch"}, "preserve"),
    ],
)
def test_options_that_do_not_belong_to_the_mode_are_refused(
    turns: Turns, target: str, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(DevsError) as caught:
        go_on(turns, target, **options)
    assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", field)
    assert numbers(turns.workspace.top) == ["left.txt", "one.txt", "two.txt"]


def test_a_checkpoint_of_another_task_is_refused(turns: Turns) -> None:
    task_complete.run(turns.now(11), task_complete.Request("1", "done", everything=True))
    task_start.run(turns.now(12), task_start.Request("2"))
    turns.edit("other.txt", "x\n")
    checkpoint.run(turns.now(13), checkpoint.Request("other", everything=True))
    for target in ("1", "c"):
        with pytest.raises(DevsError) as caught:
            go_on(turns, target, mode="from_checkpoint", checkpoint="task-2@1", name="x", plan="x")
        assert caught.value.code == "CHECKPOINT_NOT_FOUND"
