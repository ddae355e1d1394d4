"""An object that a move needs is missing from a plain repository: the refusal names it and the way out."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkout, restore, rewind, undo
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from tests.support.rewind_cases import Case

REMOTE = "origin"


@pytest.fixture
def lacking(case: Case, tmp_path: Path) -> Case:
    """task-1 and task-2; a remote has all of it."""
    case.stage("1", {"d/a": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"d/a": b"2\n"})
    far = tmp_path / "far.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(case.top), str(far)], check=True)
    case.git("remote", "add", REMOTE, str(far))
    case.git("fetch", "-q", REMOTE)
    return case


def lose(case: Case, name: str) -> str:
    oid = case.git("rev-parse", name)
    (case.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    return oid


def details_of(error: DevsError) -> dict[str, Any]:
    assert error.details["reason"] == "missing_objects"
    assert "git fetch --refetch" in error.hint
    return error.details


@pytest.mark.quick
def test_a_rewind_names_the_file_and_writes_nothing(lacking: Case) -> None:
    lose(lacking, "old:d/a")
    before = lacking.git("for-each-ref")
    assert lacking.plan("1").blocked_by[0]["paths"] == ["d/a"]
    assert details_of(lacking.assert_refused("1"))["paths"] == ["d/a"]
    assert lacking.git("for-each-ref") == before
    lacking.git("fetch", "-q", "--refetch", REMOTE)
    lacking.rewind("1")
    assert lacking.read("d/a") == b"1\n"


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_rewind_names_the_folder_that_git_cannot_read(lacking: Case, *, dry_run: bool) -> None:
    oid = lose(lacking, "old:d")
    with pytest.raises(DevsError) as error:
        router.call("rewind", lacking.workspace, rewind.Request("1", dry_run=dry_run))
    assert (error.value.code, details_of(error.value)["oid"]) == ("GIT_RESET_FAILED", oid)


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_undo_names_the_folder_that_git_cannot_read(lacking: Case, *, dry_run: bool) -> None:
    lacking.rewind("1")
    oid = lose(lacking, "main@{1}:d")
    with pytest.raises(DevsError) as error:
        router.call("undo", lacking.workspace, undo.Request(dry_run=dry_run))
    assert (error.value.code, details_of(error.value)["oid"]) == ("GIT_RESET_FAILED", oid)


def test_an_undo_names_the_file(lacking: Case) -> None:
    lacking.rewind("1")
    lose(lacking, "main@{1}:d/a")
    with pytest.raises(DevsError) as error:
        lacking.undo()
    assert details_of(error.value)["paths"] == ["d/a"]


@pytest.mark.parametrize("paths", [(), ("d/a",)])
def test_a_restore_names_the_file(lacking: Case, paths: tuple[str, ...]) -> None:
    lose(lacking, "old:d/a")
    with pytest.raises(DevsError) as error:
        router.call("restore", lacking.workspace, restore.Request("1", paths))
    assert (error.value.code, details_of(error.value)["paths"]) == ("GIT_RESET_FAILED", ["d/a"])
    assert lacking.git("status", "--porcelain") == ""


def test_a_checkout_names_the_file(lacking: Case) -> None:
    lose(lacking, "old:d/a")
    with pytest.raises(DevsError) as error:
        router.call("checkout", lacking.workspace, checkout.Request("old"))
    assert (error.value.code, details_of(error.value)["paths"]) == ("CHECKOUT_FAILED", ["d/a"])
    assert (lacking.git("status", "--porcelain"), lacking.git("branch", "--show-current")) == ("", "main")


VERBS: dict[str, Callable[[Case], object]] = {
    "rewind": lambda case: case.rewind("1"),
    "restore": lambda case: router.call("restore", case.workspace, restore.Request("1")),
    "restore one": lambda case: router.call("restore", case.workspace, restore.Request("1", ("d/a",))),
    "checkout": lambda case: router.call("checkout", case.workspace, checkout.Request("old")),
}


@pytest.mark.parametrize("what", ["old^{tree}", "old:d"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_folder_that_is_missing_is_named_by_its_oid_or_its_commit(
    lacking: Case, what: str, verb: str
) -> None:
    commit, oid = lacking.git("rev-parse", "old"), lose(lacking, what)
    with pytest.raises(DevsError) as error:
        VERBS[verb](lacking)
    assert details_of(error.value)["oid"] in (oid, commit)
    assert lacking.git("status", "--porcelain") == ""


def test_what_a_sparse_checkout_leaves_out_may_be_missing(lacking: Case) -> None:
    lacking.stage("3", {"here": b"3\n"})
    lacking.git("sparse-checkout", "set", "--no-cone", "/here", "/devs-policy.yaml")
    lose(lacking, "old:d/a")
    assert "missing_objects" not in {one.get("reason") for one in lacking.plan("1").blocked_by}
