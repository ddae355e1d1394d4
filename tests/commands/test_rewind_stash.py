"""`rewind moment:…` brings lost stash entries back at their places: what `git stash list` shows is as it was."""

from __future__ import annotations

import pytest

from tests.support.moment_stage import moment
from tests.support.rewind_cases import Case

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    "dropped", [(1,), (0,), (3,), (0, 1), (0, 2), (1, 1), (0, 2, 1), (1, 1, 1), (0, 0, 0, 0)]
)
@pytest.mark.parametrize("newer", [False, True])
def test_stash_entries_come_back_at_their_places(case: Case, dropped: tuple[int, ...], newer: bool) -> None:
    case.stage("1", {"a": b"1\n"})
    for text in (b"s1\n", b"s2\n", b"s3\n", b"s4\n"):
        case.write({"a": text})
        case.git("stash", "push", "-m", text.decode().strip())
    stash, name = stash_lines(case), moment(case, keep_refs=True)
    for at in dropped:
        case.git("stash", "drop", f"stash@{{{at}}}")
    if newer:
        case.write({"a": b"newer\n"})
        case.git("stash")
        stash = [*stash_lines(case)[:1], *stash]
    without = stash_lines(case)
    case.rewind(name)
    assert stash_lines(case) == stash
    assert case.git("rev-parse", "refs/stash") == stash[0].split()[0]
    case.undo()
    assert stash_lines(case) == without
    case.undo()
    assert stash_lines(case) == stash
    log = (case.top / ".git/logs/refs/stash").read_text().splitlines()
    assert [line[:40] for line in log[1:]] == [line[41:81] for line in log[:-1]]


def stash_lines(case: Case) -> list[str]:
    """Each entry: its commit, message, author of the line and time."""
    file = case.top / ".git/logs/refs/stash"
    log = file.read_text().splitlines() if file.exists() else []
    return [line[41:] for line in reversed(log)]


@pytest.mark.parametrize("count", [1, 2])
def test_entries_come_back_where_a_reflog_without_lines_is_all_that_is_left_of_the_stash(
    case: Case, count: int
) -> None:
    """`git reflog expire` takes the lines, and leaves the ref."""
    case.stage("1", {"a": b"1\n"})
    for number in range(count):
        case.write({"a": b"s%d\n" % number})
        case.git("stash")
    stash, name = stash_lines(case), moment(case, keep_refs=True)
    case.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    assert (stash_lines(case), case.git("rev-parse", "refs/stash")) == ([], stash[0].split()[0])
    case.rewind(name)
    assert stash_lines(case) == stash
    assert case.git("stash", "list", "--format=%H").split() == [line.split()[0] for line in stash]
    case.undo()
    assert case.git("stash", "list") == ""
