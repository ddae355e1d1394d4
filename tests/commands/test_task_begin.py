"""`task-10@0`: where a task began."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import branch, diff, restore, rewind, task_complete, task_start, undo
from devs_git.domain.ledger.event_fields import malformed_fields
from devs_git.domain.ledger.history import Task
from devs_git.errors import DevsError
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene, contents

pytestmark = pytest.mark.quick


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"c.txt": "c\n"}})


def test_a_rewind_to_where_a_task_began_undoes_its_work_and_it_is_active_again(scene: Scene) -> None:
    begin, before, tags = scene.git("rev-parse", "HEAD~2"), contents(scene.top), scene.git("tag")
    plan = rewind.run(Workspace.open(scene.top), rewind.Request("10@0", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert (plan.target, plan.undone, plan.now_active) == (
        "task-10@0",
        ("task-10@1", "task-11@1"),
        "task-10",
    )
    result = rewind.run(Workspace.open(scene.top), rewind.Request(plan_id=plan.plan_id))
    assert isinstance(result, rewind.Result)
    assert (result.rewound_to, result.reset_commit, result.affected_tasks) == (
        "task-10@0",
        begin,
        ("task-11",),
    )
    assert not (scene.top / "b.txt").exists()
    assert scene.git("tag") == ""
    assert active_task.task_of(active_task.read(scene.workspace.places)) == "task-10"

    scene.write({"d.txt": "d\n"})
    again = task_complete.run(
        Workspace.open(scene.top), task_complete.Request("10", message="again", everything=True)
    )
    assert again.number == 2
    undo.run(Workspace.open(scene.top), undo.Request(result.rewind_id, preserve="branch"))
    assert (contents(scene.top), scene.git("tag")) == (before, tags)


def test_where_an_unknown_task_began_is_answered_with_the_list_of_all(scene: Scene) -> None:
    with pytest.raises(DevsError) as caught:
        diff.run(Workspace.open(scene.top), diff.Request("task-99^"))
    assert (caught.value.message, caught.value.hint) == ("There is no task-99.", "List all: devs-git log")


def test_a_checkpoint_on_the_commit_where_a_task_began_is_undone_only_if_it_came_later(
    tasks: Tasks,
) -> None:
    scene = tasks({"10": {"b.txt": "b\n"}})
    opened = Workspace.open(scene.top)
    task_start.run(opened, task_start.Request("11"))
    plan = rewind.run(opened, rewind.Request("11@0", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert (plan.undone, plan.now_active) == ((), "task-11")


def test_a_task_that_lost_its_worktrees_note_still_began_where_it_was_started_first(scene: Scene) -> None:
    opened = Workspace.open(scene.top)
    task_start.run(opened, task_start.Request("12"))
    begin = scene.git("rev-parse", "HEAD")
    scene.git("commit", "-q", "--allow-empty", "-m", "work")
    active_task.write(opened.places, "")
    task_start.run(Workspace.open(scene.top), task_start.Request("12"))
    assert Workspace.open(scene.top).ledger.tip().here.tasks["task-12"].started_on == begin


def test_a_rewind_to_before_a_task_undoes_that_task_too_and_undo_brings_it_back(scene: Scene) -> None:
    begin, before, tags = scene.git("rev-parse", "HEAD~2"), contents(scene.top), scene.git("tag")
    plan = rewind.run(Workspace.open(scene.top), rewind.Request("10^", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert (plan.target, plan.affected_tasks, plan.now_active) == ("task-10^", ("task-10", "task-11"), "")
    result = rewind.run(Workspace.open(scene.top), rewind.Request(plan_id=plan.plan_id))
    assert isinstance(result, rewind.Result)
    assert (result.reset_commit, result.affected_tasks) == (begin, ("task-10", "task-11"))
    assert (scene.git("rev-parse", "HEAD"), scene.git("tag")) == (begin, "")
    assert active_task.task_of(active_task.read(scene.workspace.places)) == ""
    assert {task.status for task in _tasks(scene).values()} == {"rewound"}
    undo.run(Workspace.open(scene.top), undo.Request())
    assert (contents(scene.top), scene.git("tag")) == (before, tags)
    assert {task.status for task in _tasks(scene).values()} == {"completed"}


def test_a_rewind_to_before_the_active_task_ends_it_although_it_has_no_checkpoint(scene: Scene) -> None:
    task_start.run(Workspace.open(scene.top), task_start.Request("12"))
    rewind.run(Workspace.open(scene.top), rewind.Request("12^"))
    assert (_tasks(scene)["task-12"].status, active_task.read(scene.workspace.places)) == ("rewound", "")
    undo.run(Workspace.open(scene.top), undo.Request())
    assert _tasks(scene)["task-12"].status == "active"
    assert active_task.task_of(active_task.read(scene.workspace.places)) == "task-12"


def _tasks(scene: Scene) -> dict[str, Task]:
    return Workspace.open(scene.top).ledger.tip().here.tasks


def test_where_a_task_began_can_be_compared_and_branched_at_and_files_come_back_from_there(
    scene: Scene,
) -> None:
    found = diff.run(Workspace.open(scene.top), diff.Request("10", against="10@0"))
    assert [file.path for file in found.files] == ["b.txt"]
    made = branch.run(Workspace.open(scene.top), branch.Request("11^", "topic"))
    assert (made.commit, made.task_id, made.number, made.tag) == (
        scene.git("rev-parse", "HEAD~1"),
        "task-11",
        0,
        "",
    )
    back = restore.run(Workspace.open(scene.top), restore.Request("11@0"))
    assert (back.restored_from, back.files, (scene.top / "c.txt").exists()) == ("task-11@0", 1, False)
    assert not [key for event in Workspace.open(scene.top).ledger.events() for key in malformed_fields(event)]


def test_a_task_that_was_started_before_the_first_commit_began_nowhere(
    tmp_path: Path, ledgered: Workspace
) -> None:
    del tmp_path
    ledgered.git.run("checkout", "-q", "--orphan", "fresh")
    task_start.run(Workspace.open(ledgered.top), task_start.Request("10"))
    with pytest.raises(DevsError) as refused:
        diff.run(Workspace.open(ledgered.top), diff.Request(against="10@0"))
    assert refused.value.code == "CHECKPOINT_NOT_FOUND"
