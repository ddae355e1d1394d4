"""`diff` with moments: `diff moment:-1` is what the last turn did, untracked files and all."""

from __future__ import annotations

import subprocess

import pytest

from devs_git.commands import diff, snapshot_create, task_complete, task_start
from devs_git.commands.diff import Request, Result
from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError
from devs_git.storage.moments import file_tree, make_moment, read_moments
from devs_git.values import replace
from tests.conftest import Run
from tests.support.moment_scene import maker
from tests.support.turn_scene import ONE, Turns

pytestmark = pytest.mark.quick


def table(result: Result) -> dict[str, tuple[str, int, int]]:
    return {item.path: (item.action, item.additions, item.deletions) for item in result.files}


def test_the_last_turn_is_all_since_the_prompt_whatever_moments_it_made(turns: Turns, git: Run) -> None:
    turns.edit("by-hand.txt", "before the prompt\n")
    begin = turns.moment(0, "prompt", ONE, "do it")
    turns.says(0.1, ONE, "user", "do it")
    turns.says(1, ONE, "assistant", "I do")
    turns.edit("a.txt", "edited by a tool\n")
    turns.moment(2, "call", ONE, "make")
    turns.edit("made.txt", "one\ntwo\n")
    (turns.workspace.top / "f1.txt").unlink()
    turns.moment(3, "after", ONE, "make")
    git("add", "a.txt")
    turns.edit("by-hand.txt", "before the prompt\nand more\n")
    turns.says(4, ONE, "assistant", "done")
    turns.moment(5, "stop", ONE)
    turns.read()
    result = diff.run(turns.now(100), Request("moment:-1", hunks=True))
    assert table(result) == {
        "a.txt": ("modified", 1, 3),
        "by-hand.txt": ("modified", 1, 0),
        "f1.txt": ("deleted", 0, 1),
        "made.txt": ("added", 2, 0),
    }
    assert (result.from_name, result.to_name, result.to) == (f"moment:{begin[:10]}", "the working tree", "")
    assert result.from_ == read_moments.look_up(turns.workspace.objects, begin)[0].worktree
    (made,) = (item for item in result.files if item.path == "made.txt")
    assert [line for hunk in made.hunks for line in hunk.lines] == ["+one", "+two"]


def test_between_two_moments_and_between_a_moment_and_a_checkpoint(turns: Turns) -> None:
    first = turns.moment(0)
    task_start.run(turns.now(1), task_start.Request("10", title="t"))
    turns.edit("done.txt", "done\n")
    task_complete.run(turns.now(2), task_complete.Request("10", message="m", everything=True))
    turns.edit("loose.txt", "untracked\n")
    second = turns.moment(3)
    turns.edit("later.txt", "later\n")
    now = turns.now(100)
    between = diff.run(now, Request(f"moment:{second[:8]}", f"moment:{first[:8]}"))
    assert table(between) == {"done.txt": ("added", 1, 0), "loose.txt": ("added", 1, 0)}
    assert (between.from_name, between.to_name) == (f"moment:{first[:10]}", f"moment:{second[:10]}")
    assert table(diff.run(now, Request("task-10", f"moment:{first[:8]}"))) == {"done.txt": ("added", 1, 0)}
    assert table(diff.run(now, Request(f"moment:{second[:8]}", "task-10"))) == {"loose.txt": ("added", 1, 0)}
    assert table(diff.run(now, Request(f"moment:{second[:8]}", "HEAD"))) == {"loose.txt": ("added", 1, 0)}
    assert table(diff.run(now, Request(f"moment:{second[:8]}"))) == {"later.txt": ("added", 1, 0)}


def test_a_state_that_did_not_change_has_no_difference(turns: Turns, git: Run) -> None:
    turns.edit("a.txt", "staged\n")
    turns.edit("new.txt", "to be added\n")
    git("add", "-N", "new.txt")
    turns.edit("untracked.txt", "untracked\n")
    (turns.workspace.top / "link").symlink_to("a.txt")
    subprocess.run(["git", "init", "-q", "nested"], cwd=turns.workspace.top, check=True)
    (turns.workspace.top / "nested" / "file").write_text("theirs\n")
    turns.moment(0)
    assert diff.run(turns.now(10), Request("moment:-1")).files == ()


def test_what_was_untracked_then_and_is_gone_or_committed_now(turns: Turns, git: Run) -> None:
    turns.edit("gone.txt", "gone\n")
    turns.edit("kept.txt", "kept\n")
    turns.moment(0)
    (turns.workspace.top / "gone.txt").unlink()
    git("add", "kept.txt")
    git("commit", "-qm", "kept")
    assert table(diff.run(turns.now(10), Request("moment:-1"))) == {"gone.txt": ("deleted", 0, 1)}


def test_an_untracked_file_where_a_folder_was_and_the_other_way_round(turns: Turns) -> None:
    top = turns.workspace.top
    (top / "folder").mkdir()
    turns.edit("folder/file.txt", "in a folder\n")
    turns.moment(0)
    (top / "folder" / "file.txt").unlink()
    (top / "folder").rmdir()
    turns.edit("folder", "now a file\n")
    (top / "a.txt").unlink()
    (top / "a.txt").mkdir()
    turns.edit("a.txt/inner.txt", "now a folder\n")
    assert table(diff.run(turns.now(10), Request("moment:-1"))) == {
        "a.txt": ("deleted", 0, 3),
        "a.txt/inner.txt": ("added", 1, 0),
        "folder": ("added", 1, 0),
        "folder/file.txt": ("deleted", 0, 1),
    }


def test_a_file_that_was_too_large_for_the_moment_is_not_called_new(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tree, "ROOM_UNASKED", 10)
    turns.edit("big.bin", "x" * 3000)
    made = make_moment.make(replace(maker(turns.workspace), limit=lambda: 1000), Occasion("call"))
    assert made.left_out == ("big.bin",)
    assert diff.run(turns.workspace, Request(f"moment:{made.moment_id[:8]}")).files == ()


def test_a_snapshot_is_its_moment_or_if_it_has_none_its_commit(turns: Turns, git: Run) -> None:
    turns.edit("new.txt", "untracked\n")
    branch = snapshot_create.run(turns.now(0), snapshot_create.Request()).branch
    assert diff.run(turns.now(1), Request(against=branch)).files == ()
    assert diff.run(turns.now(1), Request(branch)).files == ()
    git("branch", "snapshot/mine", "HEAD")
    assert diff.run(turns.now(1), Request(against="snapshot/mine")).from_ == git("rev-parse", "HEAD")
    assert diff.run(turns.now(1), Request("snapshot/mine", "HEAD")).to == git("rev-parse", "HEAD")


def test_it_writes_nothing(turns: Turns) -> None:
    turns.moment(0)
    turns.edit("new.txt", "new\n")
    git_dir = turns.workspace.places.git_dir

    def state() -> dict[str, int]:
        found = (path for path in git_dir.rglob("*") if path.is_file())
        return {
            str(path): path.stat().st_mtime_ns for path in found if not path.name.startswith("catalog.db")
        }

    before = state()
    assert diff.run(turns.now(10), Request("moment:-1")).stats.files_changed == 1
    assert state() == before


def test_a_moment_that_is_not_there_is_named_by_the_field(turns: Turns) -> None:
    turns.moment(0)
    for request in (
        Request("moment:ffff"),
        Request("task-1", "moment:ffff"),
        Request("moment:-1", "moment:ffff"),
    ):
        with pytest.raises(DevsError) as refused:
            diff.run(turns.now(10), request)
        assert refused.value.code in {"MOMENT_NOT_FOUND", "TASK_NOT_FOUND"}
    with pytest.raises(DevsError) as refused:
        Request("task-1", "moment:x")
    assert refused.value.details["field"] == "against"
