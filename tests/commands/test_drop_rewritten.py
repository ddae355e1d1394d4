"""The commit of a drop that was amended or rebased still takes the task back. What a shallow clone lacks is not dropped."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import drop, log, task_status, why
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.ledger import lines_of_work
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import gate_scene
from tests.support.refusals import refusal
from tests.support.scene import Scene

pytestmark = pytest.mark.quick


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"ten.txt": "10\n"}, "11": {"eleven.txt": "11\n"}, "12": {"twelve.txt": "12\n"}})


def go(scene: Scene) -> drop.Result:
    result: drop.Result = router.call("drop", Workspace.open(scene.top), drop.Request("11"))
    return result


def states(scene: Scene) -> dict[str, str]:
    rows = router.call("log", Workspace.open(scene.top), log.Request()).checkpoints
    return {row.task_id: row.state for row in reversed(rows)}


def status(scene: Scene) -> str:
    found = router.call("task status", Workspace.open(scene.top), task_status.Request("11"))
    return str(found.status)


def test_a_rewritten_drop_still_counts(scene: Scene) -> None:
    go(scene)
    scene.git(
        "commit", "-q", "--amend", "--no-edit", "-m", f"Better\n\n{scene.git('log', '-1', '--format=%b')}"
    )
    assert (status(scene), states(scene)["task-11"]) == ("dropped", "dropped")
    scene.git("checkout", "-q", "-b", "side", "HEAD^")
    gate_scene.commit(scene.top, {"side.txt": "side\n"})
    assert states(scene)["task-11"] == "dropped"
    scene.git("checkout", "-q", "main")
    scene.git("rebase", "-q", "side")
    assert states(scene)["task-11"] == "dropped"
    assert refusal(lambda: go(scene)).code == "NO_CHECKPOINT"
    scene.git("reflog", "expire", "--expire=now", "--all")
    for ref in scene.git("for-each-ref", "--format=%(refname)", "refs/devs/backup").split():
        scene.git("update-ref", "-d", ref)
    scene.git("gc", "-q", "--prune=now")
    assert states(scene)["task-11"] == "dropped"
    scene.git("branch", "-qD", "side")
    scene.git("reset", "-q", "--hard", "HEAD^")
    assert states(scene)["task-11"] == "completed"


def test_a_commit_that_only_speaks_of_a_drop_is_none(scene: Scene) -> None:
    done = go(scene)
    scene.git("reset", "-q", "--hard", "HEAD^")
    scene.git(
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        f"About\n\nIt had Devs-Drop: {done.drop_id} in it.\n\nSigned-off-by: a",
    )
    assert states(scene)["task-11"] == "completed"


def test_a_commit_of_a_drop_that_is_no_oid_is_asked_for_nowhere(scene: Scene) -> None:
    git = Workspace.open(scene.top).git
    assert lines_of_work.tips_without(git, ["HEAD"], ("--all", "x")) == ["HEAD"]
    assert lines_of_work.tips_without(git, ["HEAD"], ("0" * 40, "--all")) == ["HEAD"]


@pytest.mark.parametrize("depth", [1, 2])
def test_a_shallow_clone_without_the_parents_of_the_task_drops_nothing(
    scene: Scene, tmp_path: Path, depth: int
) -> None:
    top = tmp_path / "shallow"
    scene.git("clone", "-q", f"--depth={depth}", "--branch=main", f"file://{scene.top}", str(top))
    scene.git("-C", str(top), "fetch", "-q", "origin", "refs/heads/devs/ledger:refs/heads/devs/ledger")
    opened = Workspace.open(top)
    head = opened.head
    # At depth 2 the commit of task-12 is whole, and that of task-11 is the last one that is here.
    name = "12" if depth == 1 else "11"
    for dry_run in (True, False):
        error = refusal(partial(drop.run, Workspace.open(top), drop.Request(name, dry_run=dry_run)))
        assert (error.code, error.details["reason"]) == ("GIT_RESET_FAILED", "missing_objects")
        assert "--unshallow" in error.hint
    assert Workspace.open(top).head == head
    with pytest.raises(DevsError, match="shallow"):
        why.run(Workspace.open(top), why.Request("ten.txt:1"))
