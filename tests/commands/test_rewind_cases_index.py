"""Rewind and undo with an index out of the ordinary: sparse, split, flagged, intent to add."""

from __future__ import annotations

import pytest

from tests.support.rewind_cases import Case, Link


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "how", ["--cone", pytest.param("--no-cone", marks=pytest.mark.thorough), "--sparse-index"]
)
def test_a_sparse_checkout_stays_sparse(case: Case, how: str) -> None:
    case.stage("1", {"in/a": b"1\n", "out/a": b"1\n", "out/gone": b"g\n"})
    case.stage("2", {"in/a": b"2\n", "out/a": b"2\n", "out/gone": None, "out/new": b"n\n"})
    case.git("sparse-checkout", "set", "--cone" if how == "--sparse-index" else how, "in")
    if how == "--sparse-index":
        case.git("sparse-checkout", "reapply", "--sparse-index")
    assert not case.has("out/a")
    case.write({"in/a": b"dirty\n"})
    case.there_and_back("1", "discard")
    case.rewind("1", "discard")
    assert (case.read("in/a"), case.has("out/a"), case.has("out/gone")) == (b"1\n", False, False)
    case.git("sparse-checkout", "disable")
    assert (case.read("out/a"), case.has("out/new")) == (b"1\n", False)


def test_edited_and_untracked_files_outside_a_sparse_checkout_come_back(case: Case) -> None:
    case.stage("1", {"in/a": b"1\n", "out/a": b"1\n", "out/way": b"w\n"})
    case.stage("2", {"in/a": b"2\n", "out/a": b"2\n", "out/way": None})
    case.git("sparse-checkout", "set", "--cone", "in")
    case.write({"out/a": b"edited though it is outside\n", "out/way": b"mine\n"})
    case.assert_refused("1")
    case.there_and_back("1", "discard", "save")


def test_a_split_index_is_read_whole(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"1\n"})
    case.git("config", "core.splitIndex", "true")
    case.stage("2", {"a": b"2\n"})
    case.git("update-index", "--split-index")
    case.write({"a": b"dirty\n", "new": b"n\n"})
    case.git("add", "-N", "new")
    case.there_and_back("1", "stash")


@pytest.mark.parametrize("monitor", ["true", pytest.param("/bin/false", marks=pytest.mark.thorough)])
def test_a_file_monitor_is_not_started_and_what_it_said_is_not_believed(case: Case, monitor: str) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.git("update-index", "--fsmonitor")
    case.git("update-index", "--fsmonitor-valid", "a", "kept.txt", ok=(0, 128))
    case.git("config", "core.fsmonitor", monitor)
    case.git("config", "core.untrackedCache", "true")
    case.write({"a": b"dirty\n", "kept.txt": b"also\n"})
    case.rewind("1", "discard")
    assert (case.read("a"), case.read("kept.txt")) == (b"1\n", b"kept\n")
    case.undo()
    assert (case.read("a"), case.read("kept.txt")) == (b"dirty\n", b"also\n")
    case.git("fsmonitor--daemon", "stop", ok=(0, 1, 128))


@pytest.mark.parametrize(
    "flag", ["--skip-worktree", pytest.param("--assume-unchanged", marks=pytest.mark.thorough)]
)
def test_local_edits_behind_a_flag_refuse_and_come_back_with_their_flag(case: Case, flag: str) -> None:
    case.stage("1", {"a": b"1\n", "away": b"1\n", "same": b"1\n", "link": Link(b"1")})
    case.stage("2", {"a": b"2\n", "away": None, "b": b"2\n", "link": Link(b"2")})
    case.git("update-index", flag, "a", "b", "same", "link", "kept.txt")
    case.there_and_back("1")
    case.write({"same": b"not in the way\n", "link": Link(b"local")})
    assert "'link'" in case.assert_refused("1").message
    case.write({"a": b"local\n", "b": b"local\n"})
    before = case.look()
    case.rewind("1", "discard")
    assert (case.read("a"), case.has("b"), case.read("same")) == (b"1\n", False, b"not in the way\n")
    case.undo()
    case.look().must_equal(before)


def test_a_file_that_is_gone_behind_assume_unchanged_is_gone_again_after_the_undo(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.git("update-index", "--assume-unchanged", "a")
    case.write({"a": None})
    case.assert_refused("1")
    before = case.look()
    case.rewind("1", "discard")
    assert case.read("a") == b"1\n"
    case.undo()
    case.look().must_equal(before)


@pytest.mark.parametrize(
    "mode",
    ["branch", *(pytest.param(mode, marks=pytest.mark.thorough) for mode in ("stash", "discard"))],
)
def test_intent_to_add_entries_come_back_as_such(case: Case, mode: str) -> None:
    case.stage("1", {"a": b"1\n", "old": b"old\n", "d/x": b"x\n"})
    case.stage("2", {"a": b"2\n", "old": None, "d/x": None})
    case.write({"new": b"new\n", "empty": b"", "old": b"mine\n", "d": b"a file now\n", "gone": b"g\n"})
    case.git("add", "-N", "new", "empty", "old", "d", "gone")
    case.write({"gone": None})
    case.there_and_back("1", mode)
    case.rewind("1", mode)
    assert (case.has("new"), case.read("old"), case.read("d/x")) == (False, b"old\n", b"x\n")


def test_an_intent_to_add_entry_without_its_file_comes_back_alone(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.write({"d/gone": b"g\n"})
    case.git("add", "-N", "d/gone")
    case.write({"d/gone": None, "d": b"a file now\n"})
    case.there_and_back("1", "discard")


def test_what_is_staged_comes_back_apart_from_what_is_not(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "b": b"1\n", "c": b"1\n"})
    case.stage("2", {"a": b"2\n", "b": b"2\n", "c": b"2\n"})
    case.write({"a": b"staged\n", "new": b"staged\n"})
    case.git("add", "a", "new")
    case.git("rm", "-q", "--cached", "b")
    case.write({"a": b"edited since\n", "new": None, "c": None})
    case.assert_refused("1", "discard")  # b is untracked now, and in the way
    case.there_and_back("1", "discard", "save")


def test_a_removed_index_is_a_state_like_any_other(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    (case.top / ".git/index").unlink()
    case.assert_refused("1")
    case.assert_refused("1", "discard")
    case.there_and_back("1", "discard", "save")
