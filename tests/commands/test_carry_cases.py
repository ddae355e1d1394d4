"""checkout and restore among submodules, nested repositories and awkward bytes: nothing of a person is written over."""

from __future__ import annotations

import os
import shutil

import pytest

from devs_git.commands import checkout, restore
from devs_git.errors import DevsError
from devs_git.storage.worktree import carry_changes
from tests.support.rewind_cases import Case, Look, begin


def switch(case: Case, branch: str) -> checkout.Result:
    return checkout.run(case.workspace, checkout.Request(branch))


def bring_back(case: Case, target: str) -> restore.Result:
    return restore.run(case.workspace, restore.Request(target, (), str(case.top)))


def refused(case: Case) -> None:
    """Neither verb touches anything."""
    for call in (lambda: switch(case, "old"), lambda: bring_back(case, "1")):
        before: Look = case.look()
        with pytest.raises(DevsError) as error:
            call()
        assert error.value.code in ("CHECKOUT_FAILED", "GIT_RESET_FAILED")
        case.look().must_equal(before)


@pytest.mark.quick
def test_a_file_of_mine_where_a_submodule_was_is_not_written_over(case: Case) -> None:
    library = begin(case.top.parent / "library").top
    case.stage("1", {"sub": b"a file\n"})
    case.git("branch", "old")
    case.git("rm", "-qf", "sub")
    case.git("submodule", "--quiet", "add", str(library), "sub")
    case.stage("2", {"a": b"2\n"})
    (case.top / "sub" / "kept.txt").write_bytes(b"uncommitted\n")
    refused(case)  # the submodule itself is in the way
    (case.top / "sub").rename(case.top.parent / "aside")
    case.write({"sub": b"mine\n"})
    refused(case)
    assert case.read("sub") == b"mine\n"


@pytest.mark.parametrize("ignored", [False, True])
def test_a_file_of_mine_where_a_submodule_will_be_is_not_written_over(case: Case, ignored: bool) -> None:
    library = begin(case.top.parent / "library").top
    case.git("submodule", "--quiet", "add", str(library), "sub")
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "old")
    case.git("rm", "-qf", "sub")
    case.stage("2", {".gitignore": b"sub\n" if ignored else b"nothing\n"})
    case.write({"sub": b"mine\n"})
    refused(case)
    assert case.read("sub") == b"mine\n"


@pytest.mark.parametrize(
    "where", [("--file", ".gitmodules", "submodule.sub.ignore"), ("diff.ignoreSubmodules",)]
)
def test_a_submodule_of_which_git_shows_no_changes_gets_the_commit_of_the_other_branch(
    case: Case, where: tuple[str, ...]
) -> None:
    library = begin(case.top.parent / "library").top
    case.git("submodule", "--quiet", "add", str(library), "sub")
    case.git("config", *where, "all")
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "old")
    case.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "newer")
    case.git("update-index", "--cacheinfo", f"160000,{case.git('-C', 'sub', 'rev-parse', 'HEAD')},sub")
    case.stage("2", {"a": b"2\n"})
    assert case.git("rev-parse", "old:sub") != case.git("rev-parse", "main:sub")
    for branch in ("old", "main"):
        switch(case, branch)
        assert case.git("write-tree") == case.git("rev-parse", f"{branch}^{{tree}}")
    # A staged commit of the submodule comes along to a branch that has the same one as this branch, and is never lost.
    case.git("update-index", "--cacheinfo", f"160000,{case.git('rev-parse', 'old:sub')},sub")
    case.git("branch", "beside")
    switch(case, "beside")
    assert case.git("rev-parse", ":sub") == case.git("rev-parse", "old:sub")


def test_dirty_bytes_that_are_in_nobodys_way_are_carried_as_they_are(case: Case) -> None:
    case.stage("1", {".gitattributes": b"* text=auto\n", "a": b"1\n", "mine": b"m\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    case.write({"mine": b"edited\r\n", "staged": b"s\r\n", "intended": b"i\r\n"})
    case.git("add", "staged")
    case.git("add", "-N", "intended")
    before = case.look()
    switch(case, "old")
    assert (case.read("a"), case.read("mine"), case.read("intended")) == (b"1\n", b"edited\r\n", b"i\r\n")
    switch(case, "main")
    now = case.look()
    assert (now.files, now.index, now.status) == (before.files, before.index, before.status)


def test_an_edit_behind_skip_worktree_is_not_written_over_by_a_checkout(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    for flag in ("--skip-worktree", "--assume-unchanged"):
        case.git("update-index", flag, "a")
        case.write({"a": b"mine\n"})
        before = case.look()
        try:
            switch(case, "old")
        except DevsError:
            case.look().must_equal(before)
        assert case.read("a") == b"mine\n"
        case.git("switch", "-q", "main", ok=(0, 1))
        case.git("update-index", flag.replace("--", "--no-"), "a")
        case.git("checkout", "-q", "-f", "main")


def test_a_file_of_which_a_person_changed_the_mode_alone_is_refused_as_git_refuses_it(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    (case.top / "a").chmod(0o755)
    refused(case)
    assert (case.top / "a").stat().st_mode & 0o100


def test_the_same_bytes_behind_a_linked_folder_are_nobodys_to_replace(case: Case) -> None:
    case.stage("1", {"d/a": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"d/a": b"2\n"})
    elsewhere = case.top.parent / "elsewhere"
    (case.top / "d").rename(elsewhere)
    (case.top / "d").symlink_to(elsewhere)
    refused(case)
    assert (elsewhere / "a").read_bytes() == b"2\n"


@pytest.mark.quick
def test_files_with_the_bytes_of_head_and_new_times_are_no_change(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"b\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    for name in ("a", "b"):
        os.utime(case.top / name, (1, 1))
    switch(case, "old")
    assert (case.read("a"), case.git("status", "--porcelain")) == (b"1\n", "")
    os.utime(case.top / "a", (1, 1))
    bring_back(case, "2")
    assert (case.read("a"), case.git("status", "--porcelain")) == (b"2\n", "")


def refusal_with_another_git(case: Case, monkeypatch: pytest.MonkeyPatch, script: str) -> DevsError:
    """Why a checkout of `old` is refused while `git` is this script. Everything is as before."""
    programs = case.top.parent / "programs"
    programs.mkdir()
    (programs / "git").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "git").chmod(0o755)
    before = case.look()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        with pytest.raises(DevsError) as error:
            switch(case, "old")
    case.look().must_equal(before)
    return error.value


@pytest.mark.parametrize(("attributes", "last"), [(b"", "--info-only"), (b"* text=auto\n", "checkout-index")])
def test_an_index_that_another_program_changed_meanwhile_is_not_put_in_place(
    case: Case, monkeypatch: pytest.MonkeyPatch, attributes: bytes, last: str
) -> None:
    """`last` is the git that writes the index last: where an attribute may convert the files it is another one."""
    case.stage("1", {"a": b"1\n", "d/b": b"b\n"} | ({".gitattributes": attributes} if attributes else {}))
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    git = shutil.which("git")
    error = refusal_with_another_git(
        case,
        monkeypatch,
        f'{git} "$@" || exit\ncase " $* " in *" {last} "*) {git} update-index --force-remove d/b;; esac',
    )
    assert error.details["reason"] == "not_as_written"


def test_an_index_that_cannot_be_written_while_the_move_begins_leaves_everything_as_it_was(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    error = refusal_with_another_git(
        case,
        monkeypatch,
        f'case " $* " in *" --index-info "*) exit 128;; esac\nexec {shutil.which("git")} "$@"',
    )
    assert error.code == "CHECKOUT_FAILED"
    left = [
        *case.top.glob(".git/*.lock"),
        *case.top.glob(".git/devs/op/*"),
        *case.top.glob(".git/devs/journal/*"),
    ]
    assert left == []


def test_after_a_checkout_of_many_files_git_need_not_compute_the_trees_again(case: Case) -> None:
    many = {f"d{number % 10}/{number}": b"1\n" for number in range(carry_changes.MANY + 1)}
    case.stage("1", many)
    case.git("branch", "old")
    case.stage("2", dict.fromkeys(many, b"2\n"))
    switch(case, "old")
    index = (case.top / ".git/index").stat().st_ino
    assert case.git("write-tree") == case.git("rev-parse", "old^{tree}")
    # git writes the index again only if it had to compute a tree.
    assert ((case.top / ".git/index").stat().st_ino, case.git("status", "--porcelain")) == (index, "")
