"""Visible tags follow the ledger, whatever pruned them or brought them back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import rewind
from devs_git.storage.ledger import visible_tags
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene


def verb(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "devs_git", *words], check=True, capture_output=True)


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "c\n"}})


@pytest.mark.quick
def test_a_tag_that_fetch_pruned_comes_back_with_the_next_verb_that_changes_something(
    scene: Scene, tmp_path: Path
) -> None:
    tags = scene.git("for-each-ref", "refs/tags")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "far.git")], check=True)
    scene.git("remote", "add", "origin", str(tmp_path / "far.git"))
    scene.git("fetch", "-q", "--prune", "--prune-tags", "origin")
    assert scene.git("for-each-ref", "refs/tags") == ""
    verb("status")  # reading mends nothing
    assert scene.git("for-each-ref", "refs/tags") == ""
    verb("task", "start", "12")
    assert scene.git("for-each-ref", "refs/tags") == tags


def test_an_undone_tag_that_a_fetch_brings_back_goes_again(scene: Scene) -> None:
    undone = scene.git("rev-parse", "devs/task-11")
    rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    scene.git("update-ref", "refs/tags/devs/task-11", undone)
    verb("task", "start", "12")
    assert scene.git("tag") == "devs/task-10"


@pytest.mark.quick
def test_an_undone_tag_that_no_number_keeps_does_not_go(scene: Scene) -> None:
    """Its name is then all that keeps the checkpoint from the next gc."""
    undone = scene.git("rev-parse", "devs/task-11")
    rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    scene.git("update-ref", "refs/tags/devs/task-11", undone)
    scene.git("update-ref", "-d", "refs/devs/checkpoints/task-11/1")
    verb("task", "start", "12")
    assert scene.git("rev-parse", "refs/tags/devs/task-11") == undone


def test_a_tag_that_somebody_moved_and_one_of_somebody_else_are_left_alone(scene: Scene) -> None:
    scene.git("tag", "-f", "devs/task-11", "HEAD")
    scene.git("tag", "devs/mine", "HEAD")
    verb("task", "start", "12")
    assert scene.git("tag").split() == ["devs/mine", "devs/task-10", "devs/task-11"]
    assert scene.git("cat-file", "-t", "devs/task-11") == "commit"


def test_the_ledger_is_read_for_the_tags_only_where_somebody_else_changed_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = scene.workspace.ledger
    verb("task", "start", "12")

    def asked(_oid: str) -> None:
        raise AssertionError("the whole ledger was read")

    monkeypatch.setattr(type(ledger), "history_at", lambda _self, oid: asked(oid))
    assert visible_tags.mend(ledger) == ()
    scene.git("tag", "-d", "devs/task-10")
    with pytest.raises(AssertionError, match="whole ledger"):
        visible_tags.mend(ledger)
