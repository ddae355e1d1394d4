"""`rewind moment:…` is refused in the middle of an operation of git, and to a moment in the middle of one."""

from __future__ import annotations

import pytest

from tests.support.moment_stage import all_kinds, moment
from tests.support.rewind_cases import Case

pytestmark = pytest.mark.thorough


def test_an_operation_under_way_refuses(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.git("reset", "-q", "--hard")
    (case.top / ".git/MERGE_HEAD").write_text(case.git("rev-parse", "HEAD") + "\n")
    assert case.assert_refused(name).details["reason"] == "operation_under_way"


def test_a_moment_in_the_middle_of_a_merge_refuses_with_the_way_out(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("switch", "-qc", "side", "HEAD~1")
    case.commit({"a": b"side\n"})
    case.git("switch", "-q", "main")
    case.git("merge", "side", ok=(1,))
    name = moment(case)
    case.git("merge", "--abort")
    refused = case.assert_refused(name)
    assert refused.details["reason"] == "operation_under_way"
    assert f"devs-git restore moment:{name[7:17]} -- PATH" in refused.hint


def test_a_moment_with_conflicts_of_a_stash_entry_refuses(case: Case) -> None:
    """No operation of git is under way then."""
    case.stage("1", {"a": b"1\n"})
    case.write({"a": b"stashed\n"})
    case.git("stash", "-q")
    case.commit({"a": b"2\n"})
    case.git("stash", "apply", "-q", ok=(1,))
    name = moment(case)
    case.git("reset", "-q", "--hard")
    assert case.assert_refused(name).details["reason"] == "unmerged"
