"""A history that was rewritten is found by what reads it, and nothing of the old one is put under the new commits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    branch,
    diff,
    doctor,
    history_rewritten,
    log,
    restore,
    rewind,
    show,
    status,
    undo,
)
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.filter_repo import MAP, filter_repo
from tests.support.scene import Scene, contents

SECRET = "TOKEN=hunter2-and-more\n"
PURGED = ("--invert-paths", "--path", "secret.env")


@pytest.fixture
def scene(initialised: Path) -> Scene:
    """task-1 without the secret, task-2 with it, task-3 on top."""
    made = Scene(Workspace.open(initialised))
    made.task("1", {"a.txt": "one\n"})
    made.task("2", {"a.txt": "two\n", "secret.env": SECRET})
    made.task("3", {"a.txt": "three\n"})
    return made


def refused(scene: Scene, verb: str, request: Any) -> str:
    """The code of the refusal of a verb that must change no file."""
    before = contents(scene.top)
    with pytest.raises(DevsError) as error:
        router.call(verb, Workspace.open(scene.top), request)
    assert contents(scene.top) == before
    return error.value.code


def findings(scene: Scene) -> list[tuple[str, str]]:
    found = doctor.run(Workspace.open(scene.top), doctor.Request()).findings
    return [(one.code, one.severity) for one in found]


# filter-repo puts new oids of commits into messages, the ledger's too, or, when it is told to, leaves them alone.
HASHES = pytest.mark.parametrize(
    "hashes", [(), ("--preserve-commit-hashes",)], ids=["translated", "as they were"]
)


@pytest.mark.quick(1)
@HASHES
def test_rewind_does_not_put_the_old_tree_under_the_new_commit(scene: Scene, hashes: tuple[str, ...]) -> None:
    filter_repo(scene.top, *PURGED, *hashes)
    for request in (rewind.Request("task-2"), rewind.Request("task-2@1", dry_run=True)):
        assert refused(scene, "rewind", request) == "HISTORY_REWRITTEN"
    assert not (scene.top / "secret.env").exists()


@HASHES
def test_it_is_one_finding_of_doctor_and_the_reason_of_every_other_refusal(
    scene: Scene, hashes: tuple[str, ...]
) -> None:
    filter_repo(scene.top, *PURGED, *hashes)
    assert findings(scene) == [("HISTORY_REWRITTEN", "error")]
    requests: tuple[tuple[str, Any], ...] = (
        ("show", show.Request("task-2")),
        ("restore", restore.Request("task-2")),
        ("branch", branch.Request("task-3", "try")),
    )
    assert {verb: refused(scene, verb, request) for verb, request in requests} == {
        verb: "HISTORY_REWRITTEN" for verb, _ in requests
    }


def test_it_is_found_where_only_the_branch_was_rewritten_and_the_old_commits_are_all_here(
    scene: Scene,
) -> None:
    filter_repo(scene.top, *PURGED, "--refs", "main")
    assert findings(scene) == [("HISTORY_REWRITTEN", "error")]
    requests: tuple[tuple[str, Any], ...] = (
        ("show", show.Request("task-2")),
        ("rewind", rewind.Request("task-2")),
        ("rewind", rewind.Request("task-2", dry_run=True)),
    )
    for verb, request in requests:
        assert refused(scene, verb, request) == "HISTORY_REWRITTEN"
    assert show.show_checkpoint(Workspace.open(scene.top), show.Request("task-1")).way_back == ""
    history_rewritten.run(Workspace.open(scene.top), history_rewritten.Request(MAP, str(scene.top)))
    assert findings(scene) == []
    assert show.show_checkpoint(Workspace.open(scene.top), show.Request("task-2")).number == 2


def test_what_shows_a_ledger_that_was_rewritten_names_the_way_out(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED, "--message-callback", 'return message.replace(b"done", b"made")')
    with pytest.raises(DevsError) as error:
        router.call("rewind", Workspace.open(scene.top), rewind.Request("task-1"))
    requests: tuple[tuple[str, Any], ...] = (("log", log.Request()), ("status", status.Request()))
    for verb, request in requests:
        said = router.call(verb, Workspace.open(scene.top), request).not_believed
        assert said == f"HISTORY_REWRITTEN: {error.value.message} {error.value.hint}"
        assert f"devs-git history-rewritten --map {MAP}" in said


# Each leaves task-1's commit as it was, and puts others in the place of the two after it.
REWRITINGS = pytest.mark.parametrize(
    "options",
    [(), ("--preserve-commit-hashes",), ("--preserve-commit-hashes", "--refs", "main")],
    ids=["translated", "as they were", "only the branch"],
)


@REWRITINGS
def test_a_rewind_does_not_go_past_tasks_whose_commits_were_rewritten(
    scene: Scene, options: tuple[str, ...]
) -> None:
    filter_repo(scene.top, *PURGED, *options)
    for request in (rewind.Request("task-1"), rewind.Request("task-1", dry_run=True)):
        assert refused(scene, "rewind", request) == "HISTORY_REWRITTEN"
    history_rewritten.run(Workspace.open(scene.top), history_rewritten.Request(MAP, str(scene.top)))
    done = router.call("rewind", Workspace.open(scene.top), rewind.Request("task-1"))
    assert done.affected_tasks == ("task-2", "task-3")


def test_a_rewind_does_not_go_past_a_rewritten_task_that_no_map_tells_of(scene: Scene) -> None:
    """Of the map nothing is left here: our refs tell."""
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes")
    (scene.top / MAP).unlink()
    assert refused(scene, "rewind", rewind.Request("task-1")) == "HISTORY_REWRITTEN"


def test_a_rewind_does_not_go_past_a_task_of_which_the_rewriting_left_nothing(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.task("1", {"a.txt": "one\n"})
    scene.task("2", {"secret.env": SECRET})
    scene.write({"a.txt": "two\n"})
    scene.git("commit", "-qam", "no task")
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes")
    assert refused(scene, "rewind", rewind.Request("task-1")) == "HISTORY_REWRITTEN"


@REWRITINGS
def test_an_undo_does_not_leave_behind_a_task_whose_commit_was_rewritten(
    initialised: Path, options: tuple[str, ...]
) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.task("1", {"a.txt": "one\n"})
    scene.task("4", {"b.txt": "four\n"})
    router.call("rewind", Workspace.open(scene.top), rewind.Request("task-1"))
    scene.task("5", {"secret.env": SECRET, "c.txt": "five\n"})
    filter_repo(scene.top, *PURGED, *options)
    for request in (undo.Request(preserve="branch"), undo.Request(preserve="branch", dry_run=True)):
        assert refused(scene, "undo", request) == "HISTORY_REWRITTEN"
    history_rewritten.run(Workspace.open(scene.top), history_rewritten.Request(MAP, str(scene.top)))
    done = router.call("undo", Workspace.open(scene.top), undo.Request(preserve="branch"))
    assert (done.revived, done.undone) == (("task-4@1",), ("task-5@2",))


def test_a_rewind_minds_no_tasks_that_were_rewritten_on_another_branch(scene: Scene) -> None:
    scene.git("branch", "other")
    scene.git("reset", "-q", "--hard", "HEAD~2")
    scene.task("4", {"b.txt": "four\n"})
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes", "--refs", "other")
    done = router.call("rewind", Workspace.open(scene.top), rewind.Request("task-1"))
    assert done.affected_tasks == ("task-4",)


def test_an_old_map_says_nothing_of_a_branch_that_went_back_to_the_old_commits(scene: Scene) -> None:
    old = scene.git("rev-parse", "HEAD")
    filter_repo(scene.top, *PURGED, "--refs", "main")
    scene.git("reset", "--hard", old)
    assert findings(scene) == []
    assert show.show_checkpoint(Workspace.open(scene.top), show.Request("task-2")).way_back == ""


def test_a_comparison_with_a_commit_that_is_gone_says_so(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes")
    assert refused(scene, "diff", diff.Request("task-2")) == "HISTORY_REWRITTEN"


def test_an_undo_does_not_go_back_to_a_commit_that_is_gone(scene: Scene) -> None:
    router.call("rewind", Workspace.open(scene.top), rewind.Request("task-2"))
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes")
    assert refused(scene, "undo", undo.Request()) == "NOTHING_TO_UNDO"


def test_checkpoints_whose_commits_stayed_are_no_finding(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED)
    assert show.show_checkpoint(Workspace.open(scene.top), show.Request("task-1")).name == "task-1@1"


@HASHES
def test_a_checkpoint_whose_commit_stayed_is_on_head_as_before(scene: Scene, hashes: tuple[str, ...]) -> None:
    filter_repo(scene.top, *PURGED, *hashes)
    seen = show.show_checkpoint(Workspace.open(scene.top), show.Request("task-1"))
    assert (seen.state, seen.way_back) == ("completed", "")


def test_a_shallow_clone_and_one_without_the_checkpoints_are_no_rewritten_ones(
    scene: Scene, tmp_path: Path
) -> None:
    for name, depth in (("shallow", ("--depth=1",)), ("whole", ())):
        there = tmp_path / name
        scene.git("clone", "-q", *depth, f"file://{scene.top}", str(there))
        scene.git("-C", str(there), "fetch", "-q", "origin", "refs/heads/devs/ledger:refs/heads/devs/ledger")
        assert "HISTORY_REWRITTEN" not in dict(findings(Scene(Workspace.open(there))))
