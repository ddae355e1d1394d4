"""What the disk, a hook or the system did to a git of ours is told as that; all else is left to whoever called."""

from __future__ import annotations

import errno

import pytest

from devs_git.storage.git.failures import refusal_of
from devs_git.storage.git.program import GitFailed

pytestmark = pytest.mark.quick
FULL = "The file system reported: No space left on device."


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "/home/ada/repo/.git/x"),
        GitFailed(["update-ref"], 128, "fatal: unable to write /home/ada/x: No space left on device"),
    ],
)
def test_a_full_disk_is_no_bug_of_ours(error: Exception) -> None:
    found = refusal_of(error)
    assert found
    assert (found.code, found.message) == ("CONFLICT", FULL)


def test_a_folder_that_git_cannot_make_is_the_disks_doing_too() -> None:
    said = "fatal: prepare: cannot lock ref 'refs/heads/a/b': unable to create directory for refs/heads/a/b"
    found = refusal_of(GitFailed(["update-ref"], 128, said))
    assert found
    assert found.message == "The file system reported: unable to create directory."


def test_a_lock_that_git_cannot_write_is_the_disks_doing_too() -> None:
    lock = "'refs/heads/devs/ledger.lock'"
    said = f"fatal: prepare: cannot update ref 'refs/heads/devs/ledger': couldn't write {lock}"
    found = refusal_of(GitFailed(["update-ref"], 128, said))
    assert found
    assert (found.code, found.message) == ("CONFLICT", f"The file system reported: couldn't write {lock}.")


def test_a_hook_of_the_users_that_refuses_is_no_bug_of_ours() -> None:
    said = "hint: Support for grafts is deprecated\nNot today\nfatal: ref updates aborted by hook"
    found = refusal_of(GitFailed(["update-ref"], 128, said))
    assert found
    assert (found.code, found.message) == ("CONFLICT", "A git hook refused to move a ref: Not today")


def test_what_libgit2_could_not_write_is_told_without_its_path() -> None:
    found = refusal_of(OSError("failed to write /home/ada/x"))
    assert found
    assert found.message == "The file system reported: an object could not be written."


def test_a_git_that_was_killed_is_no_bug_of_ours() -> None:
    found = refusal_of(GitFailed(["rev-list"], -9, ""))
    assert found
    assert (found.code, found.message) == ("CONFLICT", "A git process of this command was killed (SIGKILL).")


@pytest.mark.parametrize(
    "error", [KeyError("x"), FileNotFoundError(errno.ENOENT, "no"), GitFailed(["log"], 128, "fatal: bad")]
)
def test_anything_else_is_not_told_here(error: Exception) -> None:
    assert refusal_of(error) is None
