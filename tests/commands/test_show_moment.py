"""`show moment:…`: what a moment has, why it was made, and what one can do with it now."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devs_git.commands import show, task_start
from devs_git.commands.show import MomentResult, Request
from devs_git.domain.moments.moment import Occasion
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.entrypoints.cli.texts.log_text import show_text
from devs_git.errors import DevsError
from devs_git.storage.moments import make_moment
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import maker
from tests.support.turn_scene import ONE, Turns

pytestmark = pytest.mark.quick


def shown(workspace: Workspace, name: str) -> MomentResult:
    found = show.run(workspace, Request(name))
    assert isinstance(found, MomentResult)
    return found


def test_it_has_occasion_place_and_counts(turns: Turns, git: Run) -> None:
    first = turns.moment(0)
    task_start.run(turns.now(1), task_start.Request("10", title="t"))
    for name in ("a.txt", "staged.txt"):
        turns.edit(name, "staged\n")
    git("add", "a.txt", "staged.txt")
    turns.edit("a.txt", "staged, then edited\n")
    (turns.workspace.top / "f1.txt").unlink()
    turns.edit("new.txt", "untracked\n")
    subprocess.run(["git", "init", "-q", "nested"], cwd=turns.workspace.top, check=True)
    made = turns.moment(60, "call", ONE, "make it")
    turns.says(59, ONE, "user", "please")
    turns.says(59.5, ONE, "assistant", "yes")
    turns.read()
    found = shown(turns.now(100), "moment:-1")
    assert (found.id, found.kind, found.words, found.session_id, found.turn) == (
        made,
        "call",
        "make it",
        ONE,
        1,
    )
    assert found.point == SessionPoint("claude", ONE, f"{ONE}-1", f"{ONE}-1", 2)
    assert f"up to message 2 of {ONE}: {ONE}-1" in show_text(found)
    assert (found.staged, found.unstaged, found.untracked) == (2, 2, 1)
    assert (found.head, found.branch, found.task_id) == (git("rev-parse", "HEAD"), "main", "task-10")
    assert (found.left_out, found.previous, found.files_changed) == (("nested/",), first, 4)
    assert (found.unmerged, found.under_way, found.folder, found.gone) == (False, "", ".", False)
    assert [line.split()[1] for line in found.commands] == ["diff", "rewind", "restore"]
    assert all(found.name in line for line in found.commands)
    text = show_text(found)
    for part in (
        "make it",
        f"{ONE} (claude), turn 1",
        "2 staged, 2 not staged, 1 untracked",
        *found.commands,
        "nested/",
    ):
        assert part in text


def test_it_names_the_branches_and_stash_entries_that_it_keeps(turns: Turns, git: Run) -> None:
    turns.edit("a.txt", "stashed\n")
    git("stash", "push", "-q")
    turns.edit("a.txt", "dirty\n")
    make_moment.make(maker(turns.workspace), Occasion("call", words="git stash drop"), keep_refs=True)
    found = shown(turns.workspace, "moment:-1")
    kept = {one.name: one.commit for one in found.kept}
    assert kept["stash@{0}"] == git("rev-parse", "refs/stash")
    assert kept["refs/heads/main"] == git("rev-parse", "HEAD")


def test_where_the_worktree_is_gone_it_says_how_to_make_it_again(
    turns: Turns, git: Run, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
    made = Turns(Workspace.open(tmp_path / "side"), tmp_path).moment(0)
    assert not shown(turns.now(10), f"moment:{made[:8]}").gone
    git("worktree", "remove", "--force", str(tmp_path / "side"))
    found = shown(turns.now(10), f"moment:{made[:8]}")
    assert (found.gone, found.branch, found.worktree) == (True, "", "side")
    assert f"devs-git restore {found.name} --worktree FOLDER" in found.commands
    assert "(gone)" in show_text(found)


def test_of_a_moment_during_a_merge_it_names_only_what_is_not_refused(turns: Turns, git: Run) -> None:
    git("switch", "-qc", "side")
    git("commit", "-q", "--allow-empty", "-m", "side")
    git("switch", "-q", "main")
    git("merge", "-q", "--no-ff", "--no-commit", "side")
    turns.moment(0)
    found = shown(turns.now(1), "moment:-1")
    assert found.under_way == "a merge"
    assert [line.split()[1] for line in found.commands] == ["diff", "restore"]


def test_before_the_first_commit_there_is_no_head(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "new")], check=True)
    (tmp_path / "new" / "a.txt").write_text("a\n")
    turns = Turns(Workspace.open(tmp_path / "new"), tmp_path)
    turns.moment(0)
    found = shown(turns.now(1), "moment:-1")
    assert (found.head, found.branch, found.untracked, found.files_changed) == ("", "main", 1, 1)


@pytest.mark.parametrize("name", ["moment:", "moment:xyz", "moment:-0"])
def test_what_is_no_name_is_refused_before_anything_is_read(name: str) -> None:
    with pytest.raises(DevsError) as refused:
        Request(name)
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "target")
