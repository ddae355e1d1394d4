"""What people type for a moment, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.moments import names
from devs_git.domain.moments.names import AtTime, Back, ById, OfSnapshot, OfTurn
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.workspace import local_time

pytestmark = pytest.mark.quick
NOW = datetime(2026, 11, 23, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("moment:-1", Back(1)),
        ("moment:-12", Back(12)),
        ("moment:14:32", AtTime("", "14:32", "")),
        ("moment:9:05", AtTime("", "9:05", "")),
        ("moment:14:32:05", AtTime("", "14:32:05", "")),
        ("moment:today 14:32", AtTime("", "14:32", "")),
        ("moment:yesterday 14:32", AtTime("yesterday", "14:32", "")),
        ("moment:yesterday", AtTime("yesterday", "", "")),
        ("moment:2026-11-22T14:32", AtTime("2026-11-22", "14:32", "")),
        ("moment:2026-11-22", AtTime("2026-11-22", "", "")),
        ("moment:2026-11-22T14:32:05.123Z", AtTime("2026-11-22", "14:32:05.123", "Z")),
        ("moment:2026-11-22 14:32+05:30", AtTime("2026-11-22", "14:32", "+05:30")),
        ("moment:3fa9c1d2/3", OfTurn("3fa9c1d2", 3)),
        ("moment:session/with slash/12", OfTurn("session/with slash", 12)),
        ("moment:3fa9", ById("3fa9")),
        ("moment:1432", ById("1432")),
        ("moment:3FA9C1", ById("3fa9c1")),
        (f"moment:{'a' * 40}", ById("a" * 40)),
        ("snapshot/before-lunch", OfSnapshot("snapshot/before-lunch")),
    ],
)
def test_each_form_of_a_name_is_understood(text: str, named: names.Name) -> None:
    assert names.is_name(text)
    assert names.parse(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "moment:",
        "moment: ",
        "moment:-0",
        "moment:-x",
        "moment:0",
        "moment:3fa",
        f"moment:{'a' * 41}",
        "moment:24:00",
        "moment:14:60",
        "moment:14:32:61",
        "moment:2026-02-30T10:00",
        "moment:tomorrow",
        "moment:0001-01-01",
        "moment:session/0",
        "moment:/3",
        "snapshot/",
        "snapshot/a b",
        "task-10",
        "",
    ],
)
def test_any_other_text_is_refused_and_the_forms_are_named(text: str) -> None:
    with pytest.raises(DevsError) as refused:
        names.parse(text, field="against")
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "against")
    assert "moment:-1" in refused.value.hint


def outcome(text: str) -> str:
    """What becomes of any text: '' if it names something, else the code of the refusal."""
    try:
        named = names.parse(text)
        if isinstance(named, AtTime):
            names.last_instant(named, NOW, local_time)
    except DevsError as error:
        return error.code
    return ""


@given(st.text(max_size=40) | st.from_regex(r"[0-9T:+Z -]{1,25}", fullmatch=True))
def test_no_text_does_anything_else_than_name_or_be_refused(text: str) -> None:
    assert outcome(text) in {"", "INVALID_ARGUMENTS"}
    assert outcome(f"moment:{text}") in {"", "INVALID_ARGUMENTS"}


def last(text: str, zone: timezone = UTC, now: datetime = NOW) -> str:
    named = names.parse(text)
    assert isinstance(named, AtTime)
    return names.last_instant(
        named, now, lambda one: one.astimezone(zone) if one.tzinfo else one.replace(tzinfo=zone)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("moment:14:32", "2026-11-23T14:32:59.999Z"),
        ("moment:14:32:05", "2026-11-23T14:32:05.999Z"),
        ("moment:yesterday 14:32", "2026-11-22T14:32:59.999Z"),
        ("moment:yesterday", "2026-11-22T23:59:59.999Z"),
        ("moment:2026-01-31", "2026-01-31T23:59:59.999Z"),
        ("moment:2026-11-22T14:32:05.123Z", "2026-11-22T14:32:05.123Z"),
        ("moment:2026-11-22T14:32+02:00", "2026-11-22T12:32:59.999Z"),
    ],
)
def test_a_time_lasts_as_long_as_what_was_typed(text: str, expected: str) -> None:
    assert last(text) == expected


def test_a_time_is_that_of_the_persons_clock() -> None:
    east = timezone(timedelta(hours=13))
    assert last("moment:03:30", east) == "2026-11-23T14:30:59.999Z"
    assert last("moment:yesterday 03:30", east) == "2026-11-22T14:30:59.999Z"
    west = timezone(timedelta(hours=-8))
    assert last("moment:06:59", west) == "2026-11-23T14:59:59.999Z"


@pytest.mark.parametrize("text", ["moment:15:01", "moment:2026-11-24", "moment:2027-01-01T00:00Z"])
def test_a_time_in_the_future_is_refused(text: str) -> None:
    with pytest.raises(DevsError) as refused:
        last(text)
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert "in the future" in refused.value.message


def test_the_current_minute_does_not_lie_ahead() -> None:
    assert last("moment:15:00") == "2026-11-23T15:00:59.999Z"


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # On 2026-10-25 clocks went from 03:00 back to 02:00.
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-10-25T12:00:00+00:00", "2026-10-25T01:30:59.999Z"),
        ("2026-10-25T00:45:00+00:00", "2026-10-25T00:30:59.999Z"),
    ],
)
def test_of_an_hour_that_a_clock_shows_twice_the_later_one_is_meant_unless_it_lies_ahead(
    now: str, expected: str
) -> None:
    named = names.parse("moment:2026-10-25T02:30")
    assert isinstance(named, AtTime)
    assert names.last_instant(named, datetime.fromisoformat(now), local_time) == expected


@given(st.datetimes(datetime(2001, 1, 1), datetime(2026, 11, 23)), st.integers(-14 * 60, 14 * 60))  # noqa: DTZ001
def test_a_time_as_json_has_it_names_exactly_that_instant(moment: datetime, minutes: int) -> None:
    exact = stamp(moment.replace(tzinfo=UTC))
    assert last(f"moment:{exact}", timezone(timedelta(minutes=minutes))) == exact
