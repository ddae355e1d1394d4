"""`task abandon` gives a task up: its id stays taken, and its checkpoints can be returned to. `task switch` changes the current one."""

from __future__ import annotations

from typing import Any

import pytest

from devs_git.commands import (
    checkpoint,
    history,
    restore,
    rewind,
    status,
    task_abandon,
    task_complete,
    task_start,
    task_switch,
    undo,
)
from devs_git.domain.checkpoints.task_activity import task_of
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.rewind import go_back
from devs_git.storage.worktree import active_task, move_tree
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import gate_scene
from tests.support.clones import Pair
from tests.support.scene import Scene, contents

pytestmark = pytest.mark.quick


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    """Task 10 is completed; task 11 is active and has one checkpoint."""
    scene = tasks({"10": {"b.txt": "b\n"}})
    call(scene, "task start", task_start.Request("11", title="Half"))
    scene.write({"c.txt": "c\n"})
    call(scene, "checkpoint", checkpoint.Request("half", everything=True))
    return scene


def call(scene: Scene, verb: str, request: Any) -> Any:
    return router.call(verb, Workspace.open(scene.top), request)


def current(scene: Scene) -> str:
    return task_of(active_task.read(Workspace.open(scene.top).places))


def status_of(scene: Scene, task: str) -> str:
    return Workspace.open(scene.top).ledger.tip().here.tasks[task].status


def refused(scene: Scene, verb: str, request: Any) -> str:
    with pytest.raises(DevsError) as error:
        call(scene, verb, request)
    return error.value.code


def test_an_abandoned_task_is_recorded_and_no_file_changes(scene: Scene) -> None:
    before, head = contents(scene.top), scene.git("rev-parse", "HEAD")
    done = call(scene, "task abandon", task_abandon.Request())
    assert (done.task_id, done.title, done.status, done.checkpoints) == (
        "task-11",
        "Half",
        "abandoned",
        ("task-11@1",),
    )
    assert (contents(scene.top), scene.git("rev-parse", "HEAD")) == (before, head)
    assert (status_of(scene, "task-11"), current(scene)) == ("abandoned", "")
    rows = call(scene, "history", history.Request(subtypes=("abandoned",)))
    assert [row.task_id for row in rows.events] == ["task-11"]


def test_the_id_of_an_abandoned_task_stays_taken(scene: Scene) -> None:
    call(scene, "task abandon", task_abandon.Request("11"))
    assert refused(scene, "task start", task_start.Request("11")) == "TASK_EXISTS"
    assert refused(scene, "task complete", task_complete.Request("11")) == "CONFLICT"
    assert refused(scene, "task abandon", task_abandon.Request("11")) == "CONFLICT"
    call(scene, "task start", task_start.Request("12"))
    assert current(scene) == "task-12"


def test_after_a_rewind_to_its_checkpoint_the_task_is_active_again(scene: Scene) -> None:
    call(scene, "task abandon", task_abandon.Request())
    call(scene, "rewind", rewind.Request("task-11@1"))
    assert (status_of(scene, "task-11"), current(scene)) == ("active", "task-11")
    scene.write({"c.txt": "more\n"})
    done = call(scene, "task complete", task_complete.Request(everything=True))
    assert (done.number, status_of(scene, "task-11")) == (2, "completed")


def test_a_switch_takes_an_abandoned_task_up_again_and_no_file_changes(scene: Scene) -> None:
    scene.write({"c.txt": "edited\n", "loose.txt": "loose\n"})
    call(scene, "task abandon", task_abandon.Request())
    before, head = contents(scene.top), scene.git("rev-parse", "HEAD")
    with pytest.raises(DevsError) as refusal:
        call(scene, "task start", task_start.Request("11"))
    assert refusal.value.hint.endswith("take it up again: devs-git task switch task-11")
    done = call(scene, "task switch", task_switch.Request("11"))
    assert (done.task_id, done.before, done.was_abandoned) == ("task-11", "", True)
    assert (status_of(scene, "task-11"), current(scene)) == ("active", "task-11")
    assert (contents(scene.top), scene.git("rev-parse", "HEAD")) == (before, head)
    rows = call(scene, "history", history.Request(subtypes=("reopened",)))
    assert [row.task_id for row in rows.events] == ["task-11"]
    again = call(scene, "task switch", task_switch.Request("11"))
    assert (again.before, again.was_abandoned) == ("task-11", False)
    assert call(scene, "task complete", task_complete.Request(everything=True)).number == 2


def test_status_and_undo_say_how_an_abandoned_task_is_taken_up_again(scene: Scene) -> None:
    call(scene, "task abandon", task_abandon.Request())
    with pytest.raises(DevsError) as refusal:
        call(scene, "undo", undo.Request())
    assert (refusal.value.code, refusal.value.hint) == (
        "NOTHING_TO_UNDO",
        "undo moves files, and task-11 was abandoned without moving any. To take it up again: devs-git task switch task-11",
    )
    call(scene, "task switch", task_switch.Request("11"))
    call(scene, "restore", restore.Request("task-10"))
    call(scene, "task abandon", task_abandon.Request())
    assert call(scene, "status", status.Request()).abandoned == "task-11"
    plan = call(scene, "undo", undo.Request(dry_run=True))
    assert (plan.abandoned, plan.blocked_by) == (("task-11",), ())
    assert call(scene, "undo", undo.Request()).abandoned == ("task-11",)
    assert call(scene, "status", status.Request()).abandoned == ""
    assert call(scene, "undo", undo.Request()).abandoned == ()
    assert status_of(scene, "task-11") == "abandoned"


def test_a_task_without_a_checkpoint_is_taken_up_again_and_another_stays_active(scene: Scene) -> None:
    call(scene, "task complete", task_complete.Request(everything=True))
    call(scene, "task start", task_start.Request("12"))
    call(scene, "task abandon", task_abandon.Request())
    call(scene, "task start", task_start.Request("13"))
    assert call(scene, "task switch", task_switch.Request("12")).before == "task-13"
    assert (status_of(scene, "task-12"), status_of(scene, "task-13"), current(scene)) == (
        "active",
        "active",
        "task-12",
    )


def test_a_task_whose_work_went_back_when_it_was_given_up_needs_an_undo(scene: Scene) -> None:
    call(scene, "task abandon", task_abandon.Request(rewind=True, preserve="branch"))
    with pytest.raises(DevsError) as refusal:
        call(scene, "task switch", task_switch.Request("11"))
    assert (refusal.value.code, refusal.value.message, refusal.value.hint) == (
        "CONFLICT",
        "task-11 was abandoned, and its checkpoints were undone.",
        "Return from the rewind that undid them: devs-git undo",
    )
    call(scene, "undo", undo.Request())
    assert (scene.top / "c.txt").exists()
    assert (status_of(scene, "task-11"), current(scene)) == ("active", "task-11")


def test_a_rewind_past_an_abandoned_task_leaves_it_abandoned(scene: Scene) -> None:
    call(scene, "task abandon", task_abandon.Request())
    call(scene, "rewind", rewind.Request("task-10"))
    assert status_of(scene, "task-11") == "abandoned"
    call(scene, "undo", undo.Request())
    assert status_of(scene, "task-11") == "abandoned"


def test_with_rewind_the_files_go_back_and_undo_brings_files_and_task_back(scene: Scene) -> None:
    scene.write({"loose.txt": "loose\n"})
    scene.git("add", "loose.txt")
    before, head = contents(scene.top), scene.git("rev-parse", "HEAD")
    plan = call(scene, "task abandon", task_abandon.Request(rewind=True, preserve="branch", dry_run=True))
    assert (plan.rewind.undone, plan.blocked_by, status_of(scene, "task-11")) == (
        ("task-11@1",),
        (),
        "active",
    )
    bound = task_abandon.Request(rewind=True, preserve="branch", plan_id=plan.plan_id)
    done = call(scene, "task abandon", bound)
    assert done.rewind.reset_commit == scene.git("rev-parse", f"{head}~1")
    assert not (scene.top / "c.txt").exists()
    assert (status_of(scene, "task-11"), current(scene)) == ("abandoned", "")
    assert refused(scene, "task start", task_start.Request("11")) == "TASK_EXISTS"
    call(scene, "undo", undo.Request())
    assert (contents(scene.top), scene.git("rev-parse", "HEAD")) == (before, head)
    assert (status_of(scene, "task-11"), current(scene)) == ("active", "task-11")
    call(scene, "undo", undo.Request())
    assert (status_of(scene, "task-11"), current(scene)) == ("abandoned", "")


def test_nothing_is_recorded_if_the_rewind_is_refused(scene: Scene) -> None:
    scene.write({"b.txt": "edited\n", "c.txt": "edited\n"})
    tip = scene.git("rev-parse", "devs/ledger")
    assert refused(scene, "task abandon", task_abandon.Request(rewind=True)) == "GIT_RESET_FAILED"
    stale = task_abandon.Request(rewind=True, preserve="branch", plan_id="task-11^:branch:0000000000000000")
    assert refused(scene, "task abandon", stale) == "PLAN_STALE"
    assert (scene.git("rev-parse", "devs/ledger"), current(scene)) == (tip, "task-11")


@pytest.mark.parametrize("name", ["preserve", "untracked", "force", "dry_run"])
def test_an_option_of_the_rewind_needs_the_rewind(name: str) -> None:
    with pytest.raises(DevsError, match="needs --rewind"):
        task_abandon.Request("11", **{name: "save"})  # type: ignore[arg-type]


def test_only_an_active_task_is_abandoned_and_not_while_a_gate_is_open(scene: Scene) -> None:
    assert refused(scene, "task abandon", task_abandon.Request("10")) == "CONFLICT"
    assert refused(scene, "task abandon", task_abandon.Request("99")) == "TASK_NOT_FOUND"
    gate_scene.ask(Workspace.open(scene.top))
    assert refused(scene, "task abandon", task_abandon.Request()) == "GATE_BLOCKED"
    assert refused(scene, "task switch", task_switch.Request("11")) == "GATE_BLOCKED"


def test_a_task_of_another_worktree_is_abandoned_there(scene: Scene) -> None:
    scene.git("worktree", "add", "-q", "-b", "side", str(scene.top.parent / "side"))
    side = Scene(Workspace.open(scene.top.parent / "side"))
    assert refused(side, "task abandon", task_abandon.Request("11")) == "TASK_ACTIVE"
    assert refused(side, "task switch", task_switch.Request("11")) == "TASK_ACTIVE"
    scene.git("worktree", "remove", "--force", str(side.top))


@pytest.mark.parametrize("completed_first", [True, False])
@pytest.mark.parametrize("with_rewind", [False, True])
def test_a_task_that_another_clone_completed_stays_completed(
    pair: Pair, completed_first: bool, with_rewind: bool
) -> None:
    ann, bob = pair.ann, pair.bob
    ann.call("task start", task_start.Request("20"))
    Scene(ann.opened).write({"half.txt": "half\n"})
    ann.call("checkpoint", checkpoint.Request("half", everything=True))
    pair.meet()
    bob.git("merge", "-q", "origin/main") if "origin/main" in bob.git("branch", "-r") else None
    Scene(bob.opened).write({"whole.txt": "whole\n"})
    steps = [
        lambda: bob.call("task complete", task_complete.Request("20", everything=True)),
        lambda: ann.call("task abandon", task_abandon.Request("20", rewind=with_rewind)),
    ]
    for step in steps if completed_first else reversed(steps):
        step()
    pair.meet()
    assert {one.opened.ledger.tip().history.tasks["task-20"].status for one in (ann, bob)} == {"completed"}


def test_another_active_task_of_the_worktree_becomes_the_current_one(scene: Scene) -> None:
    """A rewind to a checkpoint on the way makes its task active again; one without a checkpoint stays active."""
    scene.write({"c.txt": "cc\n"})
    call(scene, "task complete", task_complete.Request(everything=True))
    call(scene, "task start", task_start.Request("12"))
    call(scene, "rewind", rewind.Request("task-11@1"))
    assert (current(scene), status_of(scene, "task-12")) == ("task-11", "active")
    tip = scene.git("rev-parse", "devs/ledger")
    done = call(scene, "task switch", task_switch.Request("12"))
    assert (done.task_id, done.before, current(scene)) == ("task-12", "task-11", "task-12")
    assert call(scene, "task switch", task_switch.Request("12")).before == "task-12"
    assert scene.git("rev-parse", "devs/ledger") == tip
    scene.write({"d.txt": "d\n"})
    assert call(scene, "checkpoint", checkpoint.Request("d", everything=True)).task_id == "task-12"
    assert call(scene, "task switch", task_switch.Request("11")).before == "task-12"
    assert refused(scene, "task switch", task_switch.Request("10")) == "CONFLICT"
    assert refused(scene, "task switch", task_switch.Request("99")) == "TASK_NOT_FOUND"


def test_a_task_that_another_process_completed_meanwhile_is_not_abandoned_with_its_files(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, late = move_tree.worktree_lock, list[int]()

    def completed_first(*words: Any, **options: Any) -> Any:
        if not late:
            late.append(1)
            scene.write({"d.txt": "d\n"})
            call(scene, "task complete", task_complete.Request("11", "done", everything=True))
        return lock(*words, **options)

    monkeypatch.setattr(move_tree, "worktree_lock", completed_first)
    assert refused(scene, "task abandon", task_abandon.Request("11", rewind=True)) == "CONFLICT"
    assert late
    assert status_of(scene, "task-11") == "completed"
    assert (scene.top / "d.txt").exists()


def test_the_event_of_an_abandonment_is_named_although_another_process_wrote_one_after_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewound = go_back.rewind

    def then_another(*words: Any) -> Any:
        done = rewound(*words)
        gate_scene.ask(Workspace.open(scene.top))
        return done

    monkeypatch.setattr(go_back, "rewind", then_another)
    done = call(scene, "task abandon", task_abandon.Request("11", rewind=True))
    assert next(Workspace.open(scene.top).ledger.events(done.event)).op_id == done.rewind.rewind_id
