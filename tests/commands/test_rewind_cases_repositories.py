"""Rewind and undo among other repositories: submodules, nested ones, other worktrees, partial and shallow clones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import ledgers
from tests.support.rewind_cases import REFUSED, Case, begin, contents


def nested(case: Case, where: str) -> Case:
    """A repository of its own below the case's."""
    inner = Case(case.top / where)
    inner.top.mkdir(parents=True, exist_ok=True)
    inner.git("init", "-q")
    inner.commit({"theirs.txt": b"theirs\n"})
    inner.write({"theirs.txt": b"uncommitted\n", "untracked.txt": b"u\n"})
    return inner


def whole(inner: Case) -> dict[bytes, tuple[str, bytes]]:
    return contents(inner.top, leave_out=())


def library(case: Case) -> Path:
    """A repository that submodules are taken from."""
    return begin(case.top.parent / "library").top


@pytest.mark.quick
def test_a_submodule_is_reported_and_its_folder_is_not_touched(case: Case) -> None:
    case.git("submodule", "--quiet", "add", str(library(case)), "sub")
    case.stage("1", {"a": b"1\n"})
    inner = Case(case.top / "sub")
    inner.commit({"more.txt": b"more\n"})
    case.stage("2", {"a": b"2\n"})
    inner.write({"kept.txt": b"uncommitted\n"})
    before = whole(inner)
    assert case.plan("1").not_covered["submodules"] == ("sub",)
    look = case.look()
    case.rewind("1")
    assert whole(inner) == before
    assert case.git("ls-files", "-s", "sub").split()[1] != inner.git("rev-parse", "HEAD")
    assert case.read("a") == b"1\n"
    case.undo()
    case.look().must_equal(look)


def test_a_submodule_that_the_target_did_not_have_leaves_the_index_alone(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("submodule", "--quiet", "add", str(library(case)), "sub")
    case.stage("2", {"a": b"2\n"})
    inner = Case(case.top / "sub")
    inner.write({"kept.txt": b"uncommitted\n"})
    before, look = whole(inner), case.look()
    case.rewind("1")
    assert (whole(inner), case.git("ls-files", "-s", "sub")) == (before, "")
    assert case.git("status", "--porcelain") == "?? sub/"
    case.undo()
    case.look().must_equal(look)
    assert whole(inner) == before


def test_a_submodule_that_the_target_had_comes_back_as_its_folder_stands(case: Case) -> None:
    case.git("submodule", "--quiet", "add", str(library(case)), "sub")
    case.stage("1", {"a": b"1\n"})
    case.git("rm", "-q", "--cached", "sub")
    case.git("commit", "-qm", "no submodule")
    case.point("2")
    inner = Case(case.top / "sub")
    inner.write({"kept.txt": b"uncommitted\n"})
    before, look = whole(inner), case.look()
    case.rewind("1")
    assert whole(inner) == before
    assert case.git("ls-files", "-s", "sub").startswith("160000")
    case.undo()
    case.look().must_equal(look)
    inner.top.rename(case.top.parent / "aside")
    case.write({"sub": b"a file of mine\n"})
    case.assert_refused("1")
    case.there_and_back("1", untracked="save")


@pytest.mark.quick
@pytest.mark.parametrize("shape", ["file", pytest.param("folder", marks=pytest.mark.thorough)])
def test_a_submodule_where_the_target_has_files_is_in_the_way(case: Case, shape: str) -> None:
    case.stage("1", {"sub": b"a file\n"} if shape == "file" else {"sub/new.txt": b"a file\n"})
    case.git("rm", "-rqf", "sub")
    case.git("submodule", "--quiet", "add", str(library(case)), "sub")
    case.stage("2", {"a": b"2\n"})
    inner = Case(case.top / "sub")
    inner.write({"kept.txt": b"uncommitted\n"})
    before = whole(inner)
    assert "nested repository" in case.assert_refused("1").message
    with pytest.raises(DevsError) as error:
        case.rewind("1", "discard", "save")
    assert (error.value.code, whole(inner)) == (REFUSED, before)


def test_a_file_that_became_a_submodule_of_which_only_a_file_is_left_is_captured(case: Case) -> None:
    case.stage("1", {"sub": b"a file\n"})
    case.git("rm", "-qf", "sub")
    case.git("submodule", "--quiet", "add", str(library(case)), "sub")
    case.stage("2", {"a": b"2\n"})
    (case.top / "sub").rename(case.top.parent / "aside")
    case.write({"sub": b"a file of mine\n"})
    case.assert_refused("1")
    case.rewind("1", "discard", "save")
    assert case.read("sub") == b"a file\n"
    case.undo()
    assert case.read("sub") == b"a file of mine\n"


def test_a_nested_repository_is_reported_and_not_touched(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.commit({".gitignore": b"vendor/\n"})
    inner, hidden = nested(case, "deep/inner"), nested(case, "vendor")
    before = whole(inner), whole(hidden)
    covered = case.plan("1", "discard").not_covered
    assert set(covered["nested_repositories"]) == {"deep/inner/", "vendor/"}
    case.there_and_back("1")
    assert (whole(inner), whole(hidden)) == before


WAYS = ("way", "way/new.txt", "way/theirs.txt", "way/deep/new.txt")


@pytest.mark.parametrize(
    "target", [*WAYS[:2], *(pytest.param(way, marks=pytest.mark.thorough) for way in WAYS[2:])]
)
def test_a_nested_repository_in_the_way_refuses_always(case: Case, target: str) -> None:
    case.stage("1", {target: b"old\n"})
    case.stage("2", {target: None})
    inner = nested(case, "way")
    before = whole(inner)
    assert "nested repository" in case.assert_refused("1").message
    with pytest.raises(DevsError) as error:
        case.rewind("1", "discard", "save")
    assert (error.value.code, whole(inner)) == (REFUSED, before)


@pytest.mark.quick
def test_tasks_of_other_worktrees_are_never_touched(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("worktree", "add", "-q", "-b", "other", "../other")
    other = Case(case.top.parent / "other")
    other.stage("20", {"b": b"theirs\n"})
    other.write({"b": b"dirty\n"})
    case.stage("2", {"a": b"2\n"})
    case.stage("3", {"a": b"3\n"})
    case.git("worktree", "add", "-q", "--detach", "../detached", "HEAD~1")
    before = other.look()
    done = case.rewind("1")
    assert done.affected_tasks == ("task-3",)  # the detached worktree still stands on task 2
    assert done.kept_by == ({"checkpoint": "task-2@1", "branches": ("worktree detached",)},)
    live = {point.task_id for point in case.workspace.ledger.tip().history.live()}
    assert live == {"task-1", "task-2", "task-20"}
    after = other.look()
    assert (after.files, after.index, after.head, after.status) == (
        before.files,
        before.index,
        before.head,
        before.status,
    )


def test_a_detached_head_goes_back_and_forth(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.git("switch", "-q", "--detach")
    case.git("branch", "-q", "-f", "main", "HEAD~2")
    case.write({"a": b"dirty\n"})
    done = case.there_and_back("1", "branch")
    assert done.affected_tasks == ("task-2",)
    assert case.git("rev-parse", "main") == case.git("rev-parse", "HEAD~2")


def test_core_worktree_elsewhere_and_a_detached_head_undo_what_only_we_have(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    elsewhere = case.top.parent / "else where"
    case.git("switch", "-q", "--detach")
    case.git("branch", "-q", "-f", "main", "HEAD~2")
    (case.top / ".git").rename(case.top.parent / "the.git")
    case.top.rename(elsewhere)
    (elsewhere / ".git").write_text("gitdir: ../the.git\n")
    moved = Case(elsewhere)
    moved.git("config", "core.worktree", str(elsewhere))
    assert moved.there_and_back("1").affected_tasks == ("task-2",)


@pytest.mark.quick
def test_a_shallow_clone_says_that_it_is_shallow(case: Case, tmp_path: Path) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    top = tmp_path / "shallow"
    url = f"file://{case.top}"
    subprocess.run(["git", "clone", "-q", "--depth=1", "--branch=main", url, top], check=True)
    clone = Case(top)
    clone.git("fetch", "-q", "origin", "refs/heads/devs/ledger:refs/heads/devs/ledger", "--depth=1000")
    clone.git("fetch", "-q", "--depth=1", "origin", case.git("rev-parse", "HEAD~1"))
    error = clone.assert_refused("1")
    assert "shallow" in error.message
    assert "--unshallow" in error.hint


@pytest.mark.quick
def test_a_partial_clone_whose_blobs_are_missing_refuses_and_fetches_nothing(
    case: Case, tmp_path: Path
) -> None:
    case.git("config", "uploadpack.allowFilter", "true")
    case.stage("1", {"a": b"1\n", "same": b"same\n"})
    case.stage("2", {"a": b"2\n"})
    top = tmp_path / "partial"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", f"file://{case.top}", top], check=True)
    clone = Case(top)
    clone.git(
        "fetch", "-q", "--refetch", "--no-filter", "origin", "+refs/heads/devs/ledger:refs/heads/devs/ledger"
    )
    missing = ("rev-list", "--objects", "--all", "--missing=print")
    before = [line for line in clone.git(*missing).splitlines() if line.startswith("?")]
    assert before
    error = clone.assert_refused("1")
    assert "partial clone" in error.message
    assert [line for line in clone.git(*missing).splitlines() if line.startswith("?")] == before
    subprocess.run(error.hint.split(": ")[1].split(), cwd=top, check=True, capture_output=True)
    clone.there_and_back("1")


def test_a_sparse_partial_clone_needs_only_the_blobs_that_it_writes(case: Case, tmp_path: Path) -> None:
    case.git("config", "uploadpack.allowFilter", "true")
    case.stage("1", {"in/a": b"same\n", "out/a": b"1\n"})
    case.stage("2", {"out/a": b"2\n"})
    top = tmp_path / "partial"
    url = f"file://{case.top}"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", "--no-checkout", url, top], check=True)
    clone = Case(top)
    clone.git("sparse-checkout", "set", "--cone", "in")
    clone.git("switch", "-q", "main")
    clone.git(
        "fetch", "-q", "--refetch", "--no-filter", "origin", "+refs/heads/devs/ledger:refs/heads/devs/ledger"
    )
    missing = ("rev-list", "--objects", "--all", "--missing=print")
    before = [line for line in clone.git(*missing).splitlines() if line.startswith("?")]
    clone.there_and_back("1")
    assert [line for line in clone.git(*missing).splitlines() if line.startswith("?")] == before


def test_an_unborn_branch_refuses(tmp_path: Path) -> None:
    top = tmp_path / "unborn"
    top.mkdir()
    case = Case(top)
    case.git("init", "-q")
    ledgers.begin(case.workspace)
    case.git("switch", "-qc", "work")
    case.commit({"a": b"1\n"})
    case.point("1")
    case.git("switch", "-q", "--orphan", "new")
    case.write({"a": b"mine\n"})
    refs = case.git("for-each-ref")
    with pytest.raises(DevsError) as error:
        case.rewind("1")
    assert (error.value.code, case.read("a"), case.git("for-each-ref")) == (REFUSED, b"mine\n", refs)


def test_a_bare_repository_has_no_tree_to_rewind(case: Case, tmp_path: Path) -> None:
    case.stage("1", {"a": b"1\n"})
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--mirror", str(case.top), bare], check=True)
    with pytest.raises(DevsError) as error:
        Case(bare).rewind("1")
    assert error.value.code == "NOT_A_REPOSITORY"
    assert Workspace.open(bare).places.top is None


def test_replace_refs_do_not_decide_what_a_checkpoint_holds(case: Case) -> None:
    first = case.stage("1", {"a": b"1\n", "way": b"old\n"})
    case.stage("2", {"a": b"2\n", "way": None})
    case.git("switch", "-q", "--orphan", "other")
    instead = case.commit({"a": b"instead\n"})
    case.git("switch", "-q", "main")
    case.write({"way": b"mine\n"})
    case.git("replace", first, instead)
    with pytest.raises(DevsError):
        case.rewind("1")
    assert case.read("way") == b"mine\n"
