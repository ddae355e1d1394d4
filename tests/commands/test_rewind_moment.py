"""`rewind moment:…`: branch, index, dirty and untracked files come back as they were, and undo takes that back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from tests.support.moment_stage import all_kinds, dirty, moment, there_and_back_at_moment
from tests.support.rewind_cases import Case, Executable, Files, Link

AWKWARD = (b" a b", b"-dash", b"\xff\xfe", "日本語".encode(), b"new\nline", b'"quoted"', b"*", b":(top)x")


@pytest.mark.quick
@pytest.mark.parametrize(
    "accident",
    [
        ("reset", "--hard"),
        ("checkout", "-f", "HEAD", "--", "."),
        ("clean", "-fdq"),
        ("reset", "--hard", "HEAD~1"),
        ("reset", "-q"),
    ],
)
def test_uncommitted_work_of_every_kind_comes_back_after_an_accident(
    case: Case, accident: tuple[str, ...]
) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git(*accident)
    done = there_and_back_at_moment(case, name)
    assert case.look().files == then.files
    case.look().must_equal(then)
    assert done.rewound_to == name


def test_work_that_git_stash_took_comes_back_and_the_stash_entry_stays(case: Case) -> None:
    all_kinds(case)
    case.git("add", "intended")  # git stash refuses an intent to add
    then, name = case.look(), moment(case)
    case.git("stash", "-u")
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)
    assert len(case.git("stash", "list").splitlines()) == 1


@pytest.mark.parametrize("target", ["nowhere", "a file", "a pipe"])
def test_a_link_that_was_edited_comes_back_wherever_it_leads(case: Case, target: str) -> None:
    os.mkfifo(case.top / "a pipe")
    case.write({"a file": b"another\n", "link": Link(b"another")})
    case.git("add", "a file", "link")
    then, name = case.look(), moment(case)
    (case.top / "link").unlink()
    (case.top / "link").symlink_to(target)
    assert case.plan(name, "branch").files["modified"] == ("link",)
    there_and_back_at_moment(case, name, "branch")
    case.look().must_equal(then)


def test_a_file_that_only_left_the_index_needs_no_preserve_at_the_undo(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "kept": b"k\n"})
    case.git("rm", "-q", "--cached", "kept")
    then, name = case.look(), moment(case)
    case.write({"a": b"2\n"})
    there_and_back_at_moment(case, name, "branch")
    case.look().must_equal(then)


def test_the_plan_counts_no_file_of_which_only_the_times_changed(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.write({"new": b"later\n"})
    for path in ("a", "d/f"):
        os.utime(case.top / path, (1, 1))
    files = case.plan(name, "branch").files
    assert (files["count"], files["modified"]) == (1, ("new",))


@pytest.mark.quick
def test_files_that_are_as_in_the_moment_are_not_touched(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    inodes = {one: (case.top / one).stat().st_ino for one in ("new", "e/deep/new", "d/f")}
    case.git("reset", "-q", "--hard")
    case.rewind(name)
    assert {one: (case.top / one).stat().st_ino for one in inodes} == inodes


def test_untracked_files_that_came_later_stay(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.write({"later": b"l\n", "e/later": b"l\n"})
    case.rewind(name)
    now = case.look()
    assert now.files == then.files | {b"later": ("0o644", b"l\n"), b"e/later": ("0o644", b"l\n")}
    assert now.index == then.index


def test_with_the_option_untracked_files_that_came_later_go(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.write({"later": b"l\n", "e/later": b"l\n"})
    before = case.look()
    done = case.rewind(name, untracked="remove")
    assert done.removed_untracked == ("e/later", "later")
    case.look().must_equal(then)
    case.undo()
    case.look().must_equal(before)


@pytest.mark.quick
def test_an_untracked_file_with_other_bytes_is_saved_and_replaced(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.write({"new": b"other\n", "e/deep/new": None, "e": b"now a file\n"})
    done = there_and_back_at_moment(case, name)
    case.look().must_equal(then)
    assert case.git("show", f"{done.backup}:worktree/new") == "other"


@pytest.mark.parametrize("accident", ["amend", "rebase", "reset", "new commits"])
def test_no_ancestry_is_asked_for(case: Case, accident: str) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.git("clean", "-fdq")
    if accident == "amend":
        case.git("commit", "-q", "--amend", "-m", "another")
    elif accident == "rebase":
        case.git("branch", "base", "HEAD~1")
        case.git("switch", "-q", "base")
        case.commit({"base": b"b\n"})
        case.git("switch", "-q", "main")
        case.git("rebase", "-q", "base")
    elif accident == "reset":
        case.git("reset", "-q", "--hard", "HEAD~2")
    else:
        case.commit({"a": b"3\n"})
        case.commit({"a": b"4\n", "new": b"tracked now\n"})
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_bytes_modes_links_and_names_come_back(case: Case) -> None:
    case.stage("1", {".gitattributes": b"*.txt text eol=lf\n", "t.txt": b"t\n", "plain": b"p\n"})
    case.write({b"u/" + name: b"1 " + name for name in AWKWARD} | dict.fromkeys(AWKWARD, b"1"))
    case.write(
        {"link": Link(b"nowhere"), "tool": Executable(b"#!/bin/sh\n"), "empty": b"", "t.txt": b"t\r\nx\r\n"}
    )
    case.write({"crlf.txt": b"one\r\n", "secret": b"s\n", "plain": Executable(b"p\n")})
    Path(case.path("secret")).chmod(0o600)
    (case.top / "u").chmod(0o700)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.git("clean", "-fdq")
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)
    assert (case.top / "u").stat().st_mode & 0o777 == 0o700


def test_files_with_the_same_bytes_get_the_modes_of_then(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"b\n"})
    case.write({"new": b"n\n", "other": b"o\n"})
    (case.top / "new").chmod(0o600)
    (case.top / "b").chmod(0o640)
    then, name = case.look(), moment(case)
    for one, mode in (("new", 0o644), ("b", 0o644), ("other", 0o600), ("a", 0o600)):
        (case.top / one).chmod(mode)
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


@pytest.mark.parametrize("swap", ["file to folder", "folder to file", "link to folder", "folder to link"])
def test_files_folders_and_links_that_changed_places(case: Case, swap: str) -> None:
    sides: dict[str, tuple[Files, Files]] = {
        "file to folder": ({"x": b"file\n"}, {"x/deep": b"d\n"}),
        "folder to file": ({"x/deep": b"d\n"}, {"x": b"file\n"}),
        "link to folder": ({"x": Link(b"d")}, {"x/deep": b"d\n"}),
        "folder to link": ({"x/deep": b"d\n"}, {"x": Link(b"d")}),
    }
    one, other = sides[swap]
    case.stage("1", {"a": b"1\n", "d/f": b"f\n"})
    case.write(one)
    then, name = case.look(), moment(case)
    for path in one:
        case.write({path: None})
    if (case.top / "x").is_dir():
        (case.top / "x").rmdir()
    case.write(other)
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_the_same_swap_of_tracked_files(case: Case) -> None:
    case.stage("1", {"x": b"file\n", "y/deep": b"d\n"})
    case.write({"x": b"edited\n", "y/more": b"m\n"})
    then, name = case.look(), moment(case)
    case.stage("2", {"x": None, "y/deep": None, "y/more": None})
    case.stage("3", {"x/deep": b"now a folder\n", "y": b"now a file\n"})
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_a_file_that_is_tracked_now_is_untracked_again(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"new": b"n\n", "same": b"s\n"})
    then, name = case.look(), moment(case)
    case.stage("2", {"new": b"edited\n"})
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_a_file_that_is_untracked_now_is_tracked_again(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "same": b"s\n", "other": b"o\n"})
    then, name = case.look(), moment(case)
    case.git("rm", "-q", "--cached", "same", "other")
    case.git("commit", "-q", "-m", "untracked")
    case.write({"other": b"edited\n"})
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_ignored_files_of_the_moment_come_back_and_others_are_left_alone(case: Case) -> None:
    all_kinds(case)
    case.write({"env.log": b"secret\n", "b.log": b"b\n", "c.log": b"c\n"})
    then, name = case.look(), moment(case, ignored=("env.log", "run.log", "b.log"))
    case.git("clean", "-fdxq")
    case.write({"b.log": b"another\n", "c.log": b"later\n"})
    done = there_and_back_at_moment(case, name)
    assert case.look().files == then.files | {b"c.log": ("0o644", b"later\n")}
    assert case.git("show", f"{done.backup}:worktree/b.log") == "another"


def test_an_undo_after_more_work_asks_how_to_save_it(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.git("reset", "-q", "--hard")
    case.rewind(name)
    dirty(case, {"d/f": b"since\n", "new": b"edited since\n"})
    with pytest.raises(DevsError) as refused:
        case.undo()
    assert (refused.value.details["reason"], refused.value.details["paths"]) == ("dirty", ["d/f"])
    case.undo(preserve="discard")
    assert case.read("new") == b"edited since\n"


def test_a_redo_to_staged_changes_asks_for_nothing(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    name = moment(case)
    case.write({"a": b"2\n", "new": b"n\n"})
    case.git("add", "a", "new")
    there_and_back_at_moment(case, name, "discard")


def test_a_link_to_itself_in_the_place_of_a_folder_is_saved(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "d/e/z": b"z\n"})
    case.write({"d/new": b"n\n"})
    then, name = case.look(), moment(case)
    shutil.rmtree(case.top / "d")
    case.write({"d": Link(b"d")})
    there_and_back_at_moment(case, name, "discard")
    case.look().must_equal(then)
