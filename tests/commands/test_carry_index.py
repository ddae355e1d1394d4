"""checkout and restore where git takes the written files over from the disk: the index gets the branch's files, and nothing else."""

from __future__ import annotations

import os
import shutil

import pytest

from devs_git.commands import checkout
from tests.support.rewind_cases import Case, Executable, Files, Link


def switch(case: Case, branch: str) -> checkout.Result:
    return checkout.run(case.workspace, checkout.Request(branch))


def switch_with_another_git(
    case: Case, patch: pytest.MonkeyPatch, script: str, *, first: bool = True
) -> checkout.Result:
    """A checkout of `old`. `script` runs in the worktree before git takes the files over, or right after it."""
    programs = case.top.parent / "programs"
    programs.mkdir(exist_ok=True)
    git = shutil.which("git")
    words = f'case " $* " in *" --info-only "*) (cd {case.top}; {script});; esac'
    lines = (words, f'exec {git} "$@"') if first else (f'{git} "$@" || exit', words)
    (programs / "git").write_text("\n".join(("#!/bin/sh", *lines, "")))
    (programs / "git").chmod(0o755)
    with patch.context() as there:
        there.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        return switch(case, "old")


@pytest.fixture
def two(case: Case) -> Case:
    case.stage("1", {"a": b"1\n", "b": b"b\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n"})
    return case


def has_the_tree_of(case: Case, branch: str) -> bool:
    return case.git("write-tree") == case.git("rev-parse", f"{branch}^{{tree}}")


@pytest.mark.quick
def test_whatever_changes_into_whatever_git_knows_the_times_of_each_file(case: Case) -> None:
    """Files, links, modes and folders change places. `diff-files` reads no file: it lists each one with unknown times."""
    here: Files = {
        "a": b"1\n",
        "tool": b"t\n",
        "link": Link(b"a"),
        "gone/far/below": b"g\n",
        "d": b"a file\n",
        "e/below": b"e\n",
        "l/below": b"l\n",
        " odd\tname\n": b"o\n",
        b"\xff\xfe": b"bytes\n",
    }
    there: Files = {
        "a": b"2\n",
        "tool": Executable(b"t\n"),
        "link": b"a\n",
        "gone/far/below": None,
        "d": None,
        "d/now/a/folder": b"d\n",
        "e/below": None,
        "e": b"e\n",
        "l/below": None,
        "l": Link(b"a"),
        " odd\tname\n": b"p\n",
        b"\xff\xfe": b"other bytes\n",
        "new/one": Executable(b"n\n"),
    }
    case.stage("1", here)
    case.git("branch", "old")
    case.stage("2", {name: what for name, what in there.items() if what is None})
    case.stage("3", there)
    for branch in ("old", "main", "old"):
        switch(case, branch)
        assert has_the_tree_of(case, branch)
        assert case.git("diff-files", "--name-only") == ""
        assert case.git("status", "--porcelain", "--ignored") == ""


def test_a_file_that_an_editor_saves_before_git_takes_it_over_stays_a_change_of_the_user(
    two: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = switch_with_another_git(two, monkeypatch, "printf mine > a")
    assert (found.edited, two.read("a")) == (("a",), b"mine")
    assert has_the_tree_of(two, "old")
    assert two.git("status", "--porcelain") == " M a"
    # Nor are its bytes stored.
    assert two.git("cat-file", "-e", two.git("hash-object", "a"), ok=(1,)) == ""


def test_a_file_that_an_editor_saves_after_git_took_it_over_is_told(
    two: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = switch_with_another_git(two, monkeypatch, "printf mine > a", first=False)
    assert (found.edited, two.read("a"), two.git("status", "--porcelain")) == (("a",), b"mine", " M a")


@pytest.mark.parametrize(
    ("script", "status"),
    [("rm a", " D a"), ("rm a; mkdir a; echo mine > a/below", " D a\n?? a/below"), ("ln -sf b a", " T a")],
)
def test_what_somebody_makes_of_a_file_before_git_takes_it_over_stays(
    two: Case, monkeypatch: pytest.MonkeyPatch, script: str, status: str
) -> None:
    found = switch_with_another_git(two, monkeypatch, script)
    assert found.edited == ("a",)
    assert has_the_tree_of(two, "old")
    assert two.git("status", "--porcelain", "-uall") == status


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_is_told_to_call_unchanged_gets_the_branchs_content(two: Case, flag: str) -> None:
    two.git("update-index", flag, "a")
    switch(two, "old")
    assert (two.read("a"), has_the_tree_of(two, "old")) == (b"1\n", True)
    assert two.git("diff-files", "--name-only") == ""


def test_a_file_that_the_user_deleted_and_the_branch_does_not_have_is_gone_from_the_index(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n", "later": b"l\n"})
    case.write({"later": None})
    switch(case, "old")
    assert (has_the_tree_of(case, "old"), case.git("status", "--porcelain")) == (True, "")


@pytest.mark.parametrize(
    ("name", "value"), [("core.ignoreStat", "true"), ("core.splitIndex", "true"), ("index.version", "4")]
)
def test_how_a_user_has_the_index_written_changes_nothing(two: Case, name: str, value: str) -> None:
    two.git("config", name, value)
    two.git("update-index", "--force-write-index")
    for branch in ("old", "main"):
        switch(two, branch)
        assert (has_the_tree_of(two, branch), two.git("status", "--porcelain")) == (True, "")
