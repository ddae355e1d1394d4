"""`--untracked remove`: untracked files that are not ignored go into the backup, and an undo brings them back."""

from __future__ import annotations

import json
import os

import pytest

from devs_git.errors import DevsError
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.own_calls import devs_git
from tests.support.rewind_cases import Case, untracked_work

AWKWARD = (b" a b", b"-dash", b"\xff\xfe", "日本語".encode(), b"new\nline", b'"quoted"', b"*", b":(top)x")


@pytest.mark.quick
def test_untracked_files_go_into_the_backup_and_an_undo_brings_them_back_with_their_modes(case: Case) -> None:
    untracked_work(case)
    before, folder = case.look(), os.lstat(case.path("d/deep")).st_mode
    done = case.rewind("1", untracked="remove")
    assert case.git("status", "--porcelain", "--untracked-files=all") == ""
    assert (case.read("way"), case.read("run.log"), case.read("build/out")) == (b"w\n", b"l\n", b"o")
    assert not case.has("d")
    gone = ("d/deep/new", "d/tool", "empty", "link", "new")
    assert (done.removed_untracked, done.removed_untracked_count) == (gone, len(gone))
    assert case.git("show", f"{done.backup}:worktree/new") == "n"
    undone = case.undo()
    case.look().must_equal(before)
    assert os.lstat(case.path("d/deep")).st_mode == folder
    assert undone.removed_untracked == ()


def test_a_redo_takes_the_same_files_away_again_and_its_undo_brings_them_back(case: Case) -> None:
    untracked_work(case)
    before = case.look()
    case.rewind("1", untracked="remove")
    there = case.look()
    case.undo()
    case.undo()
    case.look().must_equal(there)
    case.undo()
    case.look().must_equal(before)


def test_a_redo_leaves_a_file_that_somebody_has_changed_since_it_came_back(case: Case) -> None:
    untracked_work(case)
    case.rewind("1", untracked="remove")
    case.undo()
    case.write({"new": b"changed\n"})
    case.undo()
    assert (case.read("new"), case.has("empty"), case.has("link")) == (b"changed\n", False, False)
    case.undo()
    assert case.read("new") == b"changed\n"


def test_a_redo_saves_the_file_in_the_way_that_the_undo_brought_back(case: Case) -> None:
    case.stage("1", {"way": b"w\n"})
    case.stage("2", {"way": None})
    case.write({"way": b"mine\n"})
    case.rewind("1", untracked="save")
    case.undo()
    case.undo()
    assert case.read("way") == b"w\n"
    case.undo()
    assert case.read("way") == b"mine\n"


def test_an_undo_with_the_option_takes_away_what_came_after_the_rewind(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "old": b"o\n"})
    case.stage("2", {"a": b"2\n", "old": None})
    case.rewind("1")
    case.write({"came": b"later\n", "d/came": b"later\n"})
    before = case.look()
    done = case.undo(untracked="remove")
    assert case.git("status", "--porcelain", "--untracked-files=all") == ""
    assert done.removed_untracked == ("came", "d/came")
    case.undo()
    case.look().must_equal(before)


@pytest.mark.parametrize("preserve", ["branch", "stash", "discard"])
def test_uncommitted_work_and_untracked_files_come_back_together(case: Case, preserve: str) -> None:
    untracked_work(case)
    case.write({"a": b"edited\n", "staged": b"s\n", "intended": b"i\n"})
    case.git("add", "staged")
    case.git("add", "-N", "intended")
    case.write({"staged": b"s2\n"})
    before = case.look()
    case.rewind("1", preserve, "remove")
    assert case.git("status", "--porcelain", "--untracked-files=all") == ""
    case.undo()
    case.look().must_equal(before)


def test_names_are_bytes(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.write({b"d\xff/" + name: b"1 " + name for name in AWKWARD} | dict.fromkeys(AWKWARD, b"1"))
    before = case.look()
    assert case.plan("1", untracked="remove").removed_untracked_count == 2 * len(AWKWARD)
    case.rewind("1", untracked="remove")
    assert case.git("status", "--porcelain", "--untracked-files=all") == ""
    case.undo()
    case.look().must_equal(before)


@pytest.mark.quick
def test_nested_repositories_are_never_touched_not_even_bare_or_empty_ones(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    for words in (["init", "-q", "empty"], ["init", "-q", "full"], ["init", "-q", "--bare", "deep/bare.git"]):
        case.git(*words)
    case.write({"empty/f": b"f\n", "full/g": b"g\n", "deep/new": b"n\n"})
    case.git("-C", "full", "add", "g")
    case.git("-C", "full", "commit", "-q", "-m", "inner")
    case.git("worktree", "add", "-q", "--detach", "other")
    before = case.look()
    done = case.rewind("1", untracked="remove")
    assert done.removed_untracked == ("deep/new",)
    now = case.look()
    assert before.files.keys() - now.files.keys() == {b"deep/new"}
    assert case.git("-C", "deep/bare.git", "rev-parse", "--is-bare-repository") == "true"
    case.undo()
    case.look().must_equal(before)


@pytest.mark.quick
def test_a_file_that_the_ignore_files_of_the_target_cover_stays(case: Case) -> None:
    """cline/cline#14367: a restore that puts back another .gitignore, and then cleans, deletes what was ignored."""
    case.stage("1", {"a": b"1\n", ".gitignore": b"*.secret\n", "sub/.gitignore": b"kept\n"})
    case.stage("2", {"a": b"2\n", ".gitignore": b"nothing\n", "sub/.gitignore": None})
    case.write({"my.secret": b"s\n", "sub/kept": b"k\n", "sub/new": b"n\n", "nothing": b"ignored now\n"})
    done = case.rewind("1", untracked="remove")
    assert done.removed_untracked == ("sub/new",)
    assert (case.read("my.secret"), case.read("sub/kept"), case.read("nothing")) == (
        b"s\n",
        b"k\n",
        b"ignored now\n",
    )


def test_a_plan_says_which_ignored_files_a_removed_ignore_file_makes_visible(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.write({"d/.gitignore": b"*.log\n", "d/x.log": b"x\n"})
    assert case.plan("1").now_visible == ()
    assert case.plan("1", untracked="remove").now_visible == ("d/x.log",)
    case.there_and_back("1", untracked="remove")


@pytest.mark.quick
def test_an_ignored_file_in_the_way_is_refused_with_what_to_do(case: Case) -> None:
    case.stage("1", {"way": b"w\n"})
    case.stage("2", {"way": None, ".gitignore": b"way\n"})
    case.write({"way": b"mine\n", "new": b"n\n"})
    before = case.look()
    with pytest.raises(DevsError) as refused:
        case.rewind("1", untracked="remove")
    assert refused.value.details["reason"] == "untracked_in_the_way"
    assert refused.value.message.startswith("Ignored files are in the way")
    assert "--untracked save" in refused.value.hint
    case.look().must_equal(before)
    assert [row["reason"] for row in case.plan("1", untracked="remove").blocked_by] == [
        "untracked_in_the_way"
    ]


def test_more_bytes_than_the_policy_allows_are_refused_and_no_file_is_skipped(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.operations.rewind import return_to_state

    monkeypatch.setattr(return_to_state, "ROOM_UNASKED", 0)
    monkeypatch.setattr(Workspace, "policy", replace(case.workspace.policy, backup_limit=100))
    untracked_work(case)
    case.write({"large": b"x" * 101})
    before, refs = case.look(), case.git("for-each-ref")
    with pytest.raises(DevsError) as refused:
        case.rewind("1", untracked="remove")
    assert refused.value.details["reason"] == "too_large"
    case.look().must_equal(before)
    assert case.git("for-each-ref") == refs
    assert "too_large" in {row["reason"] for row in case.plan("1", untracked="remove").blocked_by}


def test_a_folder_that_had_only_such_files_goes_and_an_empty_one_beside_them_stays(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.write({"gone/deep/f": b"f\n", "stays/f": b"f\n"})
    (case.top / "stays/empty").mkdir()
    case.rewind("1", untracked="remove")
    assert (case.has("gone"), case.has("stays/empty"), case.has("stays/f")) == (False, True, False)


def test_a_file_and_a_folder_change_places(case: Case) -> None:
    case.stage("1", {"x": b"file\n", "y/f": b"f\n"})
    case.stage("2", {"x": None, "y/f": None})
    case.write({"x/deep/mine": b"m\n", "y": b"mine\n", "z": b"z\n"})
    case.there_and_back("1", untracked="remove")


def test_a_rewind_to_head_itself_takes_only_the_untracked_files_away(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"new": b"n\n"})
    case.there_and_back("1", untracked="remove")
    case.rewind("1", untracked="remove")
    assert not case.has("new")


def test_the_command_line_says_what_it_takes_away_and_why_it_takes_all(case: Case) -> None:
    untracked_work(case)

    def said(*words: str) -> str:
        return devs_git(*words, where=case.top)

    plan = said("rewind", "1", "--untracked", "remove", "--dry-run")
    assert "takes away      5 untracked files: d/deep/new, d/tool, empty, link, new" in plan
    assert "a checkpoint has no record of untracked files" in plan
    answer = json.loads(said("rewind", "1", "--untracked", "remove", "--json"))
    assert answer["removed_untracked_count"] == 5
    backup = json.loads(said("undo", "--json"))["backup"]
    assert "brought" in case.git("ls-tree", "--name-only", backup)
