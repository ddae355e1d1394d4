"""restore: files come back as a new commit, and nothing is overwritten."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from devs_git.commands import checkpoint, restore, task_start, undo
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import gate_scene
from tests.support.scene import Scene, contents


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks(
        {
            "10": {"b.txt": "b\n", "d/x.txt": "x\n"},
            "11": {"b.txt": "b\nb2\n", "c.txt": "c\n", "d/x.txt": None},
        }
    )


def go(scene: Scene, target: str, *paths: str, folder: str = "") -> restore.Result:
    return restore.run(Workspace.open(scene.top), restore.Request(target, paths, folder))


@pytest.mark.quick
def test_the_whole_tree_comes_back_as_a_new_commit_on_top(scene: Scene) -> None:
    head = scene.git("rev-parse", "HEAD")
    result = go(scene, "10")
    assert (result.restored_from, result.files) == ("task-10", 3)
    assert scene.git("rev-parse", "HEAD^") == head
    assert scene.git("rev-parse", "HEAD^{tree}") == scene.git("rev-parse", "devs/task-10^{tree}")
    assert not (scene.top / "c.txt").exists()
    assert scene.git("status", "--porcelain") == ""
    undo.run(Workspace.open(scene.top), undo.Request())
    assert scene.git("rev-parse", "HEAD") == head
    assert (scene.top / "c.txt").read_text() == "c\n"


@pytest.mark.quick
def test_named_paths_alone_come_back_and_folders_count_whole(scene: Scene) -> None:
    assert go(scene, "10", "d").files == 1
    assert scene.git("diff", "--name-status", "HEAD^", "HEAD") == "A\td/x.txt"
    assert go(scene, "10", "c.txt").files == 1  # it was not there then
    assert scene.git("diff", "--name-status", "HEAD^", "HEAD") == "D\tc.txt"


def test_a_path_that_is_nowhere_is_told_with_the_command_that_lists_what_the_source_has(scene: Scene) -> None:
    with pytest.raises(DevsError) as refused:
        go(scene, "10", "gone.txt")
    listing = refused.value.hint.partition(": git ")[2].split()
    assert scene.git(*listing) == scene.git("ls-tree", "-r", "--name-only", "refs/tags/devs/task-10")


def test_paths_are_relative_to_the_folder_one_stands_in(scene: Scene) -> None:
    assert go(scene, "10", "x.txt", folder=str(scene.top / "d")).paths == ("d/x.txt",)
    with pytest.raises(DevsError) as refused:
        go(scene, "10", "../../x", folder=str(scene.top / "d"))
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "paths")


@pytest.mark.parametrize(("name", "text"), [("b.txt", "edited\n"), ("d/x.txt", "untracked\n")])
def test_it_refuses_to_overwrite_tracked_changes_and_untracked_files(
    scene: Scene, name: str, text: str
) -> None:
    scene.write({name: text})
    before, refs = contents(scene.top), scene.git("for-each-ref")
    with pytest.raises(DevsError) as refused:
        go(scene, "10")
    assert refused.value.code == "GIT_RESET_FAILED"
    assert (contents(scene.top), scene.git("for-each-ref")) == (before, refs)


def test_it_refuses_to_put_a_file_where_something_is_staged_in_a_folder(scene: Scene) -> None:
    scene.write({"b.txt": None, "b.txt/mine": "mine\n"})
    scene.git("add", "-A")
    scene.git("commit", "-q", "-m", "a folder")
    scene.write({"b.txt/more": "more\n"})
    scene.git("add", "-A")
    before, status = contents(scene.top), scene.git("status", "--porcelain")
    with pytest.raises(DevsError, match="Staged changes are in the way, such as 'b") as refused:
        go(scene, "10", "b.txt")
    assert refused.value.code == "GIT_RESET_FAILED"
    assert (contents(scene.top), scene.git("status", "--porcelain")) == (before, status)


def test_changes_elsewhere_are_carried_along_and_undo_brings_everything_back(scene: Scene) -> None:
    scene.write({"f1.txt": "edited\n", "staged.txt": "staged\n"})
    scene.git("add", "staged.txt")
    before, status = contents(scene.top), scene.git("status", "--porcelain")
    go(scene, "10")
    assert scene.git("status", "--porcelain") == status
    undo.run(Workspace.open(scene.top), undo.Request(preserve="discard"))
    assert (contents(scene.top), scene.git("status", "--porcelain")) == (before, status)


def test_a_snapshot_branch_can_be_the_source_and_a_missing_one_is_named(scene: Scene) -> None:
    scene.git("branch", "snapshot/edit-2001-02-03-0405", "devs/task-10^{commit}")
    assert go(scene, "snapshot/edit-2001-02-03-0405", "b.txt").files == 1
    with pytest.raises(DevsError) as refused:
        go(scene, "snapshot/none")
    assert refused.value.code == "SNAPSHOT_NOT_FOUND"


def test_where_every_file_is_so_already_nothing_is_written(scene: Scene) -> None:
    refs = scene.git("for-each-ref")
    assert go(scene, "11").files == 0
    assert scene.git("for-each-ref") == refs


def test_with_repo_paths_begin_there_and_not_where_one_stands(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    done = CliRunner().invoke(cli, ["restore", "--repo", str(scene.top / "d"), "10", "--", "x.txt"])
    assert done.exception is None, done.exception
    assert (scene.top / "d/x.txt").read_text() == "x\n"
    assert (scene.top / "b.txt").read_text() == "b\nb2\n"


@pytest.mark.parametrize("place", ["nowhere", "b.txt"])
def test_a_repo_that_is_not_there_is_told_as_that(scene: Scene, place: str) -> None:
    line = ["log", "--repo", str(scene.top / place)]
    with pytest.raises(DevsError, match=r"^This folder does not exist\.$"):
        CliRunner().invoke(cli, line, standalone_mode=False, catch_exceptions=False)


def test_in_a_folder_that_is_gone_there_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(DevsError, match=r"^This is not a git repository\.$"):
        CliRunner().invoke(cli, ["restore", "10"], standalone_mode=False, catch_exceptions=False)


def test_an_approved_text_of_the_tas_is_not_taken_back_without_a_decision(ledgered: Workspace) -> None:
    scene = Scene(ledgered)
    gate_scene.commit(scene.top, {"TAS.md": gate_scene.TAS, "other.txt": "then\n"})
    task_start.run(Workspace.open(scene.top), task_start.Request("10"))
    checkpoint.run(Workspace.open(scene.top), checkpoint.Request())
    gate_scene.approve(
        Workspace.open(scene.top), gate_scene.ask(Workspace.open(scene.top), text=gate_scene.NEW)
    )
    gate_scene.commit(scene.top, {"other.txt": "now\n"})
    head = scene.git("rev-parse", "HEAD")
    with pytest.raises(DevsError) as refused:
        go(scene, "10@1")
    assert (refused.value.code, refused.value.details["path"]) == ("TAS_UNAPPROVED", "TAS.md")
    assert (scene.git("rev-parse", "HEAD"), scene.git("status", "--porcelain")) == (head, "")
    assert list((scene.top / ".git/devs/journal").iterdir()) == []
    assert go(scene, "10@1", "other.txt").files == 1
    assert (scene.top / "TAS.md").read_text() == gate_scene.NEW


def test_a_commit_made_while_git_looks_at_the_files_is_not_left_behind(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scene.git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    moving = f"{shutil.which('git')} update-ref refs/heads/main {made}"
    program.write_text(
        f'#!/bin/sh\ncase " $* " in *" ls-tree -t "*) {moving};; esac\nexec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    with pytest.raises(DevsError) as refused:
        go(scene, "10", "d")
    assert refused.value.code == "PLAN_STALE"
    assert scene.git("rev-parse", "HEAD") == made
    assert scene.git("status", "--porcelain") == ""
