"""`restore --preserve`: local changes in the way are saved as a branch, a stash entry or in the backup, and others stay."""

from __future__ import annotations

import os

import pytest

from devs_git.commands import restore
from devs_git.entrypoints.cli.texts import move_text
from devs_git.errors import DevsError
from tests.support.moment_stage import moment
from tests.support.rewind_cases import Case


@pytest.fixture
def dirty(case: Case) -> Case:
    """Two tasks; then three files with local changes, one of them staged, and an untracked one where task 1 has a file."""
    case.stage("1", {"a.txt": b"a1\n", "b.txt": b"b1\n", "c.txt": b"same\n", "old.txt": b"old\n"})
    case.stage("2", {"a.txt": b"a2\n", "b.txt": b"b2\n", "old.txt": None, "new.txt": b"new\n"})
    case.write({"a.txt": b"a staged\n"})
    case.git("add", "a.txt")
    case.write(
        {"a.txt": b"a edited\n", "b.txt": b"b edited\n", "c.txt": b"c edited\n", "old.txt": b"untracked\n"}
    )
    return case


def go(case: Case, *paths: str, preserve: str | None = None, **more: object) -> restore.PreservedResult:
    request = restore.Request("task-1", paths, preserve=preserve, **more)  # type: ignore[arg-type]
    done = restore.run(case.workspace, request)
    assert isinstance(done, restore.PreservedResult)
    return done


def test_without_it_the_restore_is_refused_and_names_the_files(dirty: Case) -> None:
    with pytest.raises(DevsError) as refused:
        restore.run(dirty.workspace, restore.Request("task-1"))
    assert {"a.txt"} <= set(refused.value.details["paths"])
    assert "--preserve" in refused.value.hint


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["branch", "stash", "discard"])
def test_the_files_come_back_and_the_undo_is_exact_to_the_byte(dirty: Case, mode: str) -> None:
    before = dirty.look()
    done = go(dirty, preserve=mode)
    assert done.preserved_as["type"] == mode
    assert dirty.git("status", "--porcelain") == ""
    assert dirty.git("rev-parse", "HEAD^{tree}") == dirty.git("rev-parse", "devs/task-1^{tree}")
    assert dirty.git("rev-parse", "HEAD^") == dirty.git("rev-parse", "devs/task-2^{}")
    dirty.undo()
    dirty.look().must_equal(before)
    dirty.undo()
    assert dirty.read("a.txt") == b"a1\n"
    assert dirty.git("status", "--porcelain") == ""


def test_a_branch_and_a_stash_entry_have_the_local_changes_and_go_with_the_undo(dirty: Case) -> None:
    done = go(dirty, branch_name="mine")
    assert done.preserved_as == {"type": "branch", "reference": "mine"}
    assert dirty.git_bytes("show", "mine:b.txt") == b"b edited\n"
    dirty.undo()
    assert dirty.git("branch", "--list", "mine") == ""
    go(dirty, preserve="stash")
    assert dirty.git_bytes("show", "stash@{0}:b.txt") == b"b edited\n"
    assert dirty.git_bytes("show", "stash@{0}^2:a.txt") == b"a staged\n"
    dirty.undo()
    assert dirty.git("stash", "list") == ""


def test_changes_of_files_that_were_not_named_stay_staged_or_not(dirty: Case) -> None:
    before = dirty.look()
    go(dirty, "b.txt", preserve="discard")
    assert dirty.read("b.txt") == b"b1\n"
    assert dirty.read("a.txt") == b"a edited\n"
    assert dirty.git_bytes("show", ":a.txt") == b"a staged\n"
    assert dirty.git("diff", "--name-status", "HEAD^", "HEAD") == "M\tb.txt"
    assert dirty.read("old.txt") == b"untracked\n"
    dirty.undo()
    dirty.look().must_equal(before)


def test_a_file_that_only_local_changes_keep_from_its_state_comes_back_without_a_commit(dirty: Case) -> None:
    before = dirty.look()
    done = go(dirty, "c.txt", preserve="stash")
    assert (done.commit, dirty.read("c.txt")) == (before.head, b"same\n")
    assert dirty.git_bytes("show", "stash@{0}:c.txt") == b"c edited\n"
    dirty.undo()
    dirty.look().must_equal(before)


def test_a_file_that_is_new_here_stays_and_an_intent_to_add_too(dirty: Case) -> None:
    dirty.write({"mine.txt": b"mine\n", "later.txt": b"later\n"})
    dirty.git("add", "mine.txt")
    dirty.git("add", "-N", "later.txt")
    before = dirty.look()
    go(dirty, preserve="discard")
    assert dirty.git("status", "--porcelain") == " A later.txt\nA  mine.txt"
    dirty.undo()
    dirty.look().must_equal(before)


def test_if_every_file_is_as_it_should_be_nothing_is_written(case: Case) -> None:
    case.stage("1", {"a.txt": b"a\n"})
    refs = case.git("for-each-ref")
    done = go(case, preserve="branch")
    assert (done.files, done.restore_id, done.preserved_as["type"]) == (0, "", "none")
    assert case.git("for-each-ref") == refs


def test_what_cannot_be_meant_is_refused() -> None:
    for more in ({"preserve": "maybe"}, {"preserve": "stash", "branch_name": "x"}):
        with pytest.raises(DevsError) as refused:
            restore.Request("task-1", **more)  # type: ignore[arg-type]
        assert refused.value.code == "INVALID_ARGUMENTS"


def test_a_dry_run_names_what_would_be_overwritten_and_writes_nothing(dirty: Case) -> None:
    before, refs = dirty.look(), dirty.git("for-each-ref")
    done = go(dirty, preserve="stash", dry_run=True)
    assert done.blocked_by == ()
    found = {kind: done.changes[kind] for kind in ("added", "modified", "deleted")}
    assert found == {"added": (), "modified": ("a.txt", "b.txt", "c.txt", "old.txt"), "deleted": ("new.txt",)}
    assert "a stash" in move_text.restore_text(done)
    dirty.look().must_equal(before)
    assert dirty.git("for-each-ref") == refs
    (blocked,) = restore.run(dirty.workspace, restore.Request("task-1", ("a.txt",), dry_run=True)).blocked_by
    assert "--preserve stash" in blocked["hint"]


def test_files_of_a_moment_come_back_and_the_stash_entry_has_what_they_overwrite(dirty: Case) -> None:
    made = moment(dirty)
    dirty.write({"b.txt": b"later\n"})
    before = dirty.look()
    request = restore.Request(made, ("b.txt",), preserve="stash")
    done = restore.run(dirty.workspace, request)
    assert dirty.read("b.txt") == b"b edited\n"
    assert dirty.git_bytes("show", "stash@{0}:b.txt") == b"later\n"
    assert "saved as stash stash@{0}" in move_text.restore_text(done)
    dirty.undo()
    dirty.look().must_equal(before)


@pytest.mark.parametrize("paths", [(), ("c.txt",)])
def test_a_file_of_which_only_the_time_differs_is_no_change(case: Case, paths: tuple[str, ...]) -> None:
    case.stage("1", {"a.txt": b"a\n", "c.txt": b"same\n"})
    before = case.look()
    # A status would note the new time in the index.
    os.utime(case.top / "c.txt", (5, 5))
    assert go(case, *paths, preserve="branch", dry_run=True).changes["count"] == 0
    done = go(case, *paths, preserve="branch")
    assert (done.files, done.restore_id, done.preserved_as["reference"]) == (0, "", "")
    case.look().must_equal(before)


@pytest.mark.parametrize("way", [None, "discard", "stash"])
def test_files_come_back_as_gits_checkout_writes_them(case: Case, way: str | None) -> None:
    case.git("config", "filter.turned.clean", "rev")
    case.git("config", "filter.turned.smudge", "rev")
    attributes = (
        b"*.bat text eol=crlf\n*.u16 text working-tree-encoding=UTF-16LE eol=lf\n*.big filter=turned\n"
    )
    files = {"run.bat": b"a\r\nb\r\n", "t.u16": "ab\n".encode("utf-16-le"), "x.big": b"content\n"}
    case.stage("1", {".gitattributes": attributes, "seen.txt": b"1\n", **files})
    case.stage("2", {"seen.txt": b"2\n", **dict.fromkeys(files)})
    if way:
        case.write({"seen.txt": b"edited\n"})
    before = case.look()
    restore.run(case.workspace, restore.Request("task-1", preserve=way))
    assert {name: case.read(name) for name in files} == files
    assert case.git("status", "--porcelain") == ""
    case.undo()
    case.look().must_equal(before)
    case.undo()
    assert {name: case.read(name) for name in files} == files
    assert case.git("status", "--porcelain") == ""
