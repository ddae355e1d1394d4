"""What counts as lost after a call, and what only was edited, committed or moved."""

from __future__ import annotations

import pytest

from devs_git.domain.moments.ignored_choice import below, choose, summary
from devs_git.domain.moments.loss import (
    GoneCommit,
    Loss,
    Present,
    is_stash_lost,
    lost_commits,
    lost_files,
    lost_staged,
    sentence,
)

pytestmark = pytest.mark.quick

BEFORE = {"a.txt": "100644 mine"}


def now(files: dict[str, str], index: dict[str, str] | None = None, committed: str = "head") -> Present:
    everywhere = set(files.values()) | set((index or {}).values())
    return Present(files, index or {}, {f"100644 {committed}"}, everywhere | {f"100644 {committed}"})


@pytest.mark.parametrize(
    ("present", "is_lost"),
    [
        (now({}), True),
        (now({"a.txt": "100644 head"}), True),
        (now({"a.txt": "100644 mine"}), False),
        (now({"a.txt": "100644 edited"}), False),
        (now({"b.txt": "100644 mine"}), False),
        (now({}, {"a.txt": "100644 mine"}), False),
        (now({"a.txt": "100644 mine"}, committed="mine"), False),
        (now({}, committed="mine"), False),
        (now({"a.txt": "100755 mine"}), False),
    ],
)
def test_bytes_are_lost_if_they_are_nowhere_and_the_path_is_gone_or_as_committed(
    present: Present, *, is_lost: bool
) -> None:
    assert lost_files(BEFORE, present) == (("a.txt",) if is_lost else ())


def test_an_executable_bit_that_was_not_committed_can_be_lost() -> None:
    assert lost_files({"a.sh": "100755 head"}, now({"a.sh": "100644 head"})) == ("a.sh",)


def test_a_staged_version_is_lost_with_its_index_entry_and_not_if_a_newer_one_is_staged() -> None:
    assert lost_staged(BEFORE, {}, now({"a.txt": "100644 x"}, {"a.txt": "100644 head"})) == ("a.txt",)
    assert lost_staged(BEFORE, {}, now({}, {})) == ("a.txt",)
    assert lost_staged(BEFORE, {}, now({}, {"a.txt": "100644 newer"})) == ()
    assert lost_staged(BEFORE, {"a.txt": "100644 head"}, now({}, {})) == ()
    assert lost_staged(BEFORE, {}, now({"a.txt": "100644 mine"}, {})) == ()


def commit(oid: str, author: str, subject: str, *paths: str) -> GoneCommit:
    return GoneCommit(oid * 40, (author, subject), paths)


def test_a_commit_is_lost_if_no_new_commit_has_its_author_and_its_files_changed() -> None:
    gone = [commit("1", "ada 1", "one", "a"), commit("2", "ada 2", "two", "b")]
    both, one, two = {"a": "x", "b": "y"}, {"a": "x"}, {"b": "y"}
    assert lost_commits(gone, [], both, {}) == ("111111111111 one", "222222222222 two")
    assert lost_commits(gone, [], both, one) == ("222222222222 two",)
    assert lost_commits(gone, [("ada 1", "one")], two, {}) == ("222222222222 two",)
    assert lost_commits(gone, [("ada 2", "reworded")], one, {}) == ("111111111111 one",)
    assert lost_commits(gone, [], both, both) == ()


def test_a_commit_that_was_made_again_without_one_of_its_files_is_lost() -> None:
    gone = [commit("1", "ada 1", "one", "a")]
    assert lost_commits(gone, [("ada 1", "one")], {"a": "x"}, {}) == ("111111111111 one",)
    assert lost_commits(gone, [("ada 1", "one")], {"a": "x"}, {"a": "y"}) == ()
    assert lost_commits(gone, [("ada 1", "one")], {"a": "x"}, {"b": "x"}, {"x"}) == ()


def test_of_two_commits_of_one_second_the_one_that_was_not_made_again_is_lost() -> None:
    gone = [commit("1", "ada 1", "one", "a"), commit("2", "ada 1", "two", "b")]
    assert lost_commits(gone, [("ada 1", "two")], {"a": "x"}, {}) == ("111111111111 one",)


def test_a_stash_entry_is_lost_unless_its_files_are_there_or_were_merged() -> None:
    entry, older = {"a.txt": "100644 mine"}, now({"a.txt": "100644 other"})
    assert is_stash_lost(entry, older, {})
    assert is_stash_lost(entry, older, {"a.txt": "100644 head"})
    assert not is_stash_lost(entry, older, {"a.txt": "100644 merged"})
    assert not is_stash_lost(entry, now({"a.txt": "100644 mine"}), {})


def test_one_line_says_what_is_gone_and_the_command_that_brings_it_back() -> None:
    loss = Loss(
        files=("a", "b", "c"), ignored=(".env",), stashes=("1",), commits=("12 x",), unkept=("big.bin",)
    )
    said = sentence(loss, "devs-git rewind moment:12ab")
    assert "\n" not in said
    assert (
        "3 uncommitted files (a, b and 1 more), 1 ignored file (.env), 1 commit (12 x), 1 stash entry" in said
    )
    assert "bring it back: devs-git rewind moment:12ab" in said
    assert said.endswith("(not kept, so gone for good: big.bin)")
    assert "the worktree ../linked with 1 branch (topic)" in sentence(
        Loss(branches=("topic",), worktree="../linked"), "x"
    )
    assert not Loss(unkept=("x",)).is_any


def test_small_ignored_files_go_first_into_the_moment_and_the_rest_is_named() -> None:
    sizes = {".env": 10, "build/b": 60, "build/a": 50, "core": 900}
    choice = choose(sizes, room=70)
    assert choice.kept == (".env", "build/a")
    assert choice.left == {"build/b": 60, "core": 900}
    assert choose(sizes, most=1).kept == (".env",)
    assert (
        summary(choice.left, ("lib/",))
        == "lib/ (a repository of its own), core (900 bytes), build/b (60 bytes)"
    )
    many = {f"node_modules/{n}": 1 << 20 for n in range(9)} | {"x": 1}
    assert summary(many, ()) == "node_modules/ (9 files, 9 MiB), x (1 byte)"


def test_what_is_below_a_folder() -> None:
    assert below(("a/b", "a", "ab", "lib/"), "a") == ("a/b", "a")
    assert below(("a", "lib/"), ".") == ("a", "lib/")
    assert below(("lib/",), "lib") == ("lib/",)
