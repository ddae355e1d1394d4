"""What a caller points at is one checkpoint, or a refusal that says how to write it."""

from __future__ import annotations

import pytest

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import parse_target
from devs_git.domain.ledger.resolve import resolve
from devs_git.errors import DevsError
from devs_git.values import replace
from tests.domain.checkpoints.test_rewind_selection_rules import history, point

pytestmark = pytest.mark.quick

HERE = "."


def with_oids(task: str, number: int, tag: str, commit: str) -> Checkpoint:
    made = point(task, number, 0, completed=True, worktree=HERE)
    return replace(made, tag=tag.ljust(40, "0"), commit=commit.ljust(40, "0"))


def refusal(known: History, text: str) -> DevsError:
    with pytest.raises(DevsError) as refused:
        resolve(known, parse_target(text))
    return refused.value


def test_the_beginning_of_an_oid_as_log_prints_it_names_the_checkpoint() -> None:
    known = history(first := with_oids("1", 1, "aaaaaaa1", "bbbbbbb1"))
    assert resolve(known, parse_target("aaaaaaa")) == first
    assert resolve(known, parse_target(str(parse_target("bbbbbbb10")))) == first
    assert refusal(known, "aaaaaa").code == "TASK_NOT_FOUND"
    assert refusal(known, "task-aaaaaaa").code == "TASK_NOT_FOUND"
    assert refusal(known, "aaaaaaa@1").code == "TASK_NOT_FOUND"
    assert refusal(known, "aaaaaaa2").code == "TASK_NOT_FOUND"


def test_of_several_that_begin_so_none_is_taken() -> None:
    known = history(with_oids("1", 1, "c1", "abcdef01"), with_oids("2", 1, "c2", "abcdef02"))
    assert resolve(known, parse_target("abcdef02")).task_id == "task-2"
    assert refusal(known, "abcdef0").code == "CHECKPOINT_NOT_FOUND"
    assert "abcdef010000, abcdef020000" in refusal(known, "abcdef0").message


def test_a_task_of_that_name_comes_first() -> None:
    known = history(with_oids("1", 1, "a", "deadbeef"), named := with_oids("deadbeef", 1, "b", "c"))
    assert resolve(known, parse_target("deadbeef")) == named


def test_a_commit_names_its_newest_checkpoint_that_is_live_and_without_one_its_newest() -> None:
    points = [with_oids("1", number, f"a{number}", "bbbbbbb1") for number in (1, 2, 3)]
    last = replace(points[2], live=False)
    assert resolve(history(*points), parse_target("b" * 7 + "1".ljust(33, "0"))) == points[2]
    assert resolve(history(*points[:2], last), parse_target("bbbbbbb1")) == points[1]
    gone = [replace(point, live=False) for point in points]
    assert resolve(history(*gone), parse_target("bbbbbbb1")) == gone[2]


def test_an_oid_after_a_task_names_only_a_checkpoint_of_this_task() -> None:
    one, two = with_oids("1", 1, "aaaaaaa1", "bbbbbbb1"), with_oids("2", 1, "aaaaaaa2", "bbbbbbb1")
    known = history(one, two)
    assert resolve(known, parse_target(f"1@{one.tag}")) == one
    assert resolve(known, parse_target(f"task-1@{one.commit}")) == one
    assert resolve(known, parse_target(str(parse_target(f"2@{two.commit}")))) == two
    assert refusal(known, f"1@{two.tag}").code == "CHECKPOINT_NOT_FOUND"
    assert refusal(known, f"3@{two.tag}").code == "TASK_NOT_FOUND"


def test_a_task_whose_prefix_lacks_its_hyphen_is_understood_if_no_task_has_just_that_id() -> None:
    ten = with_oids("10", 1, "a", "b")
    known = history(ten)
    for text in ("task10", "task_10", "Task-10", "task10@1", "devs/task-10", "refs/tags/devs/task-10"):
        assert resolve(known, parse_target(text)) == ten, text
    named = with_oids("task10", 1, "c", "d")
    assert resolve(history(ten, named), parse_target("task10")) == named


def test_of_several_ids_that_are_nearly_right_none_is_taken_and_all_are_named() -> None:
    known = history(with_oids("Ab", 1, "a", "b"), with_oids("aB", 1, "c", "d"))
    assert refusal(known, "ab").code == "TASK_NOT_FOUND"
    assert "task-Ab or task-aB" in refusal(known, "ab").hint


def test_a_task_with_a_similar_id_is_named_and_for_a_number_no_other_number() -> None:
    known = history(with_oids("parse-dates", 1, "a", "b"), with_oids("11", 1, "c", "d"))
    assert "Did you mean task-parse-dates?" in refusal(known, "parse-dtaes").hint
    assert refusal(known, "12").hint == "List all: devs-git log"


def test_an_oid_that_has_only_digits_names_a_checkpoint_if_no_task_has_that_id() -> None:
    known = history(first := with_oids("1", 1, "12345678", "b"))
    assert resolve(known, parse_target("1234567")) == first
    assert resolve(known, parse_target(str(parse_target("1234567")))) == first


def test_a_name_of_git_is_refused_with_the_way_to_name_a_checkpoint() -> None:
    for text in ("HEAD", "HEAD~2", "main~1", "origin/main", "HEAD^"):
        with pytest.raises(DevsError, match="is not the name of a checkpoint") as refused:
            parse_target(text)
        assert "task-10@3" in refused.value.hint
