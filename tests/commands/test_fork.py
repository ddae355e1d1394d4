"""`fork`: a new task from an earlier state, in a branch and a worktree of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, fork, rewind, show, task_complete, task_start, task_status
from devs_git.domain.ledger.event_names import kind_of
from devs_git.domain.ledger.history import fold
from devs_git.entrypoints.cli.texts import log_text
from devs_git.errors import DevsError
from devs_git.storage.ledger.index import NAME as INDEX
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.moment_stage import dirty, moment
from tests.support.rewind_cases import Case
from tests.support.scene import Scene, contents

WORK: dict[str, dict[str, str | None]] = {"10": {"b.txt": "b\n"}, "11": {"b.txt": "b\nb2\n", "c.txt": "c\n"}}


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks(WORK)


def forked(scene: Scene, target: str, name: str, **more: object) -> tuple[fork.Result, Path]:
    request = fork.Request(target, name, conversation=False, **more)  # type: ignore[arg-type]
    done = fork.run(Workspace.open(scene.top), request)
    return done, Path(done.worktree)


def refusal(scene: Scene, target: str = "10", name: str = "10b", **more: object) -> DevsError:
    before = contents(scene.top), scene.git("for-each-ref"), scene.git("worktree", "list")
    with pytest.raises(DevsError) as refused:
        forked(scene, target, name, **more)
    assert (contents(scene.top), scene.git("for-each-ref"), scene.git("worktree", "list")) == before
    assert not list((scene.top / ".git/devs/forks").glob("*"))
    return refused.value


@pytest.mark.quick
def test_a_fork_has_the_state_of_its_checkpoint_and_its_source_does_not_change(scene: Scene) -> None:
    scene.write({"c.txt": "mine\n", "new": "untracked\n"})
    before = contents(scene.top), scene.git("status", "--porcelain=v2", "--branch")
    done, place = forked(scene, "10", "10b", plan="Try again.")
    assert (done.task_id, done.title, done.forked_from, done.parent) == (
        "task-10b",
        "task 10",
        "task-10@1",
        "task-10",
    )
    assert (done.branch, place, done.session, done.left_out) == (
        "task-10b",
        scene.top.with_name("repo-task-10b"),
        None,
        (),
    )
    assert (place / "b.txt").read_text() == "b\n"
    assert not (place / "c.txt").exists()
    there = Workspace.open(place)
    assert (there.git.text("symbolic-ref", "HEAD"), there.head) == ("refs/heads/task-10b", done.point.commit)
    assert there.git.text("status", "--porcelain") == ""
    assert (contents(scene.top), scene.git("status", "--porcelain=v2", "--branch")) == before
    assert not list((scene.top / ".git/devs/forks").glob("*"))


@pytest.mark.quick
def test_a_fork_of_a_new_task_reads_no_whole_ledger(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    (scene.top / ".git" / INDEX).touch()
    monkeypatch.setattr(
        Ledger, "history_at", lambda _self, oid: pytest.fail(f"all events of {oid} were read")
    )
    for target, name, more in (
        ("10", "10b", {}),
        ("10@1", "Read dates", {"no_worktree": True}),
        ("11", "read-dates-3", {"at": "2100-01-01"}),
    ):
        done, _ = forked(scene, target, name, **more)
        assert (done.task_id, done.parent) == (
            f"task-{name}".replace("Read d", "read-d"),
            f"task-{target[:2]}",
        )


@pytest.mark.quick
def test_a_fork_is_a_task_that_names_its_origin_and_so_do_its_checkpoints(scene: Scene) -> None:
    done, place = forked(scene, "10@1", "10b", plan="Try again.")
    event = next(scene.workspace.ledger.newest_first())
    assert (event.oid, event.type, kind_of(event)) == (done.event, "task.started", ("task", "forked"))
    told = task_status.run(Workspace.open(place), task_status.Request())
    assert (told.task_id, told.status, told.parent, told.forked_from, told.plan, told.active_here) == (
        "task-10b",
        "active",
        "task-10",
        "task-10@1",
        "Try again.",
        True,
    )
    (place / "d.txt").write_text("d\n")
    checkpoint.run(Workspace.open(place), checkpoint.Request("half", everything=True))
    (place / "d.txt").write_text("dd\n")
    subprocess.run(["git", "commit", "-qam", "by git"], cwd=place, check=True)
    last = task_complete.run(Workspace.open(place), task_complete.Request(message="whole", everything=True))
    for name in ("10b@1", f"10b@{last.number}"):
        trailers = {
            one.key: one.value for one in show.show_checkpoint(scene.workspace, show.Request(name)).trailers
        }
        assert trailers["Devs-Forked-From"] == "task-10@1"
    task_start.run(Workspace.open(scene.top), task_start.Request("12", parent="10"))
    shown = show.show_checkpoint(Workspace.open(scene.top), show.Request("10"))
    assert shown.task
    assert [child.task_id for child in shown.task.children] == ["task-10b", "task-12"]
    assert [one.task_id for one in shown.task.forks] == ["task-10b"]
    text = log_text.show_text(shown)
    assert re.search(r"Forks \(1\):\n *task-10b .*\n\nTasks that are parts of it \(1\):\n *task-12 ", text)


def test_a_fork_that_is_started_again_stays_a_fork(scene: Scene) -> None:
    _done, place = forked(scene, "10", "10b")
    there = Workspace.open(place)
    there.places.active_task.unlink()
    task_start.run(Workspace.open(place), task_start.Request("10b"))
    task = fold(reversed(list(scene.workspace.ledger.newest_first()))).tasks["task-10b"]
    assert (task.forked_from, task.parent) == ("task-10@1", "task-10")


@pytest.mark.quick
def test_a_fork_of_a_moment_has_its_uncommitted_and_untracked_files(case: Case, tmp_path: Path) -> None:
    dirty(case, {})
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    place = tmp_path / "again"
    done = fork.run(
        case.workspace, fork.Request(name, "side quest!", worktree=str(place), conversation=False)
    )
    assert (done.task_id, done.title, done.forked_from) == ("task-side-quest", "side quest!", name_of(done))
    now = Case(place).look()
    assert {path: one for path, one in now.files.items() if path != b"run.log"} == {
        path: one for path, one in then.files.items() if path != b"run.log"
    }


def name_of(done: fork.Result) -> str:
    assert done.point.state.startswith("moment:")
    return done.point.state


def test_where_a_task_began_and_the_newest_state_until_a_time_can_be_forked(scene: Scene) -> None:
    begin, _ = forked(scene, "10@0", "a")
    assert begin.point.commit == scene.git("rev-parse", "HEAD~2")
    made = scene.workspace.ledger.tip().here.completion("task-10")
    assert made
    at, _ = forked(scene, "10", "b", at=made.created_at)
    assert at.forked_from == "task-10@1"
    earlier, _ = forked(scene, "10", "c", from_type="timestamp", from_value=begin.point.created_at)
    assert earlier.forked_from == "task-10@0"
    number, _ = forked(scene, "10", "d", from_type="checkpoint", from_value="1")
    assert number.forked_from == "task-10@1"
    assert refusal(scene, at="2001-01-01").code == "CHECKPOINT_NOT_FOUND"


def test_a_rewound_task_can_be_forked_and_a_taken_id_cannot_be_used(scene: Scene) -> None:
    rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    done, _ = forked(scene, "11@1", "11b")
    assert done.parent == "task-11"
    assert refusal(scene, name="11b").code == "TASK_EXISTS"
    again, place = forked(scene, "10", "11", branch="second")
    assert (again.task_id, again.branch, place.name) == ("task-11", "second", "repo-task-11")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"name": "10"}, "TASK_EXISTS"),
        ({"target": "12"}, "TASK_NOT_FOUND"),
        ({"target": "10@7"}, "CHECKPOINT_NOT_FOUND"),
        ({"target": "moment:3fa9c1d2"}, "MOMENT_NOT_FOUND"),
        ({"branch": "main"}, "INVALID_BRANCH"),
        ({"branch": "devs/x/.."}, "INVALID_BRANCH"),
        ({"worktree": "."}, "CONFLICT"),
        ({"worktree": "b.txt/below"}, "CONFLICT"),
        ({"worktree": ".git/hooks/there"}, "CONFLICT"),
        ({"at_message": "nobody"}, "MESSAGE_NOT_FOUND"),
        ({"target": "10@1", "at": "now"}, "INVALID_ARGUMENTS"),
        ({"name": "!"}, "INVALID_ARGUMENTS"),
        ({"to": "gemini"}, "INVALID_ARGUMENTS"),
        ({"no_worktree": True, "create_branch": False}, "INVALID_ARGUMENTS"),
        ({"from_type": "checkpoint"}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_refusal_changes_nothing(scene: Scene, more: dict[str, object], code: str) -> None:
    assert refusal(scene, **{"folder": str(scene.top), **more}).code == code  # type: ignore[arg-type]


def test_a_fork_can_be_only_a_branch_or_have_none(scene: Scene) -> None:
    alone, _ = forked(scene, "10", "a", no_worktree=True)
    assert (alone.worktree, scene.git("rev-parse", "task-a")) == ("", alone.point.commit)
    assert "task-a" not in scene.git("worktree", "list")
    bare, place = forked(scene, "10", "b", create_branch=False)
    assert (bare.branch, Workspace.open(place).git.text("rev-parse", "--abbrev-ref", "HEAD")) == ("", "HEAD")


def test_ten_forks_at_once_all_succeed(scene: Scene) -> None:
    words = [sys.executable, "-m", "devs_git", "fork", "10", "--no-conversation", "--name"]
    running = [
        subprocess.Popen(
            [*words, f"b{number}"], cwd=scene.top, stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for number in range(10)
    ]
    said = [(child.communicate(timeout=120), child.returncode) for child in running]
    assert [code for _, code in said] == [0] * 10, said
    tasks = Workspace.open(scene.top).ledger.tip().here.tasks
    assert {name for name, task in tasks.items() if task.forked_from} == {f"task-b{n}" for n in range(10)}
    assert not list((scene.top / ".git/devs/forks").glob("*"))
    assert scene.git("fsck", "--no-dangling", "--no-progress") == ""
