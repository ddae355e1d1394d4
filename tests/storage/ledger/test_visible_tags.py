"""Visible tags follow the ledger, whatever pruned them or brought them back."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import rewind, undo
from devs_git.storage.git import ref_files, refs
from devs_git.storage.ledger import visible_tags
from devs_git.storage.ledger.index import NAME, index_queries, index_tables
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.clones import Clone, make_pair
from tests.support.random_work import RandomWork
from tests.support.scene import Scene

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_PLANS", "2"))
TAGS = "refs/tags/devs"


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


def test_tags_that_git_packed_since_are_as_noted_and_one_that_somebody_deleted_then_comes_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = scene.git("for-each-ref", TAGS)
    verb("task", "start", "12")
    scene.git("pack-refs", "--all")
    ledger = scene.workspace.ledger
    with monkeypatch.context() as without_ledger:
        without_ledger.setattr(type(ledger), "history_at", lambda _self, oid: pytest.fail(f"{oid} was read"))
        assert visible_tags.mend(ledger) == ()
    scene.git("tag", "-d", "devs/task-10")
    assert visible_tags.mend(ledger) == (f"{TAGS}/task-10",)
    assert scene.git("for-each-ref", TAGS) == tags


@pytest.mark.usefixtures("scene")
def test_no_command_has_git_list_the_visible_tags(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With 25,000 of them that takes longer than most commands."""
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(tmp_path / "trace"))
    for words in ("task start 12", "restore --yes 10", "rewind --yes 10 --preserve discard", "undo --yes"):
        verb(*words.split())
    events = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    calls = [event["argv"] for event in events if event["event"] == "start"]
    assert any("for-each-ref" in words for words in calls)
    assert [words for words in calls if TAGS in words] == []


def test_after_a_merge_the_only_tag_comes_back(scene: Scene) -> None:
    """Before the merge the note said that there is none."""
    tags = scene.git("for-each-ref", TAGS)
    kept = Clone(scene.top).call("rewind", rewind.Request("10^")).preserved_as["reference"]
    verb("task", "start", "12")
    assert scene.git("tag") == ""
    scene.git("merge", "-q", "--ff-only", kept)
    # As the hook post-merge does.
    (scene.top / ".git/devs/visible-tags").write_text("\n")
    verb("task", "abandon", "12", "--yes")
    assert scene.git("for-each-ref", TAGS) == tags


def test_a_note_of_an_earlier_version_is_still_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the tags as git lists them."""
    verb("task", "start", "12")
    scene.git("pack-refs", "--all")
    ledger = scene.workspace.ledger
    listed = scene.git("for-each-ref", "--format=%(objectname) %(refname)", TAGS)
    (ledger.common / "devs/visible-tags").write_text(f"{listed}\n")
    monkeypatch.setattr(type(ledger), "history_at", lambda _self, oid: pytest.fail(f"{oid} was read"))
    assert visible_tags.mend(ledger) == ()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_index_sees_each_tag_that_the_whole_ledger_would_change(
    seed: int, initialised: Path, tmp_path: Path
) -> None:
    work = RandomWork(seed + 200, make_pair(initialised, tmp_path))
    for _ in range(40):
        clone = work.step()
        (clone.opened.ledger.common / NAME).touch()
        preserved = clone.git("for-each-ref", "--format=%(objectname)", "refs/heads/devs/preserved").split()
        # git moves the branch back, and no hook of ours tells what that changes.
        for place in ("HEAD", *preserved[-2:], "@{1}" if preserved else "HEAD"):
            clone.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", place)
            ledger = clone.opened.ledger
            tags = refs.list_refs(ledger.git, TAGS)
            wanted = visible_tags.out_of_step(Tip(ledger, ledger.tip().oid).here, tags)
            listed = ref_files.list_below(ledger.git, ledger.common, TAGS)
            assert visible_tags.may_be_out_of_step(ledger, listed) == bool(wanted)


def test_with_an_index_the_tag_of_a_task_whose_commits_git_brought_back_is_there_again(scene: Scene) -> None:
    clone = Clone(scene.top)
    kept = clone.call("rewind", rewind.Request("10")).preserved_as["reference"]
    assert scene.git("tag") == "devs/task-10"
    (clone.opened.ledger.common / NAME).touch()
    scene.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", kept)
    assert visible_tags.mend(clone.opened.ledger, always=True) == (f"{TAGS}/task-11",)
    scene.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "@{1}")
    assert visible_tags.mend(clone.opened.ledger, always=True) == (f"{TAGS}/task-11",)
    assert scene.git("tag") == "devs/task-10"


def test_with_a_planted_index_a_rewind_changes_no_tag_that_the_ledger_does_not_change(scene: Scene) -> None:
    """The index hides the undo of a rewind: then the task would be undone, and its tag would go."""
    clone = Clone(scene.top)
    clone.call("rewind", rewind.Request("10"))
    clone.call("undo", undo.Request())
    tags = scene.git("for-each-ref", TAGS)
    scene.git("checkout", "-q", "-b", "other")
    scene.git("branch", "-q", "-f", "main", "HEAD^")
    path = clone.opened.ledger.common / NAME
    path.touch()
    tip = clone.opened.ledger.tip()
    assert index_queries.ask(tip, lambda base: index_tables.about(base, "tip")) == tip.oid
    with sqlite3.connect(path) as base:
        base.execute("DELETE FROM touches WHERE seq = (SELECT max(seq) FROM events)")
    ledger = clone.opened.ledger
    assert visible_tags.may_be_out_of_step(ledger, ref_files.list_below(ledger.git, ledger.common, TAGS))
    assert visible_tags.mend(clone.opened.ledger, always=True) == ()
    assert scene.git("for-each-ref", TAGS) == tags


@pytest.mark.quick
def test_a_rewind_reads_no_whole_ledger_for_tags_that_no_branch_changes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = Clone(scene.top)
    clone.call("rewind", rewind.Request("10"))
    clone.call("undo", undo.Request())
    (clone.opened.ledger.common / NAME).touch()

    def refuse(_tip: Tip) -> object:
        raise AssertionError("the whole ledger was read")

    monkeypatch.setattr(Tip, "history", property(refuse))
    assert visible_tags.mend(clone.opened.ledger, always=True) == ()
    scene.git("reset", "-q", "--hard", "HEAD^")
    assert visible_tags.mend(clone.opened.ledger, always=True) == ()
