"""A target that is nearly right is understood, or answered with what was meant."""

from __future__ import annotations

import pytest

from devs_git.commands import restore, rewind, show, task_status
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene

pytestmark = pytest.mark.quick


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"c.txt": "c\n"}})


def test_a_plan_has_the_id_of_the_task_and_not_the_typed_one(scene: Scene) -> None:
    for text in ("task10", "Task_10", "devs/task-10"):
        plan = rewind.run(Workspace.open(scene.top), rewind.Request(text, dry_run=True))
        assert isinstance(plan, rewind.Plan)
        assert (plan.target, plan.plan_id.split(":")[0]) == ("task-10", "task-10")
    done = restore.run(Workspace.open(scene.top), restore.Request("task10"))
    assert done.restored_from == "task-10"
    assert scene.git("log", "-1", "--format=%s") == "Restore files of task-10"
    assert task_status.run(Workspace.open(scene.top), task_status.Request("task10")).task_id == "task-10"


def test_the_oid_that_log_shows_is_understood(scene: Scene) -> None:
    short = scene.git("rev-parse", "HEAD~1")[:10]
    result = rewind.run(Workspace.open(scene.top), rewind.Request(short))
    assert isinstance(result, rewind.Result)
    assert scene.git("rev-parse", "HEAD")[:10] == short


def test_a_commit_that_is_no_checkpoint_is_answered_with_those_near_it(scene: Scene) -> None:
    scene.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "by hand")
    scene.write({"d.txt": "d\n"})
    commit = scene.git("rev-parse", "HEAD")
    for text in (commit, commit[:8]):
        with pytest.raises(DevsError, match="is a commit, but no checkpoint") as refused:
            rewind.run(Workspace.open(scene.top), rewind.Request(text))
        assert refused.value.code == "CHECKPOINT_NOT_FOUND"
        assert "Near it: task-11@1 before it." in refused.value.hint
        assert f"git branch NAME {commit[:10]}" in refused.value.hint
    with pytest.raises(DevsError, match="is a commit, but no checkpoint") as before:
        show.run(Workspace.open(scene.top), show.Request(scene.git("rev-parse", "HEAD~3")))
    assert "task-10@1 after it" in before.value.hint


def test_a_branch_that_is_named_as_a_target_is_answered_with_its_checkpoint(scene: Scene) -> None:
    with pytest.raises(DevsError) as refused:
        rewind.run(Workspace.open(scene.top), rewind.Request("main"))
    assert "It is the commit of task-11@1." in refused.value.hint
