"""Attributes that the index alone has: `.gitattributes` is not on the disk as a file, and git falls back on its entry."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from devs_git.commands import restore, undo
from devs_git.storage.worktree import attributes, unconverted_bytes
from tests.support import killed_moves
from tests.support.rewind_cases import Case, Files

RULES = b"*.loud filter=case\n*.txt text eol=crlf\n*.c ident\n*.utf text working-tree-encoding=UTF-16LE-BOM\n"
ONE: Files = {
    "d/a.loud": b"ONE\n",
    "d/b.txt": b"b\r\n",
    "d/c.c": b"$Id$\n",
    "d/u.utf": "eins\n".encode("utf-16"),
}
TWO: Files = {
    "d/a.loud": b"TWO\n",
    "d/b.txt": b"2\r\n",
    "d/c.c": b"$Id$ 2\n",
    "d/u.utf": "2\n".encode("utf-16"),
}


@pytest.fixture(autouse=True)
def none_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes of files that do not move are not kept, as where there are too many: git writes them under the attributes."""
    monkeypatch.setattr(unconverted_bytes, "KEPT_FILES", 0)


def filtering(case: Case) -> None:
    case.git("config", "filter.case.clean", "tr A-Z a-z")
    case.git("config", "filter.case.smudge", "tr a-z A-Z")


def begun(case: Case, attributes: str = ".gitattributes", files: Files = ONE) -> None:
    """Two tasks that differ in one other file, and files as git writes them under the attributes that both have."""
    filtering(case)
    case.stage("1", {attributes: RULES, "other": b"1\n", **files})
    for name in files:
        (case.top / name).unlink()
        case.git("checkout", "--", name)
    case.stage("2", {"other": b"2\n"})


def deleted(case: Case, attributes: str) -> None:
    (case.top / attributes).unlink()


def linked(case: Case, attributes: str) -> None:
    (case.top / attributes).unlink()
    (case.top / attributes).symlink_to("other")


def skipped(case: Case, attributes: str) -> None:
    case.git("update-index", "--skip-worktree", attributes)
    (case.top / attributes).unlink()


def outside(case: Case, attributes: str) -> None:
    """A sparse checkout that leaves the attributes file out."""
    case.git("config", "core.sparseCheckout", "true")
    info = case.top / ".git/info"
    info.mkdir(exist_ok=True)
    (info / "sparse-checkout").write_text(f"/*\n!{attributes}\n")
    case.git("read-tree", "-m", "-u", "HEAD")
    assert not (case.top / attributes).exists()


Gone = Callable[[Case, str], None]


@pytest.mark.quick(1)
@pytest.mark.parametrize("attributes", [".gitattributes", "d/.gitattributes"])
@pytest.mark.parametrize("gone", [deleted, linked, skipped, outside])
def test_a_file_that_was_changed_in_between_is_written_under_the_attributes_of_the_index(
    case: Case, gone: Gone, attributes: str
) -> None:
    begun(case, attributes)
    gone(case, attributes)
    before = case.look()
    case.rewind("1", "discard", "save")
    case.commit(TWO, "by hand")
    done = case.undo(preserve="branch", untracked="save")
    case.look().must_equal(before)
    assert (done.not_exact, done.edited) == ((), ())


def test_a_restore_is_undone_under_the_attributes_of_the_index_where_their_deletion_was_committed(
    case: Case,
) -> None:
    begun(case)
    deleted(case, ".gitattributes")
    before = case.look()
    restore.run(case.workspace, restore.Request("1", ("other",), os.fspath(case.top)))
    for name in ONE:
        (case.top / name).touch()
    case.git("add", "-A")
    case.git("commit", "-q", "-m", "no attributes any more")
    assert case.git("show", "HEAD:d/a.loud") == "ONE"
    case.undo(preserve="branch")
    case.look().must_equal(before)


@pytest.mark.parametrize("gone", [deleted, linked, skipped])
def test_captured_bytes_come_back_where_the_attributes_of_the_index_say_others(
    case: Case, gone: Gone
) -> None:
    case.stage("1", {"a.loud": b"one\n", "b.txt": b"b\n"})
    case.stage("2", {"a.loud": b"two\n", "b.txt": b"2\n"})
    filtering(case)
    case.write({".gitattributes": RULES})
    case.git("add", ".gitattributes")
    gone(case, ".gitattributes")
    before = case.look()
    case.rewind("1", "discard", "save")
    case.undo(preserve="discard", untracked="save")
    case.look().must_equal(before)


def test_a_file_that_its_filter_does_not_give_back_is_neither_dirty_nor_edited(case: Case) -> None:
    begun(case)
    case.git("config", "filter.case.clean", "cat")
    (case.top / "d/a.loud").unlink()
    case.git("checkout", "--", "d/a.loud")
    assert case.git("status", "--porcelain") == " M d/a.loud"
    deleted(case, ".gitattributes")
    before = case.look().files
    case.rewind("1", "discard")
    case.commit({"d/a.loud": b"other\n"}, "by hand")
    done = case.undo(preserve="branch")
    assert case.look().files == before
    assert (done.not_exact, done.edited) == ((), ())
    assert case.assert_refused("1").details["paths"] == [".gitattributes"]


@pytest.mark.parametrize("where", ["info", "setting", "autocrlf"])
def test_a_file_that_was_changed_in_between_is_written_under_attributes_outside_the_tree(
    case: Case, where: str
) -> None:
    names = [name for name in ONE if where != "autocrlf" or name == "d/b.txt"]
    if where == "autocrlf":
        case.git("config", "core.autocrlf", "true")
    else:
        rules = case.top / ".git" / ("info/attributes" if where == "info" else "rules")
        rules.parent.mkdir(exist_ok=True)
        rules.write_bytes(RULES)
        case.git("config", "core.attributesFile", os.fspath(case.top / ".git/rules"))
    begun(case, "none", {name: ONE[name] for name in names})
    before = case.look()
    case.rewind("1", "discard")
    case.commit({name: TWO[name] for name in names}, "by hand")
    case.undo(preserve="branch")
    case.look().must_equal(before)


def test_a_file_whose_blob_has_crlf_is_exact_under_text_auto(case: Case) -> None:
    """git leaves the ends of such a file as they are, because its index has them."""
    case.stage("1", {"a.txt": b"a\r\n", "b.txt": b"b\r\n"})
    case.stage("2", {".gitattributes": b"* text=auto\n", "a.txt": b"a\r\n"})
    case.stage("3", {".gitattributes": None})
    assert case.rewind("2").not_exact == ()
    assert case.git("status", "--porcelain") == ""


@pytest.mark.parametrize("how", [*(("us", at) for at in range(13)), ("both", 0)])
@pytest.mark.parametrize("edited", [None, "finish", "take back"])
def test_an_undo_that_is_killed_ends_with_the_attributes_of_the_index(
    case: Case, how: tuple[str, int], edited: str | None
) -> None:
    begun(case)
    case.git("config", "filter.case.smudge", killed_moves.SMUDGE)
    deleted(case, ".gitattributes")
    before = case.look()
    case.rewind("1", "discard")
    case.commit(TWO, "by hand")
    left, last = case.look(), killed_moves.last_operation(case)
    assert killed_moves.run_killed(case, undo, undo.Request(preserve="branch"), how)
    if edited:
        case.write({"other": b"mine\n"})
    killed_moves.recover(case, again=False, decide=edited == "finish")
    killed_moves.assert_usable(case)
    there = left if killed_moves.last_operation(case) == last else before
    if not edited:
        case.look().must_equal(there)
    assert case.look().index == there.index
    assert case.look().files == there.files | ({b"other": ("0o644", b"mine\n")} if edited else {})


@pytest.mark.parametrize("kind", [("--index-version", "2"), ("--index-version", "4"), ("--split-index",)])
def test_an_attributes_file_is_found_in_each_kind_of_index(case: Case, kind: tuple[str, ...]) -> None:
    """Version 4 leaves out the beginning that a path has in common with the one before it; a split index has no path itself."""
    case.stage("1", {"d/.gitattribute": b"1\n", "d/.gitattributes": RULES})
    case.git("update-index", *kind)
    site = case.workspace.site
    assert b"d/.gitattributes\0" in attributes.list_index(site.git, case.top / ".git/index")
    case.git("rm", "-q", "d/.gitattributes")
    assert b".gitattributes\0" not in attributes.list_index(site.git, case.top / ".git/index")


@pytest.mark.parametrize("piece", [1, 7, 100])
@pytest.mark.parametrize("split", [False, True])
def test_an_attributes_file_is_found_wherever_a_piece_of_the_index_ends(
    case: Case, monkeypatch: pytest.MonkeyPatch, piece: int, split: bool
) -> None:
    monkeypatch.setattr(attributes, "PIECE", piece)
    site, index = case.workspace.site, case.top / ".git/index"
    case.write({f"{'n' * number}": b"x\n" for number in range(1, 30)})
    case.git("add", "-A")
    if split:
        case.git("update-index", "--split-index")
        assert b"nnn\0" in attributes.list_index(site.git, index)
        return
    assert attributes.list_index(site.git, index) == b""
    case.write({"d/.gitattributes": b"* text\n"})
    case.git("add", "-A")
    assert b"d/.gitattributes\0" in attributes.list_index(site.git, index)
