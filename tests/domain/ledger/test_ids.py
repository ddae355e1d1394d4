"""Task ids and targets, against git's own idea of a ref name."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from devs_git.domain.ledger import ids
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick

COUNT = int(os.environ.get("DEVS_TEST_COUNT_IDS", "60"))
ALMOST = st.text(st.sampled_from("aZ09._-/@{~^: \\\n*[é\x00lockGHtsk"), max_size=12) | st.from_regex(
    r"(task-)?[A-Za-z0-9][A-Za-z0-9._-]{0,110}(\.lock)?", fullmatch=True
)


def accepted(text: str) -> str:
    try:
        return ids.task_id(text)
    except DevsError as error:
        refused = (error.code, error.details["field"], "\n" in error.message)
    assert refused == ("INVALID_ARGUMENTS", "task_id", False)
    return ""


@settings(max_examples=COUNT, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ALMOST)
@example("10.lock")
@example("a..b")
@example("a.")
@example("HEAD")
@example("10\n")
def test_an_accepted_id_makes_refs_that_git_accepts(text: str) -> None:
    task = accepted(text)
    if not task:
        return
    for ref in (ids.completed_tag(task), ids.checkpoint_ref(task, 999_999_999)):
        assert subprocess.run(["git", "check-ref-format", ref], check=False).returncode == 0, ref
    assert accepted(task) == accepted(ids.bare(task)) == task
    assert ids.parse_target(f"{task}@3") == ids.Target(task, 3)
    assert ids.parse_target(f"{task}@0") == ids.Target(task, 0)


@pytest.mark.parametrize(
    "text",
    [
        "", "task-", "task-task-10", "-10", "--help", ".10", "..", "a..b", "a/b", "../x", "10.", "10.lock", "task-10.lock",
        "x" * 101, "x" * 200, "a b", "a\tb", "a\nb", "10\n", "a\x00b", "a\x1bb", "é", "10@3", "a~1", "a^", "a:b", "a?", "*",
        "a[b", "a\\b", "@", "١٠", "\u202e10", "\ud800",
    ],
)  # fmt: skip
def test_a_bad_id_is_refused(text: str) -> None:
    assert accepted(text) == ""


@pytest.mark.parametrize(
    "text", ["10", "task-10", "a", "A.b_c-d", "x" * 100, "task-" + "x" * 100, "HEAD", "1.0.lockx"]
)
def test_a_good_id_has_one_canonical_form(text: str) -> None:
    assert accepted(text) == "task-" + text.removeprefix("task-")


@pytest.mark.parametrize(
    "text", ["10@", "10@00", "10@03", "10@-1", "10@x", "10@1@2", "10@1234567890", "@3", "10@٣"]
)
def test_a_bad_target_is_refused(text: str) -> None:
    with pytest.raises(DevsError) as refused:
        ids.parse_target(text)
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "target")


def test_forty_hex_digits_are_always_an_oid() -> None:
    assert ids.parse_target("0" * 40) == ids.Target(oid="0" * 40)
    assert ids.parse_target("0" * 39) == ids.Target("task-" + "0" * 39)
