"""`rewind moment:…` where entries of the index have flags or intents to add: they come back, and go with the undo."""

from __future__ import annotations

import pytest

from tests.support.moment_stage import moment, there_and_back_at_moment
from tests.support.rewind_cases import Case

pytestmark = pytest.mark.thorough


def test_flags_of_the_index_come_back(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"2\n", "c": b"3\n"})
    case.git("update-index", "--assume-unchanged", "a")
    case.git("update-index", "--skip-worktree", "b")
    case.write({"a": b"hidden\n", "b": b"hidden\n", "c": b"4\n"})
    then, name = case.look(), moment(case)
    case.git("update-index", "--no-assume-unchanged", "a")
    case.git("update-index", "--no-skip-worktree", "b")
    case.git("reset", "-q", "--hard")
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_flags_that_came_after_the_moment_go(case: Case, flag: str) -> None:
    case.stage("1", {"a": b"1\n", "b": b"2\n"})
    case.write({"a": b"dirty\n"})
    then, name = case.look(), moment(case)
    case.git("update-index", flag, "b")
    case.write({"a": b"other\n"})
    there_and_back_at_moment(case, name, "discard")
    assert case.git("ls-files", "-v", "b") == "H b"
    case.look().must_equal(then)


def test_where_a_sparse_checkout_was_ended_no_file_stays_hidden(case: Case) -> None:
    case.stage("1", {"in/a": b"1\n", "out/b": b"2\n"})
    case.git("sparse-checkout", "set", "in")
    case.write({"in/a": b"dirty\n"})
    name = moment(case)
    case.git("sparse-checkout", "disable")
    case.write({"out/b": b"edited\n"})
    there_and_back_at_moment(case, name, "discard")
    case.write({"out/b": b"seen\n"})
    assert case.git("status", "--porcelain", "in", "out").splitlines() == [" M in/a", " M out/b"]


@pytest.mark.parametrize(
    "flags", [("--skip-worktree",), ("--assume-unchanged",), ("--skip-worktree", "--assume-unchanged")]
)
@pytest.mark.parametrize("there", [True, False])
def test_an_intent_to_add_with_a_flag_comes_back(case: Case, flags: tuple[str, ...], there: bool) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"intended": b"i\n"})
    case.git("add", "-N", "intended")
    for flag in flags:
        case.git("update-index", flag, "intended")
    if not there:
        case.write({"intended": None})
    then, name = case.look(), moment(case)
    case.git("update-index", "--force-remove", "intended")
    case.write({"intended": None})
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)
    case.write({"a": b"2\n", "intended": b"other\n"})
    there_and_back_at_moment(case, name, "discard")
    case.look().must_equal(then)


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
@pytest.mark.parametrize("before", ["absent", "untracked", "tracked", "staged", "intended"])
@pytest.mark.parametrize("there", [True, False])
def test_from_an_intent_to_add_with_a_flag_one_gets_back(
    case: Case, flag: str, before: str, there: bool
) -> None:
    case.stage("1", {"a": b"1\n", **({"intended": b"t\n"} if before == "tracked" else {})})
    if before not in ("absent", "tracked"):
        case.write({"intended": b"b\n"})
    if before in ("staged", "intended"):
        case.git("add", *(["-N"] if before == "intended" else []), "intended")
    then, name = case.look(), moment(case)
    case.git("rm", "-q", "--cached", "--ignore-unmatch", "intended")
    case.write({"intended": b"i\n"})
    case.git("add", "-N", "intended")
    case.git("update-index", flag, "intended")
    if not there:
        case.write({"intended": None})
    there_and_back_at_moment(case, name, "discard")
    if before == "absent":
        case.write({"intended": None})
    case.look().must_equal(then)


def test_flags_that_a_rewind_brought_go_with_its_undo(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"2\n"})
    case.git("update-index", "--assume-unchanged", "a")
    case.git("update-index", "--skip-worktree", "b")
    then, name = case.look(), moment(case)
    case.git("update-index", "--no-assume-unchanged", "a")
    case.git("update-index", "--no-skip-worktree", "b")
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)
