"""Which moment a name means, against an oracle that counts and compares in another way."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devs_git.domain.moments import named_moment, names
from devs_git.domain.moments.moment import KINDS, Moment
from devs_git.domain.moments.named_moment import Turn
from devs_git.domain.moments.names import AtTime, Back, ById, OfTurn
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick
COUNT = int(os.environ.get("DEVS_TEST_COUNT_MOMENT_NAMES", "60"))
BEGIN = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
HOURS = 30


def at(seconds: float) -> str:
    return stamp(BEGIN + timedelta(seconds=seconds))


MOMENTS = st.lists(
    st.builds(
        Moment,
        # Few digits, so that beginnings are shared.
        id=st.text("0a", min_size=6, max_size=6).map(lambda text: f"{text:1<40}"),
        worktree=st.sampled_from([".", "w1"]),
        created_at=st.integers(0, HOURS * 3600 * 1000).map(lambda ms: at(ms / 1000)),
        kind=st.sampled_from(KINDS),
    ),
    max_size=12,
    unique_by=lambda one: one.created_at,
).map(lambda found: sorted(found, key=lambda one: one.created_at, reverse=True))


def code(error: DevsError) -> str:
    return error.code


@settings(max_examples=COUNT)
@given(MOMENTS, st.integers(1, 14))
def test_counting_back_finds_the_moment_that_has_one_less_after_it(moments: list[Moment], back: int) -> None:
    here = [one for one in moments if one.worktree == "."]
    expected = [one for one in here if sum(other.created_at > one.created_at for other in here) == back - 1]
    if not here:
        with pytest.raises(DevsError, match="no moments") as refused:
            named_moment.require_some(moments, ())
        assert code(refused.value) == "MOMENT_NOT_FOUND"
    elif not expected:
        with pytest.raises(DevsError, match=f"has {len(here)} moment") as refused:
            named_moment.count_back(Back(back), here)
        assert code(refused.value) == "MOMENT_NOT_FOUND"
    else:
        assert [named_moment.count_back(Back(back), here)] == expected


@settings(max_examples=COUNT)
@given(MOMENTS, st.integers(0, HOURS * 60), st.integers(-12, 12))
def test_a_minute_names_the_newest_moment_at_which_the_clock_showed_no_later_minute(
    here: list[Moment], minutes: int, zone: int
) -> None:
    shift = timedelta(hours=zone)
    typed = (BEGIN + shift + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")

    def clock(one: Moment) -> str:
        return (datetime.fromisoformat(one.created_at) + shift).strftime("%Y-%m-%dT%H:%M")

    expected = max((one for one in here if clock(one) <= typed), key=lambda one: one.created_at, default=None)
    named = names.parse(f"moment:{typed}")
    assert isinstance(named, AtTime)

    def local(time: datetime) -> datetime:
        return time if time.tzinfo else (time - shift).replace(tzinfo=UTC)

    last = names.last_instant(named, BEGIN + timedelta(hours=HOURS), local)
    if expected:
        assert named_moment.newest_until(last, here) == expected
    elif here:
        with pytest.raises(DevsError, match="later") as refused:
            named_moment.newest_until(last, here)
        assert code(refused.value) == "MOMENT_NOT_FOUND"


@settings(max_examples=COUNT)
@given(MOMENTS, st.text("0a", min_size=4, max_size=6))
def test_the_beginning_of_an_id_names_the_only_moment_that_has_it(moments: list[Moment], begin: str) -> None:
    fitting = {one.id for one in moments if one.id[: len(begin)] == begin}
    if len(fitting) == 1:
        assert named_moment.begin_with(ById(begin), moments).id in fitting
        return
    with pytest.raises(DevsError) as refused:
        named_moment.begin_with(ById(begin), moments, field="against")
    assert code(refused.value) == ("INVALID_ARGUMENTS" if fitting else "MOMENT_NOT_FOUND")
    if fitting:
        assert refused.value.details["field"] == "against"
        assert f"{len(fitting)} moments" in refused.value.message


def test_a_session_is_named_by_its_beginning_or_exactly() -> None:
    known = ("alpha", "alphabet", "beta")
    assert named_moment.one_session(OfTurn("alpha", 1), known) == "alpha"
    assert named_moment.one_session(OfTurn("b", 1), known) == "beta"
    with pytest.raises(DevsError, match="alpha, alphabet") as ambiguous:
        named_moment.one_session(OfTurn("alp", 1), known)
    assert code(ambiguous.value) == "INVALID_ARGUMENTS"
    with pytest.raises(DevsError, match="No session") as missing:
        named_moment.one_session(OfTurn("gamma", 1), known)
    assert code(missing.value) == "MOMENT_NOT_FOUND"


def test_a_turn_that_was_not_yet_is_refused_with_the_number_of_turns() -> None:
    turns = (Turn("s", ".", at(1)),)
    assert named_moment.turn_of(OfTurn("s", 1), "s", turns) == turns[0]
    with pytest.raises(DevsError, match="1 prompt so far") as refused:
        named_moment.turn_of(OfTurn("s", 2), "s", turns)
    assert code(refused.value) == "MOMENT_NOT_FOUND"


class Step(NamedTuple):
    """What one session does next in the simulation. `jitter`: when its hook runs, before or after the prompt is written."""

    session: str
    edits: bool
    calls: bool
    stops: bool
    jitter: float


STEPS = st.lists(
    st.builds(
        Step,
        session=st.sampled_from(["one", "two"]),
        edits=st.booleans(),
        calls=st.booleans(),
        stops=st.booleans(),
        jitter=st.floats(-0.4, 0.4).filter(lambda x: abs(x) > 0.01),
    ),
    min_size=1,
    max_size=10,
)


class World:
    """A worktree in which sessions work one after the other. It knows the state at each time, which no name may read."""

    def __init__(self) -> None:
        self.state, self.clock, self.ids = 0, 0.0, count()
        self.states: dict[str, int] = {}
        self.moments: list[Moment] = []
        self.sessions: dict[str, str] = {}
        # Of each session, the times and kinds of its messages; and of each turn, the state before it.
        self.said: dict[str, list[tuple[str, str]]] = {"one": [], "two": []}
        self.expected: dict[str, list[int]] = {"one": [], "two": []}

    def moment(self, kind: str, session: str, when: float) -> None:
        if self.moments and self.states[self.moments[-1].id] == self.state:
            return
        made = Moment(f"{next(self.ids):040x}", ".", at(when), kind)
        self.moments.append(made)
        self.states[made.id], self.sessions[made.id] = self.state, session

    def run(self, step: Step) -> None:
        # Between two turns a person may have edited: then the prompt finds a new state.
        self.clock += 10
        self.expected[step.session].append(self.state)
        self.moment("prompt", step.session, self.clock + step.jitter)
        self.say(step.session, "prompt")
        self.clock += 1
        self.say(step.session, "answer")
        for act, kind in ((step.edits, ""), (step.calls, "after"), (step.edits, ""), (step.stops, "stop")):
            self.clock += 1
            if not act:
                continue
            if kind != "stop":
                self.state += 1
            if kind:
                self.moment(kind, step.session, self.clock)
        self.clock += 1
        self.say(step.session, "answer")

    def say(self, session: str, what: str) -> None:
        self.said[session].append((at(self.clock), what))

    def turns(self, session: str) -> list[Turn]:
        said = [("", ""), *self.said[session], ("", "")]
        return [
            Turn(session, ".", time, said[position - 1][0], said[position + 1][0])
            for position, (time, what) in enumerate(said)
            if what == "prompt"
        ]


@settings(max_examples=COUNT)
@given(STEPS)
def test_a_turn_names_the_state_that_its_prompt_found_though_unchanged_states_make_no_moment(
    steps: list[Step],
) -> None:
    world = World()
    for step in steps:
        world.run(step)
    newest_first = world.moments[::-1]
    for session in ("one", "two"):
        found = [
            named_moment.before_turn(turn, newest_first, lambda one: world.sessions[one.id])
            for turn in world.turns(session)
        ]
        assert [world.states[one.id] if one else None for one in found] == world.expected[session]


@settings(max_examples=COUNT)
@given(STEPS)
def test_the_number_of_a_prompts_moment_is_that_of_the_turn_which_names_it(steps: list[Step]) -> None:
    world = World()
    for step in steps:
        world.run(step)
    for one in world.moments:
        turns = world.turns(world.sessions[one.id])
        number = named_moment.number_of_turn(one, turns)
        assert number >= 1
        if one.kind == "prompt":
            named = named_moment.before_turn(
                turns[number - 1], world.moments[::-1], lambda of: world.sessions[of.id]
            )
            assert named == one


@settings(max_examples=COUNT)
@given(STEPS)
def test_the_last_turn_begins_with_the_state_that_the_last_prompt_found(steps: list[Step]) -> None:
    world = World()
    for step in steps:
        world.run(step)
    turns = sorted([*world.turns("one"), *world.turns("two")], key=lambda turn: turn.said_at, reverse=True)
    begins = named_moment.begins_of_turns(world.moments[::-1], turns, lambda one: world.sessions[one.id])
    assert world.states[begins[0].id] == world.expected[steps[-1].session][-1]


def test_before_the_first_moment_a_turn_has_none() -> None:
    late = Moment("a" * 40, ".", at(50), "stop")
    assert named_moment.before_turn(Turn("s", ".", at(10), "", at(11)), [late], lambda _: "s") is None
