"""Every time that we write has one form, whichever clock it comes from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from devs_git.domain.text.times import stamp, stamp_of

pytestmark = pytest.mark.quick


def test_a_time_is_written_in_utc_with_milliseconds() -> None:
    east = datetime(2001, 2, 3, 6, 5, 6, 789_999, tzinfo=timezone(timedelta(hours=2)))
    assert stamp(east) == "2001-02-03T04:05:06.789Z"


def test_an_early_year_is_written_with_four_digits_so_that_times_sort() -> None:
    assert stamp(datetime(500, 1, 1, tzinfo=UTC)) == "0500-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("seconds", "nanoseconds", "written"),
    [
        (0, 0, "1970-01-01T00:00:00.000Z"),
        (981_173_106, 789_999_999, "2001-02-03T04:05:06.789Z"),
        (-1, 1_000_000, "1969-12-31T23:59:59.001Z"),
    ],
)
def test_a_time_of_git_or_of_a_file_is_written_in_the_same_form(
    seconds: int, nanoseconds: int, written: str
) -> None:
    assert stamp_of(seconds, nanoseconds) == written
