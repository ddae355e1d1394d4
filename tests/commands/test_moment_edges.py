"""A moment of a dirty worktree, for each edge case: made, disturbed, gone to, undone and redone, with photographs between.

Folders without a file and nested repositories may not come back. `rewind --dry-run` says so for nested repositories.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import rewind, undo
from devs_git.entrypoints.cli.texts import move_text
from devs_git.errors import DevsError
from tests.support import moment_scene, photograph
from tests.support.edges_of_files import FILES, Disturb, Edge
from tests.support.edges_of_git import GIT
from tests.support.rewind_cases import Case, Executable


def moment_of(case: Case) -> str:
    """Make a moment, and return its name."""
    return f"moment:{moment_scene.moment(case.workspace).moment_id}"


def hard(case: Case) -> None:
    """What claude-code #84660 and copilot-cli #1675 ran."""
    case.git("reset", "-q", "--hard")
    case.git("clean", "-q", "-f", "-d")


def committed(case: Case) -> None:
    """All is committed, and then work goes on."""
    case.write({"new-in-commit": b"n\n"})
    case.git("add", "-A", ".")
    case.git("-c", "user.name=B", "-c", "user.email=b@c.d", "commit", "-q", "-m", "all of it")
    case.write({"new-in-commit": None, "new": b"after\n", "z/f/g": b"deep\n"})


def emptied(case: Case) -> None:
    """Every file that git knows or shows is deleted."""
    words = ("ls-files", "-z", "-c", "-o", "--exclude-standard")
    for name in case.git_bytes(*words).split(b"\0"):
        path = Path(case.path(name)) if name else case.top
        if path.is_symlink() or path.is_file():
            path.unlink()


HAVOC: dict[str, Callable[[Case], None] | None] = {
    "own": None,
    "hard": hard,
    "committed": committed,
    "emptied": emptied,
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("havoc", HAVOC)
@pytest.mark.parametrize("edge", [*FILES, *GIT], ids=lambda edge: edge.__name__)
def test_a_moment_of_a_dirty_tree_comes_back_to_the_byte_and_so_does_what_was_before(
    case: Case, edge: Edge, havoc: str
) -> None:
    own = edge(case)
    before = photograph.take(case.top)
    target = moment_of(case)
    photograph.take(case.top).must_equal(before, "made:")
    disturb(case, own, havoc)
    disturbed = photograph.take(case.top)
    done = go(case, target)
    photograph.take(case.top).must_equal(before, "gone to:")
    if not done.rewind_id:
        disturbed.must_equal(before, "nothing was to be done:")
        return
    for expected, note in ((disturbed, "undone:"), (before, "redone:"), (disturbed, "undone again:")):
        undo.run(case.workspace, undo.Request(preserve="discard"))
        photograph.take(case.top).must_equal(expected, note)


def disturb(case: Case, own: Disturb, havoc: str) -> None:
    act = HAVOC[havoc]
    if act:
        act(case)
    else:
        own()


def go(case: Case, target: str) -> rewind.Result:
    done = rewind.run(case.workspace, rewind.Request(target, preserve="discard", untracked="remove"))
    assert isinstance(done, rewind.Result)
    return done


def test_files_that_stay_keep_their_times(case: Case) -> None:
    case.commit({"stays": b"s\n", "churns": b"1\n"})
    case.write({"churns": b"2\n", "u-stays": b"u\n"})
    names = ("stays", "u-stays")
    was = [os.lstat(case.path(name)).st_mtime_ns for name in names]
    target = moment_of(case)
    case.write({"churns": b"3\n"})
    go(case, target)
    assert [os.lstat(case.path(name)).st_mtime_ns for name in names] == was


def test_a_nested_repository_stays_as_it_is_and_the_plan_says_so(case: Case) -> None:
    case.git("init", "-q", "inner")
    case.write({"inner/f": b"f\n", "a": b"1\n"})
    target = moment_of(case)
    case.write({"inner/f": b"g\n", "a": b"2\n"})
    plan = rewind.run(
        case.workspace, rewind.Request(target, preserve="discard", untracked="remove", dry_run=True)
    )
    assert isinstance(plan, rewind.Plan)
    assert plan.not_covered["nested_repositories"] == ("inner/",)
    go(case, target)
    assert (case.read("inner/f"), case.read("a")) == (b"g\n", b"1\n")


def test_the_plan_says_which_files_the_moment_does_not_have(case: Case) -> None:
    case.write({"a": b"1\n"})
    target = moment_of(case)
    case.write({"new": b"n\n", "d/new": b"n\n"})
    plan = rewind.run(case.workspace, rewind.Request(target, untracked="remove", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert plan.removed_untracked == ("d/new", "new")
    said = move_text.rewind_plan_text(plan)
    assert "takes away      2 untracked files: d/new, new" in said
    assert "the moment does not have them" in said


def test_an_empty_folder_may_not_come_back_and_none_that_is_there_goes(case: Case) -> None:
    case.write({"a": b"1\n"})
    Path(case.path("empty")).mkdir()
    target = moment_of(case)
    case.write({"a": b"2\n", "d/u": b"u\n"})
    go(case, target)
    assert (case.has("empty"), case.has("d")) == (True, False)


def test_permissions_do_not_depend_on_the_umask_of_who_goes_there(case: Case) -> None:
    case.commit({"a": b"1\n", "d/tool": Executable(b"x\n")})
    case.write({"a": b"2\n", "u": b"u\n"})
    before, target = photograph.take(case.top), moment_of(case)
    emptied(case)
    mask = os.umask(0o077)
    try:
        go(case, target)
    finally:
        os.umask(mask)
    photograph.take(case.top).must_equal(before)


@pytest.mark.parametrize("words", [("merge",), ("cherry-pick",)])
def test_an_operation_of_git_under_way_is_refused_and_nothing_changes(
    case: Case, words: tuple[str, ...]
) -> None:
    case.commit({"a": b"1\n"})
    case.git("branch", "side")
    case.commit({"a": b"2\n"})
    target = moment_of(case)
    case.git("checkout", "-q", "side")
    case.commit({"a": b"3\n"})
    case.git("checkout", "-q", "main")
    case.git(*words, "side", ok=(1,))
    before = photograph.take(case.top)
    with pytest.raises(DevsError) as refused:
        go(case, target)
    assert refused.value.details["reason"] == "operation_under_way"
    photograph.take(case.top).must_equal(before)


def test_the_times_of_links_and_a_second_worktree_do_not_matter(case: Case, tmp_path: Path) -> None:
    """In a linked worktree the same holds, and the main one is not touched."""
    case.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = Case(tmp_path / "linked")
    case.write({"main-only": b"m\n"})
    linked.write({"kept.txt": b"edited\n", "u": b"u\n"})
    main, before = photograph.take(case.top), photograph.take(linked.top)
    target = moment_of(linked)
    hard(linked)
    go(linked, target)
    photograph.take(linked.top).must_equal(before)
    photograph.take(case.top).must_equal(main)
