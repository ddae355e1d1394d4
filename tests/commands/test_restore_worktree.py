"""`restore moment:… --worktree DIR`: a worktree that is gone is made again, with its uncommitted and untracked files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import restore, task_start
from devs_git.errors import DevsError
from devs_git.storage.moments import moment_store
from devs_git.workspace import Workspace
from tests.support.moment_stage import all_kinds, dirty, moment
from tests.support.rewind_cases import Case, Executable, Link


@pytest.fixture
def linked(case: Case, tmp_path: Path) -> Case:
    """A linked worktree on a branch of its own, with work of every kind."""
    all_kinds(case)
    case.git("reset", "-q", "--hard")
    case.git("clean", "-fdxq")
    case.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    there = Case(tmp_path / "linked")
    there.commit({"on side": b"s\n", ".gitattributes": b"*.txt text eol=lf\n", "t.txt": b"t\n"})
    dirty(there, {"link": Link(b"nowhere"), "tool": Executable(b"#!/bin/sh\n"), "t.txt": b"t\r\nx\r\n"})
    there.write({"secret": b"s\n"})
    (there.top / "secret").chmod(0o600)
    return there


def bring(case: Case, name: str, place: Path) -> tuple[restore.Result, Case]:
    done = restore.run(case.workspace, restore.Request(name, worktree=str(place)))
    return done, Case(place)


@pytest.mark.quick
@pytest.mark.parametrize("how", ["removed", "deleted", "deleted, same folder"])
def test_a_worktree_that_is_gone_is_made_again_with_all_that_was_in_it(
    case: Case, linked: Case, how: str
) -> None:
    then, name = linked.look(), moment(linked, ignored=("run.log",))
    here = case.look()
    if how == "removed":
        case.git("worktree", "remove", "--force", str(linked.top))
    else:
        shutil.rmtree(linked.top)
    place = linked.top if how == "deleted, same folder" else linked.top.with_name("again")
    done, again = bring(case, name, place)
    again.look().must_equal(then)
    case.look().must_equal(here)
    assert (done.worktree, done.branch, done.detached) == (str(place), "side", "")
    assert next(case.workspace.ledger.events()).type == "worktree.restored"
    assert case.git("fsck", "--no-dangling", "--no-progress") == ""
    assert again.git("status", "--porcelain=v2") == linked_status(again)


def linked_status(again: Case) -> str:
    """git's own status after it has read all files again."""
    again.git("update-index", "-q", "--refresh", ok=(0, 1))
    return again.git("status", "--porcelain=v2")


@pytest.mark.parametrize("why", ["checked out", "moved", "gone"])
def test_a_branch_that_is_not_free_leaves_head_detached_and_a_branch_that_is_gone_is_made(
    case: Case, linked: Case, why: str
) -> None:
    then, name = linked.look(), moment(linked)
    if why == "moved":
        linked.commit({"more": b"m\n"})
    if why != "checked out":
        case.git("worktree", "remove", "--force", str(linked.top))
    if why == "gone":
        case.git("branch", "-qD", "side")
    side = case.git("for-each-ref", "refs/heads/side")
    done, again = bring(case, name, linked.top.with_name("again"))
    now = again.look()
    assert {*now.files, b"run.log"} == {*then.files}
    assert (now.index, now.head) == (then.index, then.head)
    assert (done.branch, bool(done.detached)) == (("side", False) if why == "gone" else ("", True))
    assert case.git("rev-parse", "side")
    assert why == "gone" or case.git("for-each-ref", "refs/heads/side") == side


def test_the_active_task_comes_back_unless_another_worktree_works_on_it(case: Case, linked: Case) -> None:
    task_start.run(Workspace.open(linked.top), task_start.Request("7", title="t"))
    active, name = linked.active(), moment(linked)
    _done, beside = bring(case, name, linked.top.with_name("beside"))
    assert beside.active() == ""
    case.git("worktree", "remove", "--force", str(linked.top))
    _done, again = bring(case, name, linked.top.with_name("again"))
    assert again.active() == active


def test_flags_and_an_unmerged_index_come_back_as_far_as_git_can_know_them(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"b\n"})
    case.git("update-index", "--assume-unchanged", "b")
    case.git("switch", "-qc", "side", "HEAD~1")
    case.commit({"a": b"side\n"})
    case.git("switch", "-q", "main")
    case.git("update-index", "--assume-unchanged", "b")
    case.git("merge", "side", ok=(1,))
    then, name = case.look(), moment(case)
    done, again = bring(case, name, case.top.with_name("again"))
    assert (again.look().files, again.look().index) == (then.files, then.index)
    assert (done.under_way, "main is checked out" in done.detached) == ("a merge", True)


def test_a_folder_with_files_is_refused_and_nothing_is_left(case: Case, linked: Case, tmp_path: Path) -> None:
    name, before = moment(linked), case.git("worktree", "list")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("m\n")
    with pytest.raises(DevsError) as refused:
        bring(case, name, tmp_path / "full")
    assert refused.value.code == "CONFLICT"
    assert str(tmp_path) not in refused.value.message
    assert (case.git("worktree", "list"), (tmp_path / "full/mine").read_text()) == (before, "m\n")


def test_if_a_step_fails_no_worktree_and_no_branch_is_left(
    case: Case, linked: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.storage.worktree import tree_difference

    name = moment(linked)
    case.git("worktree", "remove", "--force", str(linked.top))
    case.git("branch", "-qD", "side")
    before, refs = case.git("worktree", "list"), case.git("for-each-ref")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tree_difference, "settle_index", fail)
    with pytest.raises(DevsError) as refused:
        bring(case, name, linked.top.with_name("again"))
    assert refused.value.details["reason"] == "disk"
    assert (case.git("worktree", "list"), case.git("for-each-ref")) == (before, refs)
    assert not linked.top.with_name("again").exists()


def test_a_moment_whose_commit_is_lost_is_not_found_and_nothing_is_made(case: Case, linked: Case) -> None:
    name, head = moment(linked), linked.git("rev-parse", "HEAD")
    case.git("worktree", "remove", "--force", str(linked.top))
    case.git("branch", "-qD", "side")
    case.git("reflog", "expire", "--expire=now", "--all")
    case.git("gc", "-q", "--prune=now")
    own = moment_store.folder(case.top / ".git") / "objects"
    (own / head[:2] / head[2:]).unlink()
    with pytest.raises(DevsError) as refused:
        bring(case, name, linked.top.with_name("again"))
    assert refused.value.code == "MOMENT_NOT_FOUND"
    assert "a part of it is gone" in refused.value.message
    assert not linked.top.with_name("again").exists()


@pytest.mark.quick
@pytest.mark.parametrize(
    "given",
    [{"target": "task-1"}, {"target": "moment:-1", "paths": ("a",)}, {"target": "moment:-1", "worktree": ""}],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(DevsError) as refused:
        restore.Request(**{"worktree": "x", **given})
    assert refused.value.code == "INVALID_ARGUMENTS"
