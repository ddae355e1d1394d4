"""An undo restores the standing of before, also of checkpoints that an amend, a rebase or a rewritten history replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import history_rewritten, log, rewind, undo
from devs_git.entrypoints import router
from devs_git.storage.git import refs
from devs_git.workspace import Workspace
from tests.support.filter_repo import MAP, filter_repo
from tests.support.scene import Scene

REWORDED = ("--message-callback", 'return message + b"Reworded: yes\\n"')


@pytest.fixture
def scene(initialised: Path) -> Scene:
    """task-1, task-2 and task-3, one commit each."""
    made = Scene(Workspace.open(initialised))
    for number in "123":
        made.task(number, {f"{number}.txt": number})
    return made


def standing(scene: Scene) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Checkpoints, tasks and visible tags, as this clone sees them."""
    opened = Workspace.open(scene.top)
    rows = log.run(opened, log.Request(limit=100)).checkpoints
    tasks = opened.ledger.tip().here.tasks.values()
    return (
        {f"{row.task_id}@{row.number}": row.status for row in rows},
        {task.task_id: task.status for task in tasks},
        refs.list_refs(opened.store_git, "refs/tags/devs"),
    )


def go(scene: Scene, target: str) -> None:
    router.call("rewind", Workspace.open(scene.top), rewind.Request(target))


def back(scene: Scene) -> None:
    router.call("undo", Workspace.open(scene.top), undo.Request(preserve="branch"))


def rewrite(scene: Scene, *where: str) -> None:
    filter_repo(scene.top, *REWORDED, "--partial", "--refs", *where)
    router.call(
        "history-rewritten", Workspace.open(scene.top), history_rewritten.Request(MAP, str(scene.top))
    )


def test_a_task_that_a_reset_dropped_and_a_rewritten_history_moved_has_one_checkpoint_after_the_undo(
    scene: Scene,
) -> None:
    scene.git("reset", "-q", "--hard", "HEAD~1")
    before = standing(scene)
    go(scene, "task-1")
    rewrite(scene, "refs/heads/main", "refs/devs/checkpoints/task-3/1")
    moved = standing(scene)
    back(scene)
    rows, tasks, tags = standing(scene)
    assert tasks == before[1]
    assert (rows["task-3@1"], rows["task-3@2"]) == ("replaced", "completed")
    assert tags == {**before[2], "refs/tags/devs/task-3": moved[2]["refs/tags/devs/task-3"]}


@pytest.mark.quick
def test_a_checkpoint_that_another_branch_amended_stays_as_that_branch_has_it(scene: Scene) -> None:
    scene.git("switch", "-qc", "side")
    scene.task("4", {"4.txt": "4"})
    scene.git("switch", "-q", "main")
    go(scene, "task-1")
    scene.git("switch", "-q", "side")
    scene.git("commit", "-q", "--amend", "-m", "amended")
    scene.git("switch", "-q", "main")
    amended = standing(scene)
    assert (amended[0]["task-4@1"], amended[0]["task-4@2"]) == ("replaced", "completed")
    back(scene)
    rows, _, tags = standing(scene)
    assert (rows["task-4@1"], rows["task-4@2"]) == ("replaced", "completed")
    assert tags["refs/tags/devs/task-4"] == amended[2]["refs/tags/devs/task-4"]


@pytest.mark.parametrize("how", ["amended", "rewritten"])
def test_a_rewind_to_a_checkpoint_that_was_replaced_and_its_undo_leave_it_replaced(
    scene: Scene, how: str
) -> None:
    old = scene.git("rev-parse", "HEAD")
    if how == "amended":
        scene.git("commit", "-q", "--amend", "-m", "amended")
    else:
        rewrite(scene, "refs/heads/main")
    scene.git("reset", "-q", "--hard", old)
    scene.git("commit", "-q", "--allow-empty", "-m", "more")
    before = standing(scene)
    assert before[0]["task-3@1"] == "replaced"
    go(scene, "task-3@1")
    there = standing(scene)
    for expected in (before, there, before):
        back(scene)
        assert standing(scene) == expected
