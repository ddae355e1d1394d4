"""`restore --dry-run` says what a restore would change and what refuses it, and writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import restore
from devs_git.entrypoints.cli.texts import move_text
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import photograph
from tests.support.moment_stage import moment
from tests.support.rewind_cases import Case
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.thorough


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n", "gone.txt": "x\n"}, "11": {"b.txt": "c\n", "new.txt": "n\n"}})


def look(scene: Scene, target: str, *paths: str) -> restore.Result:
    request = restore.Request(target, paths, dry_run=True)
    return restore.run(Workspace.open(scene.top), request)


def _stored(top: Path) -> set[Path]:
    """Every file of the git directory."""
    return set((top / ".git").rglob("*"))


@pytest.mark.quick
def test_a_dry_run_names_the_files_and_writes_nothing(scene: Scene) -> None:
    before, stored = photograph.take(scene.top), _stored(scene.top)
    plan = look(scene, "10")
    assert photograph.take(scene.top) == before
    assert (plan.changes["modified"], plan.changes["deleted"], plan.restore_id) == (
        ("b.txt",),
        ("new.txt",),
        "",
    )
    assert plan.blocked_by == ()
    text = move_text.restore_text(plan)
    assert text.startswith("Restore files of task-10 as a new commit")
    assert "  changes         b.txt" in text
    only = look(scene, "10", "b.txt")
    assert (only.changes["modified"], only.changes["count"]) == (("b.txt",), 1)
    assert (photograph.take(scene.top), _stored(scene.top)) == (before, stored)
    done = restore.run(Workspace.open(scene.top), restore.Request("10"))
    assert done.files == plan.files


def test_a_dry_run_names_the_local_changes_that_refuse_the_restore(scene: Scene) -> None:
    scene.write({"b.txt": "edited\n"})
    plan = look(scene, "10")
    assert [(one["code"], one["paths"]) for one in plan.blocked_by] == [("GIT_RESET_FAILED", ["b.txt"])]
    with pytest.raises(DevsError):
        restore.run(Workspace.open(scene.top), restore.Request("10"))


def test_a_dry_run_of_a_moment_names_its_files(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"1\n"})
    case.write({"a": b"edited\n"})
    name = moment(case)
    case.write({"a": b"later\n"})
    (case.top / "b").unlink()
    before, stored = photograph.take(case.top), _stored(case.top)
    plan = restore.run(Workspace.open(case.top), restore.Request(name, dry_run=True))
    assert (plan.changes["added"], plan.changes["modified"]) == (("b",), ("a",))
    assert (photograph.take(case.top), _stored(case.top)) == (before, stored)


def test_a_terminal_asks_before_all_files_come_back_and_not_for_files_that_are_named(tasks: Tasks) -> None:
    scene = tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "c\n"}})
    head = scene.git("rev-parse", "HEAD")
    status, shown = at_terminal(scene.top, "restore", "task-10", typed="n\n")
    assert (status, "changes         b.txt" in shown) == (130, True)
    assert scene.git("rev-parse", "HEAD") == head
    assert at_terminal(scene.top, "restore", "task-11", typed="")[1].startswith("Every file is already as in")
    assert "Restored 1 file" in at_terminal(scene.top, "restore", "task-10", "b.txt")[1]
    (scene.top / "b.txt").write_text("mine\n")
    words = ("restore", "task-11", "b.txt", "--preserve", "discard")
    assert "Continue?" in at_terminal(scene.top, *words, typed="n\n")[1]
    assert (scene.top / "b.txt").read_text() == "mine\n"
