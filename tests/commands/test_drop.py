"""drop: a new commit takes one task back, and the later ones stay."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.commands import drop, log, rewind, task_start, task_status, undo
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import gate_scene
from tests.support.gate_scene import ask
from tests.support.refusals import refusal
from tests.support.scene import Scene, contents
from tests.support.terminal_person import at_terminal

TAG = "refs/tags/devs/task-11"


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks(
        {
            "10": {"b.txt": "one\ntwo\nthree\n", "ten.txt": "10\n"},
            "11": {"b.txt": "ONE\ntwo\nthree\n", "eleven.txt": "11\n", "ten.txt": None},
            "12": {"b.txt": "ONE\ntwo\nthree\nfour\n", "twelve.txt": "12\n"},
        }
    )


def go(scene: Scene, task: str = "11", **options: Any) -> drop.Result:
    result: drop.Result = router.call("drop", Workspace.open(scene.top), drop.Request(task, **options))
    return result


def states(scene: Scene) -> dict[str, str]:
    rows = router.call("log", Workspace.open(scene.top), log.Request()).checkpoints
    return {row.task_id: row.state for row in reversed(rows)}


def status(scene: Scene, task: str = "11") -> str:
    found = router.call("task status", Workspace.open(scene.top), task_status.Request(task))
    return str(found.status)


@pytest.mark.quick
def test_the_changes_of_one_task_go_and_later_ones_stay(scene: Scene) -> None:
    head = scene.git("rev-parse", "HEAD")
    done = go(scene)
    assert (scene.top / "b.txt").read_text() == "one\ntwo\nthree\nfour\n"
    assert (scene.top / "ten.txt").read_text() == "10\n"
    assert not (scene.top / "eleven.txt").exists()
    assert (scene.top / "twelve.txt").read_text() == "12\n"
    assert scene.git("rev-parse", "HEAD", "HEAD^").split() == [done.commit, head]
    assert scene.git("log", "-1", "--format=%s") == "Drop task-11 (task 11)"
    assert scene.git("status", "--porcelain") == ""
    assert done.undone == ("task-11@1",)
    assert states(scene) == {"task-10": "completed", "task-11": "dropped", "task-12": "completed"}
    assert status(scene) == "dropped"
    assert TAG not in scene.git("for-each-ref", "--format=%(refname)")


@pytest.mark.quick
def test_undo_brings_it_back_to_the_byte_and_undo_again_drops_it(scene: Scene) -> None:
    scene.write({"local.txt": "mine\n"})
    before, refs = contents(scene.top), scene.git("for-each-ref", "refs/heads/main", "refs/tags")
    go(scene)
    dropped = contents(scene.top)
    router.call("undo", Workspace.open(scene.top), undo.Request())
    assert contents(scene.top) == before
    assert scene.git("for-each-ref", "refs/heads/main", "refs/tags") == refs
    assert (status(scene), states(scene)["task-11"]) == ("completed", "completed")
    router.call("undo", Workspace.open(scene.top), undo.Request())
    assert contents(scene.top) == dropped
    assert (status(scene), states(scene)["task-11"]) == ("dropped", "dropped")


@pytest.mark.quick
def test_a_conflict_changes_nothing_and_names_each_file(scene: Scene) -> None:
    before, refs = contents(scene.top), scene.git("for-each-ref")
    error = refusal(lambda: go(scene, "10"))
    assert (error.code, error.details["paths"]) == ("CONFLICT", ["b.txt"])
    assert (contents(scene.top), scene.git("for-each-ref")) == (before, refs)
    planned = go(scene, "10", dry_run=True)
    assert [one["code"] for one in planned.blocked_by] == ["CONFLICT"]


def test_a_task_of_several_commits_does_not_conflict_with_itself(scene: Scene) -> None:
    opened = Workspace.open(scene.top)
    router.call("task start", opened, task_start.Request("13"))
    for text in ("a\n", "b\n", "c\n"):
        scene.write({"b.txt": text})
        scene.git("commit", "-qam", f"it is {text}\nDevs-Task: task-13")
    done = go(scene, "13")
    assert len(done.dropped) == 3
    assert (scene.top / "b.txt").read_text() == "ONE\ntwo\nthree\nfour\n"
    assert (done.was_active, done.now_active) == ("task-13", "")
    assert not opened.places.active_task.exists()
    router.call("undo", Workspace.open(scene.top), undo.Request())
    assert (scene.top / "b.txt").read_text() == "c\n"
    assert "task-13" in opened.places.active_task.read_text()


def test_a_merge_of_the_task_is_refused_and_named(scene: Scene) -> None:
    scene.git("checkout", "-qb", "side", "HEAD^")
    scene.write({"side.txt": "s\n"})
    scene.git("add", "side.txt")
    scene.git("commit", "-qm", "side")
    scene.git("checkout", "-q", "main")
    scene.git("merge", "-q", "--no-ff", "-m", "both\n\nDevs-Task: task-11", "side")
    head = scene.git("rev-parse", "HEAD")
    error = refusal(lambda: go(scene))
    assert (error.code, error.details["commits"]) == ("CONFLICT", [head])
    assert head[:12] in error.hint


def test_a_commit_that_two_tasks_share_is_refused_and_named(scene: Scene) -> None:
    scene.git("commit", "-q", "--allow-empty", "-m", "squashed\n\nDevs-Task: task-11\nDevs-Task: task-12")
    error = refusal(lambda: go(scene))
    assert (error.code, len(error.details["commits"])) == ("CONFLICT", 1)


def test_a_name_with_a_point_is_no_pattern(tasks: Tasks) -> None:
    scene = tasks({"1.5": {"x": "x\n"}, "1x5": {"y": "y\n"}})
    assert len(go(scene, "1.5").dropped) == 1
    assert (scene.top / "y").exists()


@pytest.mark.parametrize("name", ["none", "12"])
def test_a_task_that_has_nothing_on_head_is_refused(scene: Scene, name: str) -> None:
    if name == "12":
        scene.git("reset", "-q", "--hard", "HEAD^")
    code = refusal(lambda: go(scene, name)).code
    assert code == ("TASK_NOT_FOUND" if name == "none" else "NO_CHECKPOINT")


def test_what_was_reverted_by_hand_is_not_dropped_again(scene: Scene) -> None:
    scene.git("revert", "--no-edit", "HEAD")
    head = scene.git("rev-parse", "HEAD")
    assert refusal(lambda: go(scene, "12")).code == "NO_CHECKPOINT"
    go(scene)
    assert refusal(lambda: go(scene)).code == "NO_CHECKPOINT"
    assert scene.git("rev-parse", "HEAD^") == head


@pytest.mark.quick
def test_local_changes_elsewhere_stay_and_those_in_the_way_refuse(scene: Scene) -> None:
    scene.write({"twelve.txt": "edited\n", "new.txt": "new\n"})
    scene.git("add", "new.txt")
    go(scene)
    assert scene.git("status", "--porcelain").split("\n") == ["A  new.txt", " M twelve.txt"]
    router.call("undo", Workspace.open(scene.top), undo.Request(preserve="discard"))
    scene.write({"eleven.txt": "edited\n"})
    before = contents(scene.top)
    assert refusal(lambda: go(scene)).code == "GIT_RESET_FAILED"
    planned = go(scene, dry_run=True)
    assert planned.blocked_by[0]["paths"] == ["eleven.txt"]
    assert contents(scene.top) == before


def test_an_untracked_file_in_the_way_refuses(scene: Scene) -> None:
    scene.write({"ten.txt": "mine\n"})
    assert refusal(lambda: go(scene)).code == "GIT_RESET_FAILED"
    assert go(scene, dry_run=True).blocked_by[0]["reason"] == "untracked_in_the_way"
    assert (scene.top / "ten.txt").read_text() == "mine\n"


@pytest.mark.quick
def test_a_dry_run_writes_nothing_and_says_what_would_happen(scene: Scene) -> None:
    def everything() -> list[str]:
        inside = scene.top / ".git"
        return sorted(f"{path} {path.stat().st_mtime_ns}" for path in inside.rglob("*"))

    before = everything()
    plan = go(scene, dry_run=True)
    assert everything() == before
    assert plan.files["modified"] == ("b.txt",)
    assert (plan.files["added"], plan.files["deleted"]) == (("ten.txt",), ("eleven.txt",))
    assert (plan.drop_id, plan.commit, plan.blocked_by) == ("", "", ())


def test_no_merge_driver_of_the_configuration_runs(scene: Scene) -> None:
    (scene.top / ".git/info/attributes").write_text("b.txt merge=own\n")
    scene.git("config", "merge.own.driver", f"touch {scene.top}/RAN; exit 0")
    assert refusal(lambda: go(scene)).details["paths"] == ["b.txt"]
    assert not (scene.top / "RAN").exists()


def test_a_detached_head_moves_alone(scene: Scene) -> None:
    scene.git("checkout", "-q", "--detach")
    main = scene.git("rev-parse", "main")
    done = go(scene)
    assert (done.branch, scene.git("rev-parse", "main")) == ("", main)
    assert scene.git("rev-parse", "HEAD") == done.commit


def test_after_a_reset_over_the_drop_the_task_is_live_again(scene: Scene) -> None:
    go(scene)
    scene.git("reset", "-q", "--hard", "HEAD^")
    assert (status(scene), states(scene)["task-11"]) == ("completed", "completed")


def test_a_rewind_over_the_drop_has_the_task_again(scene: Scene) -> None:
    go(scene)
    scene.task("14", {"x": "x\n"})
    router.call("rewind", Workspace.open(scene.top), rewind.Request("12"))
    assert (scene.top / "eleven.txt").exists()
    assert states(scene)["task-11"] == "completed"
    assert TAG in scene.git("for-each-ref", "--format=%(refname)")
    router.call("undo", Workspace.open(scene.top), undo.Request())
    assert states(scene)["task-11"] == "dropped"


def test_the_id_of_a_dropped_task_is_free_again(scene: Scene) -> None:
    go(scene)
    scene.task("11", {"again.txt": "again\n"})
    assert states(scene)["task-11"] == "completed"
    assert go(scene).dropped == (scene.git("rev-parse", "HEAD^"),)


@pytest.mark.quick
def test_the_command_line_prints_the_plan_and_the_result(scene: Scene) -> None:
    runner = CliRunner()
    planned = runner.invoke(cli, ["drop", "11", "--dry-run", "--repo", str(scene.top)])
    assert "takes back      1 commit, 3 files (1 added, 1 modified, 1 deleted)" in planned.output
    done = runner.invoke(cli, ["drop", "11", "--json", "--repo", str(scene.top)])
    assert json.loads(done.output)["undone"] == ["task-11@1"]
    assert runner.invoke(cli, ["drop", "12", "--repo", str(scene.top)]).output.startswith(
        "Dropped task-12 as "
    )


@pytest.mark.quick
def test_it_waits_while_a_gate_is_open_and_a_person_overrides_with_a_reason(scene: Scene) -> None:
    gate_id = ask(Workspace.open(scene.top))
    assert refusal(lambda: go(scene)).code == "GATE_BLOCKED"
    assert go(scene, dry_run=True).blocked_by[0]["code"] == "GATE_BLOCKED"
    words = ("drop", "11", "--override-gate", "It is broken.", "--yes")
    done, shown = at_terminal(scene.top, *words, typed="y\n")
    assert done == 0, shown
    ledger = Workspace.open(scene.top).ledger
    event = next(ledger.events())
    assert (event.type, event.get("Devs-Reason")) == ("dropped", "It is broken.")
    assert ledger.open_gates() == (gate_id,)


def test_an_approved_text_of_the_tas_is_not_taken_back_without_a_decision(ledgered: Workspace) -> None:
    scene = Scene(ledgered)
    gate_scene.commit(scene.top, {"TAS.md": gate_scene.TAS})
    text = gate_scene.NEW + "\n\nDevs-Task: task-11"
    gate_id = ask(Workspace.open(scene.top))
    gate_scene.approve(Workspace.open(scene.top), gate_id)
    scene.git("commit", "-q", "--amend", "-m", f"TAS\n\n{text.rpartition(chr(10))[2]}")
    task_start.run(Workspace.open(scene.top), task_start.Request("11"))
    head = scene.git("rev-parse", "HEAD")
    error = refusal(lambda: go(scene))
    assert (error.code, error.details["path"]) == ("TAS_UNAPPROVED", "TAS.md")
    assert scene.git("rev-parse", "HEAD") == head


def test_an_older_git_is_named(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("git")
    program = tmp_path / "git"
    program.write_text(f'#!/bin/sh\ncase "$*" in *merge-tree*) exit 129;; esac\nexec {real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    error = refusal(lambda: go(scene))
    assert (error.code, error.details["reason"]) == ("GIT_RESET_FAILED", "git_failed")
    assert "2.38" in error.message


def test_a_trailer_with_separators_is_no_other_commit(scene: Scene) -> None:
    honest = go(scene, dry_run=True).dropped
    other = scene.git("rev-parse", "HEAD", "HEAD^{tree}", "HEAD^").replace("\n", "\x1f")
    message = f"x\n\nDevs-Task: 11\n\nDevs-Task: task-11\x1e{other}\x1ftask-11"
    scene.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
    assert go(scene, dry_run=True).dropped == honest
    assert [one["code"] for one in go(scene, "10", dry_run=True).blocked_by] == ["CONFLICT"]


@pytest.mark.quick
def test_log_and_history_name_the_drop(scene: Scene) -> None:
    go(scene)
    runner = CliRunner()
    shown = runner.invoke(cli, ["log", "--all", "--repo", str(scene.top)]).output
    assert "drop: task-11" in shown
    told = runner.invoke(cli, ["history", "--json", "--limit", "1", "--repo", str(scene.top)]).output
    row = json.loads(told)["events"][0]
    assert (row["event_type"], row["event_subtype"], row["task_id"]) == ("task", "dropped", "task-11")
