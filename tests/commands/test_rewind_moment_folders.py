"""`rewind moment:…` and its undo bring the permissions of folders, also where no file below them moves."""

from __future__ import annotations

import stat

import pytest

from tests.support.moment_stage import moment, there_and_back_at_moment
from tests.support.rewind_cases import Case

pytestmark = pytest.mark.quick(2)


@pytest.mark.parametrize(("then", "now"), [(0o700, 0o755), (0o755, 0o700), (0o2775, 0o755), (0o700, 0o2775)])
def test_the_permissions_of_a_folder_are_those_of_the_moment_and_after_the_undo_those_of_before(
    case: Case, then: int, now: int
) -> None:
    case.stage("1", {"d/e/a": b"1\n", "b": b"1\n"})
    folders = [case.top / "d", case.top / "d/e"]

    def give(mode: int) -> None:
        for folder in folders:
            folder.chmod(mode)

    def given() -> list[int]:
        return [stat.S_IMODE(folder.stat().st_mode) for folder in folders]

    give(then)
    case.write({"b": b"2\n"})
    name = moment(case)
    give(now)
    there_and_back_at_moment(case, name)
    assert given() == [then] * 2
    case.undo()
    assert given() == [now] * 2
