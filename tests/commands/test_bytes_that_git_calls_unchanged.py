"""Undo where a file that no rewind moves was written under attributes that are gone: git calls it unchanged by its times alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devs_git.storage.worktree import unconverted_bytes
from tests.support.rewind_cases import Case

RULES = b"kept.txt text eol=crlf\n"


def written(case: Case, rules: bytes, gone: bytes | None) -> None:
    """Let git write kept.txt under `rules`, and put `gone` in their place: git sees no change of it."""
    case.write({".gitattributes": rules, "kept.txt": None})
    case.git("checkout", "--", "kept.txt")
    os.utime(case.path("kept.txt"), (978307200, 978307200))
    case.git("update-index", "--refresh")
    case.write({".gitattributes": gone})
    assert case.git("diff", "--name-only", "--", "kept.txt") == ""


def begun(case: Case) -> None:
    case.commit({"kept.txt": b"one\ntwo\n"})
    case.stage("1", {"moved.txt": b"1\n"})
    case.stage("2", {"moved.txt": b"2\n"})


@pytest.mark.quick
def test_undo_brings_bytes_back_that_were_written_under_attributes_that_are_gone(case: Case) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    case.rewind("1", untracked="save")
    Path(case.path("kept.txt")).touch()
    assert case.git("diff", "--name-only", "--", "kept.txt") == "kept.txt"
    case.undo(preserve="branch")
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"


def test_undo_brings_bytes_back_where_a_person_has_saved_others_since(case: Case) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    case.rewind("1")
    case.write({"kept.txt": b"saved since\n"})
    done = case.undo(preserve="branch")
    assert (case.read("kept.txt"), done.not_exact) == (b"one\r\ntwo\r\n", ())
    case.undo(preserve="branch")
    assert case.read("kept.txt") == b"saved since\n"


@pytest.mark.quick
def test_undo_brings_bytes_back_where_git_has_written_others_since_and_sees_no_change(case: Case) -> None:
    begun(case)
    case.rewind("1")
    written(case, RULES, b"# none\n")
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"
    case.undo(untracked="save")
    assert case.read("kept.txt") == b"one\ntwo\n"
    case.undo()
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"


def test_bytes_come_back_where_no_attributes_are_left_at_all(case: Case) -> None:
    begun(case)
    written(case, RULES, None)
    case.rewind("1")
    Path(case.path("kept.txt")).touch()
    case.undo(preserve="branch")
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"


def test_bytes_come_back_where_no_attributes_are_left_but_a_look_had_seen_them(case: Case) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    case.rewind("1")
    case.undo()
    case.write({".gitattributes": None})
    case.rewind("1")
    Path(case.path("kept.txt")).touch()
    case.undo(preserve="branch")
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"


def test_a_file_whose_bytes_were_not_kept_is_named_where_they_do_not_come_back(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    monkeypatch.setattr(unconverted_bytes, "KEPT_BYTES", 4)
    assert case.rewind("1").not_exact == ()
    case.write({"kept.txt": b"saved since\n"})
    done = case.undo(preserve="branch")
    assert (case.read("kept.txt"), done.not_exact) == (b"one\ntwo\n", ("kept.txt",))


def test_a_file_whose_bytes_were_not_kept_is_not_named_where_it_stays(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    monkeypatch.setattr(unconverted_bytes, "KEPT_FILES", 0)
    case.rewind("1")
    assert case.undo().not_exact == ()
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"


@pytest.mark.quick
def test_a_file_that_git_has_written_since_is_named_where_it_is_not_kept(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(case)
    case.rewind("1")
    written(case, RULES, b"# none\n")
    monkeypatch.setattr(unconverted_bytes, "KEPT_FILES", 0)
    assert case.undo(untracked="save").not_exact == ("kept.txt",)
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"


def test_without_attributes_no_second_index_is_kept(case: Case) -> None:
    begun(case)
    case.rewind("1")
    case.undo()
    assert not (case.top / ".git/devs/raw/index").exists()


def test_attributes_that_the_index_alone_has_are_known(case: Case) -> None:
    case.commit({"d/.gitattributes": b"# none\n", "d/same.txt": b"one\n"})
    begun(case)
    case.git("config", "filter.case.clean", "tr A-Z a-z")
    case.git("config", "filter.case.smudge", "tr a-z A-Z")
    case.write({"d/.gitattributes": b"* filter=case\n", "d/same.txt": None})
    case.git("checkout", "--", "d/same.txt")
    os.utime(case.path("d/same.txt"), (978307200, 978307200))
    case.git("update-index", "--refresh", ok=(0, 1))
    case.write({"d/.gitattributes": None})
    case.git("config", "--remove-section", "filter.case")
    assert case.git("diff", "--name-only") == "d/.gitattributes"
    case.rewind("1", preserve="discard")
    Path(case.path("d/same.txt")).touch()
    case.undo(preserve="branch")
    assert case.read("d/same.txt") == b"ONE\n"


@pytest.mark.parametrize("left", [b"", b"DIRC damaged"])
def test_a_damaged_second_index_is_made_again(case: Case, left: bytes) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    case.rewind("1")
    case.undo()
    index = case.top / ".git/devs/raw/index"
    index.write_bytes(left)
    (index.parent / "index.lock").touch()
    case.rewind("1")
    Path(case.path("kept.txt")).touch()
    case.undo(preserve="branch")
    assert case.read("kept.txt") == b"one\r\ntwo\r\n"
    assert not (index.parent / "index.lock").exists()


def test_a_file_that_nobody_may_read_and_that_stays_is_no_reason_to_refuse(case: Case) -> None:
    begun(case)
    written(case, RULES, b"# none\n")
    os.chmod(case.path("kept.txt"), 0)  # noqa: PTH101
    case.git("update-index", "--refresh")
    case.rewind("1")
    case.undo()
    assert (os.stat(case.path("kept.txt")).st_mode & 0o777) == 0  # noqa: PTH116
