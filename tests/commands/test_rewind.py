"""rewind and undo: there and back, losing nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkout, rewind, undo
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene, contents


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    """Three completed tasks: 10 adds b.txt, 11 changes it and adds c.txt, 12 removes b.txt."""
    return tasks(
        {
            "10": {"b.txt": "b\n"},
            "11": {"b.txt": "b\nb2\n", "c.txt": "c\n"},
            "12": {"b.txt": None},
        }
    )


@pytest.mark.quick
def test_a_rewind_brings_head_index_and_files_to_the_checkpoint_and_undo_brings_them_back(
    scene: Scene,
) -> None:
    before, head, tags = contents(scene.top), scene.git("rev-parse", "HEAD"), scene.git("tag")
    result = rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    assert isinstance(result, rewind.Result)
    assert (result.rewound_to, result.cleared_tasks, result.affected_tasks) == (
        "task-10",
        2,
        ("task-11", "task-12"),
    )
    assert scene.git("status", "--porcelain", "--untracked-files=all") == ""
    assert (scene.top / "b.txt").read_text() == "b\n"
    assert not (scene.top / "c.txt").exists()
    assert scene.git("tag") == "devs/task-10"
    assert scene.git("rev-parse", result.preserved_as["reference"]) == head
    undo.run(Workspace.open(scene.top), undo.Request())
    assert (contents(scene.top), scene.git("rev-parse", "HEAD"), scene.git("tag")) == (before, head, tags)
    assert scene.git("status", "--porcelain") == ""


@pytest.mark.quick
def test_rewind_refuses_to_lose_uncommitted_work(scene: Scene) -> None:
    (scene.top / "c.txt").write_text("work\n")
    refs = scene.git("for-each-ref")
    with pytest.raises(DevsError) as refused:
        rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    assert refused.value.code == "GIT_RESET_FAILED"
    assert (scene.top / "c.txt").read_text() == "work\n"
    assert scene.git("for-each-ref") == refs


@pytest.mark.parametrize("mode", ["branch", "stash", "discard"])
def test_a_dirty_tree_comes_back_to_the_byte_in_every_mode(scene: Scene, mode: str) -> None:
    (scene.top / "c.txt").write_text("work\n")
    (scene.top / "staged.txt").write_text("staged\n")
    scene.git("add", "staged.txt")
    (scene.top / "staged.txt").write_text("staged\nand more\n")
    (scene.top / "intended.txt").write_text("intended\n")
    scene.git("add", "-N", "intended.txt")
    (scene.top / "f1.txt").unlink()
    before, status, index = (
        contents(scene.top),
        scene.git("status", "--porcelain"),
        scene.git("ls-files", "-s", "-t"),
    )
    rewind.run(Workspace.open(scene.top), rewind.Request("10", preserve=mode))
    assert scene.git("status", "--porcelain") == ""
    undo.run(Workspace.open(scene.top), undo.Request())
    assert contents(scene.top) == before
    assert (scene.git("status", "--porcelain"), scene.git("ls-files", "-s", "-t")) == (status, index)


@pytest.mark.quick
def test_a_plan_that_was_made_before_an_edit_is_stale(scene: Scene) -> None:
    plan = rewind.run(Workspace.open(scene.top), rewind.Request("10", preserve="branch", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    (scene.top / "c.txt").write_text("edited since\n")
    with pytest.raises(DevsError) as refused:
        rewind.run(Workspace.open(scene.top), rewind.Request(plan_id=plan.plan_id))
    assert refused.value.code == "PLAN_STALE"
    assert (scene.top / "c.txt").read_text() == "edited since\n"


@pytest.mark.parametrize(
    ("field", "value"), [("preserve", "discard"), ("branch_name", "old-work"), ("untracked", "save")]
)
def test_an_option_that_a_plan_was_made_without_is_refused_beside_it(
    scene: Scene, field: str, value: str
) -> None:
    more: dict[str, Any] = {field: value}
    plan = rewind.run(Workspace.open(scene.top), rewind.Request("10", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    with pytest.raises(DevsError) as refused:
        rewind.Request(plan_id=plan.plan_id, **more)
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", field)
    again = rewind.Request("10", dry_run=True, **more)
    bound = rewind.run(Workspace.open(scene.top), again)
    assert isinstance(bound, rewind.Plan)
    assert rewind.Request(plan_id=bound.plan_id, **more).options == again.options


def test_an_undo_can_be_redone_and_undone_again(scene: Scene, tmp_path: Path) -> None:
    del tmp_path
    there = contents(scene.top)
    rewind.run(Workspace.open(scene.top), rewind.Request("11"))
    back = contents(scene.top)
    for expected in (there, back, there):
        undo.run(Workspace.open(scene.top), undo.Request())
        assert contents(scene.top) == expected
        assert scene.git("status", "--porcelain") == ""


def test_a_file_with_a_new_time_and_the_old_content_is_no_change(scene: Scene) -> None:
    scene.git("branch", "other", "devs/task-10")
    for path in scene.top.glob("*.txt"):
        os.utime(path, (1, 1))
    rewind.run(Workspace.open(scene.top), rewind.Request("11"))
    for path in scene.top.glob("*.txt"):
        os.utime(path, (1, 1))
    checkout.run(Workspace.open(scene.top), checkout.Request("other"))
    assert scene.git("status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["main", "main/below", "--force", "devs/ledger", "a..b"])
def test_a_name_that_the_preserved_branch_cannot_have_is_refused_and_nothing_moves(
    scene: Scene, name: str
) -> None:
    refs = scene.git("for-each-ref")
    with pytest.raises(DevsError) as refused:
        rewind.run(Workspace.open(scene.top), rewind.Request("10", branch_name=name))
    assert refused.value.code == "INVALID_BRANCH"
    assert scene.git("for-each-ref") == refs
