"""Rewind and undo where a file's bytes are not its blob: line endings, filters, ident, encodings, modes."""

from __future__ import annotations

import os
from typing import Any

import pytest

from devs_git.commands import checkout
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git
from tests.support.rewind_cases import REFUSED, Case, Executable

CRLF = b"one\r\ntwo\r\n"
SHOUT = "sh -c 'tr a-z A-Z'"
WHISPER = "sh -c 'tr A-Z a-z'"


@pytest.mark.quick
def test_dirty_and_untracked_crlf_files_come_back_under_text_auto(case: Case) -> None:
    case.stage("1", {".gitattributes": b"* text=auto\n", "a.txt": b"a\n", "b.txt": b"b\n"})
    case.stage("2", {"a.txt": b"a2\n", "in-the-way.txt": None})
    case.write({"a.txt": CRLF, "b.txt": CRLF + b"mixed\n", "untracked.txt": CRLF})
    case.there_and_back("1", "discard")


def test_an_untracked_crlf_file_in_the_way_comes_back_with_its_bytes(case: Case) -> None:
    case.stage("1", {".gitattributes": b"*.txt text\n", "way.txt": b"old\n"})
    case.stage("2", {"way.txt": None})
    case.write({"way.txt": CRLF})
    case.there_and_back("1", untracked="save")


def test_a_clean_file_whose_line_endings_are_not_what_git_would_write_keeps_them(case: Case) -> None:
    case.stage("1", {".gitattributes": b"* text=auto\n", "a.txt": b"a\n"})
    case.stage("2", {"a.txt": b"one\ntwo\n"})
    case.write({"a.txt": CRLF})
    case.git("add", "a.txt")
    assert case.git("status", "--porcelain") == ""
    case.there_and_back("1")


def test_crlf_comes_back_where_the_attributes_file_itself_was_deleted(case: Case) -> None:
    case.stage("1", {".gitattributes": b"* text=auto\n", "a.txt": b"a\n"})
    case.stage("2", {"a.txt": b"a2\n"})
    case.write({".gitattributes": None, "a.txt": CRLF})
    case.there_and_back("1", "discard")


def test_autocrlf_true_brings_every_byte_back(case: Case) -> None:
    case.git("config", "core.autocrlf", "true")
    case.stage("1", {"a.txt": b"a\r\n", "way.txt": b"old\r\n"})
    case.stage("2", {"a.txt": b"a2\r\n", "way.txt": None})
    case.write({"a.txt": b"lone\nline feeds\n", "way.txt": b"mixed\r\nends\n", "kept.txt": CRLF})
    done = case.there_and_back("1", "stash", "save")
    assert done.not_exact == ()
    case.rewind("1", "discard", "save")
    assert case.read("a.txt") == b"a\r\n"


def test_a_file_that_does_not_round_trip_is_not_exact_and_neither_dirty_nor_a_failure(case: Case) -> None:
    case.git("config", "filter.shout.clean", "cat")
    case.git("config", "filter.shout.smudge", SHOUT)
    case.stage("1", {"a.loud": b"quiet\n", ".gitattributes": b""})
    case.commit({".gitattributes": b"*.loud filter=shout\n"})
    case.stage("2", {"b.txt": b"b\n"})
    case.stage("3", {"a.loud": b"other\n"})
    done = case.rewind("2")
    assert (done.not_exact, case.read("a.loud")) == (("a.loud",), b"QUIET\n")
    again = case.rewind("1")  # not blocked by it: nobody changed anything
    assert again.reset_commit == case.git("rev-parse", "HEAD")
    case.undo()
    case.undo(done.rewind_id)
    assert case.read("a.loud") == b"other\n"


def test_a_file_that_stays_with_bytes_of_attributes_that_go_is_named(case: Case) -> None:
    case.stage("1", {"a.txt": b"a\n"})
    case.stage("2", {".gitattributes": b"* text=auto eol=crlf\n"})
    case.write({"a.txt": None})
    case.git("checkout", "--", "a.txt")
    assert case.rewind("1").not_exact == ("a.txt",)
    assert case.read("a.txt") == b"a\r\n"


def test_clean_and_smudge_filters_run_and_dirty_bytes_come_back_unfiltered(case: Case) -> None:
    case.git("config", "filter.case.clean", WHISPER)
    case.git("config", "filter.case.smudge", SHOUT)
    case.stage("1", {".gitattributes": b"*.loud filter=case\n", "a.loud": b"ONE\n"})
    case.stage("2", {"a.loud": b"TWO\n"})
    case.write({"a.loud": b"Neither Nor\n"})
    case.there_and_back("1", "discard")
    case.rewind("1", "discard")
    assert case.read("a.loud") == b"ONE\n"


def test_a_required_filter_that_fails_refuses_and_nothing_has_changed(case: Case) -> None:
    case.stage("1", {".gitattributes": b"*.loud filter=case\n", "a.loud": b"one\n"})
    case.stage("2", {"a.loud": b"two\n", "b.txt": b"b\n"})
    case.git("config", "filter.case.required", "true")
    case.git("config", "filter.case.smudge", "false")
    case.git("config", "filter.case.clean", "cat")
    assert case.refused_but_kept("1").code == REFUSED
    case.git("config", "filter.case.clean", "false")
    case.write({"a.loud": b"three\n"})
    assert case.refused_but_kept("1", "discard").code == REFUSED


def test_ident_is_expanded_and_its_bytes_come_back(case: Case) -> None:
    case.stage("1", {".gitattributes": b"*.c ident\n", "a.c": b"/* $Id$ */\n"})
    case.stage("2", {"a.c": b"/* $Id$ */\nint a;\n", "b.c": b"$Id$\n"})
    case.write({"b.c": b"$Id: by hand $\nint b;\n"})
    case.there_and_back("1", "discard")
    case.rewind("1", "discard")
    blob = case.git("rev-parse", "HEAD:a.c")
    assert case.read("a.c") == b"/* $Id: %s $ */\n" % blob.encode()


def test_working_tree_encoding_keeps_the_bytes_on_disk(case: Case) -> None:
    case.stage(
        "1",
        {
            ".gitattributes": b"a.txt working-tree-encoding=UTF-16LE-BOM text eol=crlf\n",
            "a.txt": "eins ä\r\n".encode("utf-16"),
        },
    )
    case.stage("2", {"a.txt": "zwei ö\r\n".encode("utf-16")})
    case.write({"a.txt": "drei ü\n".encode("utf-16")})
    case.there_and_back("1", "discard")


@pytest.mark.parametrize("mode", ["true", "false"])
def test_executable_bits_come_back_whether_git_looks_at_them_or_not(case: Case, mode: str) -> None:
    case.stage("1", {"run": b"#!/bin/sh\n", "way": b"w\n"})
    case.stage("2", {"run": Executable(b"#!/bin/sh\ntrue\n"), "way": None})
    case.git("config", "core.fileMode", mode)
    case.write({"run": b"#!/bin/sh\nfalse\n", "way": Executable(b"mine\n")})
    case.there_and_back("1", "discard", "save")


def test_many_dirty_files_of_a_converting_repository_are_compared_with_few_children(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"d/{n}.txt" for n in range(500)] + [" leading space.txt", "line\nfeed.txt"]
    case.stage("1", {".gitattributes": b"*.txt text eol=crlf\n"} | dict.fromkeys(names, b"1\r\n"))
    case.stage("2", dict.fromkeys(names, b"2\r\n"))
    case.write({name: b"dirty %d\r\n" % at for at, name in enumerate(names)})
    started: list[str] = []
    real = Git.start

    def counted(self: Git, *args: str, **more: Any) -> Any:
        started.append(args[0])
        return real(self, *args, **more)

    monkeypatch.setattr(Git, "start", counted)
    case.there_and_back("1", "discard")
    assert len(started) < 300


def other_attributes(case: Case) -> None:
    """Files that were written with a filter and with CRLF, whose `.gitattributes` then goes; git calls them unchanged."""
    case.git("config", "filter.case.clean", WHISPER)
    case.git("config", "filter.case.smudge", SHOUT)
    rules = b"*.loud filter=case\n*.txt text eol=crlf\n*.c ident\n"
    files = {"a.loud": b"ONE\n", "b.txt": b"b\r\n", "d/c.c": b"$Id$\n"}
    case.stage("1", {".gitattributes": rules, **files})
    case.stage("2", {"a.loud": b"TWO\n", "b.txt": b"b2\r\n", "d/c.c": b"$Id$ 2\n", "new.txt": b"n\r\n"})
    for name in ("a.loud", "b.txt", "d/c.c", "new.txt"):
        (case.top / name).unlink()
        case.git("checkout", "--", name)
    assert case.git("status", "--porcelain") == ""


@pytest.mark.parametrize("how", ["renamed", "deleted", "committed"])
def test_bytes_written_under_other_attributes_than_those_of_now_come_back(case: Case, how: str) -> None:
    other_attributes(case)
    attributes = case.top / ".gitattributes"
    if how == "renamed":
        attributes.rename(case.top / "renamed")
    elif how == "deleted":
        attributes.unlink()
    else:
        case.git("rm", "-q", "--cached", ".gitattributes")
        attributes.unlink()
        case.git("commit", "-q", "-m", "no attributes")
        case.point("3")
    before = case.look().files
    assert before[b"a.loud"][1] == b"TWO\n"
    done = case.rewind("1", "discard")
    case.undo(preserve="discard")
    assert case.look().files == before
    case.undo(preserve="discard")
    case.undo(done.rewind_id, preserve="discard")
    assert case.look().files == before


def test_an_undo_over_changed_attributes_keeps_what_was_on_disk_in_its_backup(case: Case) -> None:
    """The index calls these files unchanged; `undo` writes others over them."""
    case.stage("0", {"b.txt": b"b0\n"})
    other_attributes(case)
    case.rewind("1")
    (case.top / ".gitattributes").rename(case.top / "renamed")
    before = case.look().files
    done = case.undo(preserve="discard")
    kept = case.git_bytes("show", f"{done.backup}:raw/b.txt")
    assert kept == before[b"b.txt"][1] == b"b\r\n"
    case.undo(preserve="discard")
    assert case.look().files == before


def test_an_undo_brings_back_bytes_whatever_filters_there_are_then(case: Case) -> None:
    case.stage("1", {"a.txt": b"1\n", "b": b"b\n"})
    case.stage("2", {"a.txt": b"2\n"})
    case.rewind("1")
    (case.top / ".git/info").mkdir(exist_ok=True)
    (case.top / ".git/info/attributes").write_text("*.txt text eol=crlf filter=broken\n")
    case.git("config", "filter.broken.smudge", "false")
    case.git("config", "filter.broken.required", "true")
    case.git("config", "filter.broken.clean", "cat")
    case.undo()
    assert case.read("a.txt") == b"2\n"


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree", ""])
def test_an_edit_that_the_index_does_not_see_comes_back(case: Case, flag: str) -> None:
    case.stage("1", {"a": b"1\n", "b": b"1\n"})
    case.stage("2", {"a": b"2\n", "b": b"2\n"})
    case.git("config", "core.trustctime", "false")
    case.git("config", "core.checkStat", "minimal")
    for name in ("a", "b"):
        os.utime(case.top / name, ns=(0, 10**18))
    case.git("update-index", "--refresh")
    if flag:
        case.git("update-index", flag, "a")
    (case.top / "a").write_bytes(b"3\n")
    os.utime(case.top / "a", ns=(0, 10**18))
    assert case.git("status", "--porcelain") == ""
    case.rewind("1", "discard")
    assert case.read("a") == b"1\n"
    case.undo(preserve="discard")
    assert case.read("a") == b"3\n"


def test_a_checkout_refuses_over_an_edit_that_the_index_does_not_see(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "other")
    case.stage("2", {"a": b"2\n"})
    case.git("config", "core.trustctime", "false")
    case.git("config", "core.checkStat", "minimal")
    os.utime(case.top / "a", ns=(0, 10**18))
    case.git("update-index", "--refresh")
    (case.top / "a").write_bytes(b"3\n")
    os.utime(case.top / "a", ns=(0, 10**18))
    with pytest.raises(DevsError) as refused:
        checkout.run(case.workspace, checkout.Request("other"))
    assert (refused.value.code, refused.value.details["paths"]) == ("CHECKOUT_FAILED", ["a"])
    assert case.read("a") == b"3\n"


def test_a_file_that_only_its_owner_may_read_stays_so(case: Case) -> None:
    case.stage("1", {"secret": b"s\n", "a": b"1\n"})
    case.stage("2", {"secret": None, "a": b"2\n"})
    case.write({"secret": b"key\n", "a": b"edited\n", "intended": b"i\n"})
    case.git("add", "-N", "intended")
    for name in ("secret", "a", "intended"):
        (case.top / name).chmod(0o600)
    case.there_and_back("1", "discard", "save")
    hook = case.top / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || ! grep -q refs/heads/main\n')
    hook.chmod(0o755)
    with pytest.raises(DevsError):
        case.rewind("1", "discard", "save")
    assert {(case.top / name).stat().st_mode & 0o777 for name in ("secret", "a", "intended")} == {0o600}
