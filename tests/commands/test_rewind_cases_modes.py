"""Rewind and undo where permissions matter: staged ones, unstaged ones, and those that git does not keep."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from devs_git.commands import checkout, restore
from devs_git.errors import DevsError
from tests.support.rewind_cases import Case, Executable

MASKS = [0o022, 0o077, 0o000]


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def bits(top: Path) -> dict[str, int]:
    """The permissions of every file and folder but those of git and of ours."""
    found = {}
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in (".git", ".devs")]
        for name in (*folders, *files):
            path = Path(folder) / name
            found[str(path.relative_to(top))] = path.lstat().st_mode & 0o7777
    return found


def modes_of_every_kind(case: Case) -> None:
    """Committed, staged and unstaged modes that differ, under an attribute that may convert what is there."""
    case.stage("1", {".gitattributes": b"*.txt text\n", "changes": b"1\n", "key": b"k\n", "stays": b"s\n"})
    case.commit({"staged.txt": b"s\n", "unstaged.txt": b"u\n", "both.txt": b"b\n", "private/key": b"k\n"})
    case.stage("2", {"changes": b"2\n", "run": Executable(b"r\n"), "stays.txt": b"s\n"})
    top = case.top
    (top / "staged.txt").chmod(0o755)
    (top / "both.txt").chmod(0o755)
    case.git("add", "staged.txt", "both.txt")
    (top / "both.txt").chmod(0o644)
    for name in ("unstaged.txt", "run"):
        (top / name).chmod(0o700)
    for name in ("changes", "key", "stays", "private/key", "stays.txt"):
        (top / name).chmod(0o600)
    (top / "private").chmod(0o700)


@pytest.mark.quick(1)
@pytest.mark.parametrize("mask", MASKS)
def test_permissions_come_back_whatever_the_umask_is(case: Case, mask: int) -> None:
    modes_of_every_kind(case)
    before = bits(case.top)
    with umask(mask):
        case.there_and_back("1", "discard")
    assert bits(case.top) == before
    with umask(mask):
        case.rewind("1", "stash")
    with umask(mask ^ 0o055):
        case.undo()
    assert bits(case.top) == before


@pytest.mark.parametrize("mask", MASKS)
def test_a_file_that_stays_through_a_rewind_keeps_its_permissions(case: Case, mask: int) -> None:
    modes_of_every_kind(case)
    with umask(mask):
        case.rewind("1", "discard")
    found = bits(case.top)
    assert {name: found[name] for name in ("changes", "key", "stays")} == dict.fromkeys(
        ("changes", "key", "stays"), 0o600
    )
    assert found.get("private") is None


def test_a_file_that_becomes_executable_keeps_who_may_read_it(case: Case) -> None:
    case.stage("1", {"run": Executable(b"1\n"), "plain": b"1\n"})
    case.stage("2", {"run": b"2\n", "plain": Executable(b"2\n")})
    (case.top / "run").chmod(0o640)
    (case.top / "plain").chmod(0o750)
    case.rewind("1")
    found = bits(case.top)
    assert (found["run"], found["plain"]) == (0o750, 0o640)


def test_a_file_that_the_operation_did_not_move_keeps_its_permissions_when_it_is_undone(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "key": b"k\n"})
    case.stage("2", {"a": b"2\n"})
    (case.top / "key").chmod(0o600)
    done = case.rewind("1")
    case.commit({"other": b"o\n"})
    (case.top / "key").write_bytes(b"k2\n")
    case.git("commit", "-qam", "key")
    case.undo(done.rewind_id, preserve="branch")
    assert (case.read("key"), bits(case.top)["key"]) == (b"k\n", 0o600)


def test_an_undo_over_two_operations_gives_back_what_each_had_moved(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n", "b": b"b\n"})
    case.stage("3", {"a": b"3\n", "c": b"c\n"})
    for name in ("a", "b", "c"):
        (case.top / name).chmod(0o600)
    before = bits(case.top)
    done = case.rewind("2")
    case.rewind("1")
    case.undo(done.rewind_id)
    assert bits(case.top) == before


def test_a_checkout_that_is_taken_back_and_one_that_is_not_keep_permissions(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "key": b"1\n"})
    case.git("branch", "other")
    case.stage("2", {"key": b"2\n", "private/b": b"b\n"})
    (case.top / "key").chmod(0o600)
    (case.top / "private").chmod(0o700)
    before = bits(case.top)
    hook = case.top / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || ! grep -q devs/ledger\n')
    hook.chmod(0o755)
    with pytest.raises(DevsError):
        checkout.run(case.workspace, checkout.Request("other"))
    assert bits(case.top) == before
    hook.unlink()
    checkout.run(case.workspace, checkout.Request("other"))
    assert bits(case.top)["key"] == 0o600
    checkout.run(case.workspace, checkout.Request("main"))
    assert bits(case.top)["key"] == 0o600


def test_a_restore_keeps_permissions_and_its_undo_brings_them_back(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n", "private/b": b"b\n"})
    (case.top / "a").chmod(0o600)
    (case.top / "private").chmod(0o700)
    before = bits(case.top)
    restore.run(case.workspace, restore.Request("1"))
    assert bits(case.top) == {"a": 0o600, "kept.txt": 0o644}
    case.undo()
    assert bits(case.top) == before


@pytest.mark.parametrize("looks", ["true", "false"])
def test_an_executable_bit_that_was_given_after_the_undone_operation_does_not_come_back(
    case: Case, looks: str
) -> None:
    """A later operation captured it. Where git does not look at modes nothing tells that it was not there before."""
    case.git("config", "core.fileMode", looks)
    case.stage("1", {"a": b"1\n", "b": b"b\n"})
    case.stage("2", {"a": b"2\n"})
    before = case.look()
    done = case.rewind("1")
    (case.top / "b").chmod(0o755)
    case.write({"b": b"edited\n"} if looks == "false" else {})
    (case.top / "b").chmod(0o755)
    case.rewind("1", "discard")
    case.undo(done.rewind_id, preserve="discard")
    assert (case.top / "b").stat().st_mode & 0o777 == (0o755 if looks == "false" else 0o644)
    assert case.look().index == before.index
    assert case.git("status", "--porcelain") == ""
