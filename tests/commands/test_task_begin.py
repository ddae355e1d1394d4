"""`task-10@0`: where a task began."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import branch, diff, rewind, task_complete, task_start, undo
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
    undo.run(Workspace.open(scene.top), undo.Request(preserve="branch"))
    assert (contents(scene.top), scene.git("tag")) == (before, tags)


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


def test_where_a_task_began_can_be_compared_and_verbs_of_checkpoints_refuse_it(scene: Scene) -> None:
    found = diff.run(Workspace.open(scene.top), diff.Request("10", against="10@0"))
    assert [file.path for file in found.files] == ["b.txt"]
    with pytest.raises(DevsError) as refused:
        branch.run(Workspace.open(scene.top), branch.Request("10@0", "topic"))
    assert refused.value.code == "CHECKPOINT_NOT_FOUND"


def test_a_task_that_was_started_before_the_first_commit_began_nowhere(
    tmp_path: Path, ledgered: Workspace
) -> None:
    del tmp_path
    ledgered.git.run("checkout", "-q", "--orphan", "fresh")
    task_start.run(Workspace.open(ledgered.top), task_start.Request("10"))
    with pytest.raises(DevsError) as refused:
        diff.run(Workspace.open(ledgered.top), diff.Request(against="10@0"))
    assert refused.value.code == "CHECKPOINT_NOT_FOUND"
