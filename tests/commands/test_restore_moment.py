"""`restore moment:…`: files come into the working tree; HEAD and index stay, and what is overwritten is saved first."""

from __future__ import annotations

import pytest

from devs_git.commands import restore
from devs_git.errors import DevsError
from tests.support.moment_stage import all_kinds, moment
from tests.support.rewind_cases import Case, Executable, Files, Link


def bring(case: Case, name: str, *paths: str) -> restore.Result:
    """Restore, check that HEAD, index and refs are as before, and that undo and redo are exact."""
    before, refs = case.look(), case.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash")
    done = restore.run(case.workspace, restore.Request(name, paths))
    there = case.look()
    assert (there.index, there.head, there.branch) == (before.index, before.head, before.branch)
    assert case.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash") == refs
    if done.files:
        case.undo()
        case.look().must_equal(before)
        case.undo()
        case.look().must_equal(there)
    return done


@pytest.mark.quick
def test_all_files_that_differ_or_are_missing_come_back(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.git("clean", "-fdq")
    case.write({"d/f": b"edited since\n", "later": b"l\n", "e": b"now a file\n"})
    done = bring(case, name)
    gone = {b"later": ("0o644", b"l\n"), b"gone": ("0o644", b"g\n")}
    assert case.look().files == then.files | gone
    assert (done.restored_from, done.commit) == (name, case.git("rev-parse", "HEAD"))
    assert case.git("show", f"{done.backup}:worktree/d/f") == "edited since"
    assert case.git("show", f"{done.backup}:worktree/e") == "now a file"


@pytest.mark.quick
def test_only_the_named_paths_come_back(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.write({"new": b"other\n", "a": b"other\n", "e/deep/new": None, "staged": b"other\n"})
    done = bring(case, name, "new", "e")
    assert (done.files, done.paths) == (2, ("new", "e"))
    assert (case.read("new"), case.read("e/deep/new")) == (b"n\r\n\0", b"e\n")
    assert (case.read("a"), case.read("staged")) == (b"other\n", b"other\n")


def test_nothing_happens_where_everything_is_as_in_the_moment(case: Case) -> None:
    all_kinds(case)
    name, refs = moment(case), case.git("for-each-ref")
    assert bring(case, name).files == 0
    assert case.git("for-each-ref") == refs


def test_a_path_that_the_moment_does_not_have_is_refused(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    with pytest.raises(DevsError) as refused:
        restore.run(case.workspace, restore.Request(name, ("new", "nowhere")))
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "paths")


@pytest.mark.parametrize("swap", ["file to folder", "folder to file", "link to folder", "folder to link"])
@pytest.mark.parametrize("tracked", [True, False])
def test_what_took_the_place_of_a_file_is_saved(case: Case, swap: str, tracked: bool) -> None:
    deep: Files = {"x/deep": b"d\n"}
    plain: Files = {"x": b"file\n"}
    link: Files = {"x": Link(b"d")}
    one, other = {
        "file to folder": (plain, deep),
        "folder to file": (deep, plain),
        "link to folder": (link, deep),
        "folder to link": (deep, link),
    }[swap]
    case.stage("1", {"a": b"1\n", "d/f": b"f\n"})
    case.write(one)
    then, name = case.look(), moment(case)
    case.write(dict.fromkeys(one))
    if (case.top / "x").is_dir():
        (case.top / "x").rmdir()
    case.write(other)
    if tracked:
        case.stage("2", {})
    done = bring(case, name)
    assert case.look().files == then.files
    saved = case.git("ls-tree", "-r", "--name-only", f"{done.backup}:worktree")
    assert next(iter(other)) in saved.split("\n")


def test_a_nested_repository_in_the_way_is_refused(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"x": b"x\n"})
    name = moment(case)
    case.write({"x": None})
    case.git("init", "-q", "x")
    with pytest.raises(DevsError) as refused:
        restore.run(case.workspace, restore.Request(name))
    assert refused.value.details["reason"] == "nested_repository"


def test_bytes_and_modes_come_back_without_a_filter(case: Case) -> None:
    case.stage("1", {".gitattributes": b"*.txt text eol=lf\n", "t.txt": b"t\n", "plain": b"p\n"})
    case.write(
        {"t.txt": b"t\r\nx\r\n", "crlf.txt": b"one\r\n", "secret": b"s\n", "plain": Executable(b"p\n")}
    )
    (case.top / "secret").chmod(0o600)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.write({"secret": b"s\n", "crlf.txt": b"one\n"})
    bring(case, name)
    assert case.look().files == then.files


def test_flags_and_staged_changes_of_now_stay(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"2\n", "c": b"3\n"})
    case.write({"a": b"then\n", "b": b"then\n"})
    then, name = case.look(), moment(case)
    case.write({"a": b"staged\n", "b": b"hidden\n", "n": b"n\n"})
    case.git("add", "a")
    case.git("add", "-N", "n")
    case.git("update-index", "--assume-unchanged", "b")
    bring(case, name)
    assert case.look().files == then.files | {b"n": ("0o644", b"n\n")}


def test_ignored_files_that_the_moment_has_come_back(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case, ignored=("run.log",))
    case.git("clean", "-fdxq")
    bring(case, name)
    assert case.look().files == then.files


def test_files_of_a_moment_in_the_middle_of_a_merge_come_back(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("switch", "-qc", "side", "HEAD~1")
    case.commit({"a": b"side\n", "b": b"b\n"})
    case.git("switch", "-q", "main")
    case.git("merge", "side", ok=(1,))
    case.write({"a": b"half resolved\n", "new": b"n\n"})
    then, name = case.look(), moment(case)
    case.git("merge", "--abort")
    bring(case, name, "a", "b", "new")
    assert case.look().files == then.files


def test_a_moment_before_a_reset_gives_its_files_without_moving_the_branch(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n", "b": b"b\n"})
    name = moment(case)
    case.git("reset", "-q", "--hard", "HEAD~1")
    head = case.git("rev-parse", "HEAD")
    bring(case, name)
    assert (case.read("b"), case.git("rev-parse", "HEAD")) == (b"b\n", head)


def test_an_operation_under_way_refuses(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.write({"new": b"other\n"})
    (case.top / ".git/MERGE_HEAD").write_text(case.git("rev-parse", "HEAD") + "\n")
    with pytest.raises(DevsError) as refused:
        restore.run(case.workspace, restore.Request(name))
    assert refused.value.details["reason"] == "operation_under_way"


def test_a_file_whose_line_ends_alone_differ_comes_back_to_the_byte(case: Case) -> None:
    case.stage("1", {".gitattributes": b"*.txt text eol=crlf\n", "t.txt": b"t\r\n"})
    case.write({"t.txt": b"t\n", "n.txt": b"n\n"})
    then, name = case.look(), moment(case)
    case.write({"t.txt": b"t\r\n", "n.txt": b"n\r\n"})
    bring(case, name)
    assert case.look().files == then.files


@pytest.mark.parametrize("to", [b"x", b"other"])
def test_a_link_in_the_place_of_a_folder_comes_back_and_what_it_leads_to_keeps_its_permissions(
    case: Case, to: bytes
) -> None:
    case.stage("1", {"a": b"1\n", "other/deep": b"o\n"})
    case.write({"x": Link(to)})
    then, name = case.look(), moment(case)
    case.write({"x": None})
    case.write({"x/deep": b"d\n"})
    (case.top / "x/deep").chmod(0o600)
    bring(case, name)
    assert case.look().files == then.files
