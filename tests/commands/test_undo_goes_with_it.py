"""What an undo takes with it: the branch or stash entry that the rewind left. And what it does not take without being told."""

from __future__ import annotations

import pytest

from devs_git.commands import restore, rewind, task_complete, task_start, undo
from devs_git.entrypoints.cli.texts import move_text
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene, contents

pytestmark = pytest.mark.thorough


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"c.txt": "c\n"}})


def go(scene: Scene, preserve: str | None = None) -> rewind.Result:
    done = rewind.run(Workspace.open(scene.top), rewind.Request("10", preserve))
    assert isinstance(done, rewind.Result)
    return done


def back(scene: Scene, op_id: str | None = None, preserve: str | None = None) -> undo.Result:
    return undo.run(Workspace.open(scene.top), undo.Request(op_id, preserve))


@pytest.mark.quick
def test_the_branch_that_a_rewind_left_goes_with_its_undo_and_a_redo_makes_it_again(scene: Scene) -> None:
    scene.write({"b.txt": "edited\n"})
    kept = go(scene, preserve="branch").preserved_as["reference"]
    tip = scene.git("rev-parse", kept)
    done = back(scene)
    assert done.removed_branches == (kept,)
    assert f"branch {kept}" in move_text.undo_text(done)
    assert scene.git("branch", "--list", "devs/preserved/*") == ""
    assert (scene.top / "b.txt").read_bytes() == b"edited\n"
    scene.git("gc", "--prune=now", "--quiet")
    again = back(scene)
    assert (again.made_branches, scene.git("rev-parse", kept)) == ((kept,), tip)


def test_a_branch_that_moved_since_stays(scene: Scene) -> None:
    kept = go(scene).preserved_as["reference"]
    scene.git("branch", "-f", kept, "HEAD")
    assert back(scene).removed_branches == ()
    assert scene.git("rev-parse", kept)


def test_the_stash_entry_that_a_rewind_left_goes_with_its_undo_and_others_stay(scene: Scene) -> None:
    scene.write({"b.txt": "mine\n"})
    scene.git("stash")
    mine = scene.git("rev-parse", "stash@{0}")
    scene.write({"b.txt": "edited\n"})
    go(scene, preserve="stash")
    entry = scene.git("rev-parse", "stash@{0}")
    assert back(scene).removed_stashes == (entry,)
    assert scene.git("stash", "list", "--format=%H") == mine
    assert back(scene).made_stashes == (entry,)
    assert scene.git("stash", "list", "--format=%H").split() == [entry, mine]


def test_a_rewind_of_a_clean_tree_makes_no_empty_stash_entry_and_says_so(scene: Scene) -> None:
    done = go(scene, preserve="stash")
    assert done.preserved_as == {"type": "none", "reference": ""}
    assert "Nothing was uncommitted, so no stash entry was made" in move_text.rewind_text(done)
    assert scene.git("stash", "list") == ""
    back(scene)
    assert (scene.top / "c.txt").exists()


@pytest.mark.quick
def test_an_undo_names_the_tasks_that_were_finished_since_and_wants_the_id(scene: Scene) -> None:
    done = go(scene)
    task_start.run(Workspace.open(scene.top), task_start.Request("12"))
    scene.write({"d.txt": "d\n"})
    task_complete.run(Workspace.open(scene.top), task_complete.Request("12", "d", everything=True))
    with pytest.raises(DevsError) as refused:
        back(scene, preserve="branch")
    assert refused.value.details["reason"] == "later_tasks"
    assert refused.value.details["tasks"] == ["task-12"]
    assert done.rewind_id in refused.value.message
    assert f"devs-git undo {done.rewind_id}" in refused.value.hint
    assert back(scene, done.rewind_id, preserve="branch").undone == ("task-12@1",)


def test_the_question_before_an_undo_names_ten_files_and_counts_the_others(scene: Scene) -> None:
    scene.write({f"f{at:02}.txt": "new\n" for at in range(12)} | {"b.txt": "changed\n"})
    scene.git("add", "-A")
    scene.git("commit", "-qm", "thirteen files")
    go(scene)
    plan = undo.run(Workspace.open(scene.top), undo.Request(dry_run=True))
    assert isinstance(plan, undo.Plan)
    assert plan.changes["count"] == plan.files > 12
    lines = move_text.undo_plan_text(plan).splitlines()
    assert f"  files           {plan.files} files (" in "\n".join(lines)
    assert "  comes back      f00.txt" in lines
    assert f"                  and {plan.files - 10} more files" in lines
    done = back(scene)
    assert done.files == plan.files
    assert "Removed, because the backup has it: branch devs/preserved/" in move_text.undo_text(done)


@pytest.mark.quick
@pytest.mark.parametrize("staged", [False, True])
def test_a_change_that_was_there_before_the_operation_does_not_refuse_its_undo(
    scene: Scene, staged: bool
) -> None:
    scene.write({"a.txt": "mine\n"})
    if staged:
        scene.git("add", "a.txt")
    before = contents(scene.top), scene.git("status", "--porcelain"), scene.git("rev-parse", "HEAD")
    restore.run(Workspace.open(scene.top), restore.Request("task-10@0", ("b.txt",)))
    plan = undo.run(Workspace.open(scene.top), undo.Request(dry_run=True))
    assert isinstance(plan, undo.Plan)
    assert (plan.blocked_by, plan.changes["added"], plan.changes["modified"]) == ((), ("b.txt",), ())
    back(scene)
    assert (contents(scene.top), scene.git("status", "--porcelain"), scene.git("rev-parse", "HEAD")) == before


@pytest.mark.quick
def test_a_change_that_was_made_after_the_operation_refuses_its_undo(scene: Scene) -> None:
    scene.write({"a.txt": "mine\n"})
    restore.run(Workspace.open(scene.top), restore.Request("task-10@0", ("b.txt",)))
    scene.write({"a.txt": "mine, and more\n"})
    with pytest.raises(DevsError, match="uncommitted changes"):
        back(scene)
    assert (scene.top / "a.txt").read_text() == "mine, and more\n"


def test_an_undo_says_before_and_after_it_where_newer_work_is_saved(scene: Scene) -> None:
    go(scene)
    scene.write({"new.txt": "newer\n"})
    scene.git("add", "new.txt")
    said = {
        "discard": "the current state in a backup ref",
        "branch": "the current state as a branch below devs/preserved/, and in a backup ref",
    }
    for mode, where in said.items():
        plan = undo.run(Workspace.open(scene.top), undo.Request(preserve=mode, dry_run=True))
        assert isinstance(plan, undo.Plan)
        assert f"  saves           {where}" in move_text.undo_plan_text(plan)
    done = back(scene, preserve="discard")
    assert scene.git("show", f"{done.backup}:worktree/new.txt") == "newer"
    assert f"Your previous state is saved as backup {done.backup}." in move_text.undo_text(done)
