"""Rewind and undo where paths change their shape or their names are awkward."""

from __future__ import annotations

import os
import stat

import pytest

from tests.support.rewind_cases import Case, Link

MANY = int(os.environ.get("DEVS_TEST_COUNT_CHANGED_FILES", "300"))
AWKWARD = (
    b"new\nline",
    b"'quotes' \"both\"",
    b'"leading quote',
    b"back\\slash",
    b"-leading-dash",
    b"--option",
    b"caf\xe9 \xff\xfe",
    b" spaces ",
    b"carriage\r",
    b":(top)magic",
    b"*glob?[a]",
    b"tab\tand\x01control",
)


@pytest.mark.quick
def test_symbolic_links_come_and_go_and_change_their_target(case: Case) -> None:
    case.stage("1", {"here": Link(b"kept.txt"), "nowhere": Link(b"no/such"), "changed": Link(b"a")})
    case.stage("2", {"here": None, "changed": Link(b"b"), "new": Link(b"/absolute")})
    case.write({"changed": Link(b"dirty"), "here": Link(b"in the way")})
    case.there_and_back("1", "discard", "save")


def test_a_file_becomes_a_link_and_a_link_a_file(case: Case) -> None:
    case.stage("1", {"a": b"file\n", "b": Link(b"kept.txt")})
    case.stage("2", {"a": Link(b"kept.txt"), "b": b"file\n"})
    case.there_and_back("1")
    case.write({"a": b"a file again\n", "b": Link(b"elsewhere")})
    case.there_and_back("1", "stash")


@pytest.mark.quick
def test_a_link_to_a_folder_in_the_way_is_not_followed(case: Case) -> None:
    outside = case.top.parent / "outside"
    outside.mkdir()
    (outside / "f").write_bytes(b"theirs\n")
    case.stage("1", {"d/f": b"ours\n"})
    case.stage("2", {"d/f": None})
    case.write({"d": Link(os.fsencode(outside))})
    case.assert_refused("1")
    case.there_and_back("1", untracked="save")
    assert (outside / "f").read_bytes() == b"theirs\n"


def test_a_tracked_folder_replaced_by_a_link_is_captured_as_the_link(case: Case) -> None:
    case.stage("1", {"d/f": b"1\n"})
    case.stage("2", {"d/f": b"2\n", "elsewhere/f": b"3\n"})
    case.write({"d/f": None})
    (case.top / "d").rmdir()
    case.write({"d": Link(b"elsewhere")})
    case.assert_refused("1", "discard")
    case.there_and_back("1", "discard", "save")


def test_a_file_becomes_a_folder_with_untracked_files_inside(case: Case) -> None:
    case.stage("1", {"x": b"file\n"})
    case.stage("2", {"x": None, "x/a": b"a\n"})
    case.write({"x/untracked": b"u\n", "x/deep/er": b"d\n"})
    assert "x/deep/er" in case.assert_refused("1").details["paths"]
    case.there_and_back("1", untracked="save")
    case.write({"x/untracked": None, "x/deep/er": None})
    case.there_and_back("1")


def test_a_folder_becomes_a_file_where_an_untracked_file_has_its_place(case: Case) -> None:
    case.stage("1", {"x/a": b"a\n", "x/b": b"b\n"})
    case.stage("2", {"x/a": None, "x/b": None, "x": b"file\n"})
    case.there_and_back("1")
    case.write({"x": b"edited\n"})
    case.there_and_back("1", "branch")
    case.commit({"x": None})
    case.write({"x": b"untracked\n"})
    case.assert_refused("1")
    case.there_and_back("1", untracked="save")


def test_a_folder_keeps_the_untracked_files_that_are_in_nobodys_way(case: Case) -> None:
    case.stage("1", {"a.txt": b"a\n"})
    case.stage("2", {"d/f": b"f\n"})
    case.write({"d/mine": b"mine\n", "d/deep/mine": b"mine\n"})
    case.there_and_back("1")
    case.rewind("1")
    assert (case.read("d/mine"), case.read("d/deep/mine"), case.has("d/f")) == (b"mine\n", b"mine\n", False)


def test_a_dirty_file_that_became_a_folder_stays_when_the_target_has_no_such_path(case: Case) -> None:
    case.stage("1", {"a.txt": b"a\n"})
    case.stage("2", {"x": b"file\n"})
    case.write({"x": None})
    case.write({"x/mine": b"mine\n"})
    case.there_and_back("1", "discard")


@pytest.mark.parametrize("dirty", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_names_are_bytes(case: Case, dirty: bool) -> None:
    case.stage("1", {b"d\n\xff/" + name: b"1 " + name for name in AWKWARD} | dict.fromkeys(AWKWARD, b"1"))
    case.write(dict.fromkeys(AWKWARD))
    case.stage("2", {b"d\n\xff/" + name: b"2 " + name for name in AWKWARD})
    if dirty:
        case.write({b"d\n\xff/" + name: b"3 " + name for name in AWKWARD})
        case.write(dict.fromkeys(AWKWARD, b"in the way"))
    plan = case.plan("1", "discard" if dirty else None, "save" if dirty else None)
    assert (plan.blocked_by, plan.files["count"]) == ((), 2 * len(AWKWARD))
    case.there_and_back("1", "discard" if dirty else None, "save" if dirty else None)


def test_awkward_names_keep_their_bytes_where_git_converts(case: Case) -> None:
    case.stage("1", {".gitattributes": b"* text=auto\n"} | dict.fromkeys(AWKWARD, b"1\n"))
    case.stage("2", dict.fromkeys(AWKWARD, b"2\n"))
    case.write(dict.fromkeys(AWKWARD, b"dirty\r\n"))
    case.there_and_back("1", "discard")


def test_a_rename_of_case_alone_goes_back_and_forth(case: Case) -> None:
    case.stage("1", {"Readme.md": b"r\n", "Dir/f": b"f\n"})
    case.stage("2", {"Readme.md": None, "README.md": b"r\n", "Dir/f": None, "dir/f": b"f\n"})
    case.there_and_back("1")


def test_a_branch_whose_name_is_no_utf8_can_be_rewound_and_undone(case: Case) -> None:
    case.git("switch", "-qc", b"caf\xe9")
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.there_and_back("1")


def test_a_pipe_in_the_way_refuses_and_is_not_read(case: Case) -> None:
    case.stage("1", {"pipe": b"p\n", "tracked": b"1\n"})
    case.stage("2", {"pipe": None, "tracked": b"2\n"})
    os.mkfifo(case.top / "pipe")
    case.assert_refused("1")
    case.assert_refused("1", "discard")
    (case.top / "pipe").unlink()
    (case.top / "tracked").unlink()
    os.mkfifo(case.top / "tracked")
    assert "tracked" in case.assert_refused("1", "discard").message
    assert stat.S_ISFIFO((case.top / "tracked").lstat().st_mode)


def test_many_changed_files_need_no_argument_list(case: Case) -> None:
    names = [f"some/rather/long/folder/name/{n % 97}/file-{n:06d}.txt" for n in range(MANY)]
    case.stage("1", dict.fromkeys(names, b"1\n"))
    case.stage("2", {name: b"2 %d\n" % at for at, name in enumerate(names)})
    case.write(dict.fromkeys(names[::3], b"dirty\n"))
    done = case.there_and_back("1", "discard")
    assert done.files == MANY
