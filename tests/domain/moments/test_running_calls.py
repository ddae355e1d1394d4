"""When each call of a tool ran, by the moments around it and by its trace."""

from __future__ import annotations

import pytest

from devs_git.domain.moments.moment import Kind, Occasion
from devs_git.domain.moments.running_calls import Ended, calls_of
from devs_git.domain.moments.who_wrote import RUNNING, Call

pytestmark = pytest.mark.quick


def made(at: str, kind: Kind, session: str = "A", call: str = "c1") -> tuple[str, Occasion]:
    return at, Occasion(kind, session, call_id=call)


def test_a_call_runs_from_the_moment_before_it_to_the_one_after_it() -> None:
    around = (made("2", "call"), made("3", "call", "B"), made("4", "after"), made("5", "after", "B"))
    told = (Ended("A", "c1", "1", "6"), Ended("B", "c1", "1", "6"))
    assert set(calls_of(around, told)) == {Call("A", "2", "4"), Call("B", "3", "5")}


def test_where_no_moment_was_needed_the_trace_tells_the_times() -> None:
    assert calls_of((), [Ended("A", "c1", "2", "6")]) == (Call("A", "2", "6"),)
    assert calls_of([made("5", "after")], [Ended("A", "c1", "2", "6")]) == (Call("A", "2", "5"),)
    assert calls_of([made("3", "call")], [Ended("A", "c1", "2", "6")]) == (Call("A", "3", "6"),)


def test_a_call_that_nobody_measured_begins_with_the_last_sign_of_its_session() -> None:
    around = (made("1", "prompt", call=""), made("2", "prompt", "B", call=""))
    assert calls_of(around, [Ended("A", "c1", "", "6")]) == (Call("A", "1", "6"),)
    assert calls_of((), [Ended("A", "c1", "", "3"), Ended("A", "c2", "", "6")]) == (
        Call("A", "", "3"),
        Call("A", "3", "6"),
    )


def test_what_a_model_said_last_is_nearer_to_the_beginning_than_the_last_call() -> None:
    told = [Ended("A", "c1", "", "6")]
    assert calls_of([made("1", "prompt", call="")], told, [("3", "B"), ("4", "A"), ("7", "A")]) == (
        Call("A", "4", "6"),
    )


def test_a_beginning_that_follows_from_a_late_trace_is_not_after_the_moment_at_the_end() -> None:
    around = [made("1", "prompt", "B", ""), made("3", "prompt", "B", ""), made("5", "after")]
    assert calls_of(around, [Ended("A", "c1", "6", "8")]) == (Call("A", "3", "5"),)


def test_a_call_whose_end_nobody_tells_runs_until_its_session_goes_on() -> None:
    around = (made("1", "call"), made("2", "prompt", "B", ""), made("3", "call", call="c2"))
    assert set(calls_of(around, ())) == {Call("A", "1", "3"), Call("A", "3", RUNNING)}


def test_calls_of_a_client_that_names_none_are_joined_in_their_order() -> None:
    around = (
        made("1", "call", call=""),
        made("2", "call", "B", ""),
        made("3", "after", call=""),
        made("4", "after", "B", ""),
        made("6", "after", call=""),
    )
    assert set(calls_of(around, ())) == {Call("A", "1", "3"), Call("B", "2", "4"), Call("A", "3", "6")}
