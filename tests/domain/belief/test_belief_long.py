"""The rule in ledgers that went on for years, or that somebody made long: a merge costs what it changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any

import pytest

from devs_git.domain.belief import believe
from tests.support.belief.abstract_ledger import MARKER, REJECTED
from tests.support.belief.records import Believed, records
from tests.support.belief.steps import steps
from tests.support.belief.story import ANN, BOB, Story

pytestmark = pytest.mark.quick
GATE = "g"


def test_a_gate_that_two_clones_decided_is_told_below_thousands_of_decisions() -> None:
    story = Story()
    asked = story.ask(story.first, GATE)
    stands = story.decide(asked, GATE, ANN)
    tip = story.merge(stands, story.decide(asked, GATE, BOB, REJECTED))
    for number in range(600):
        gate = f"g{number}"
        tip = story.decide(story.ask(tip, gate), gate, ANN)
    assert Believed(story.ledger).decisions(tip)[GATE] == stands


def copies(story: Story, many: int, *, ours_first: bool = True) -> str:
    """One signed decision, each time in a file of another form, on lines of their own that are merged; the tip."""
    asked = story.ask(story.first, GATE)
    tip = said = story.decide(asked, GATE, ANN)
    for number in range(many):
        copy = story.world.copy(asked, said, GATE, partial(spelled, story, number))
        tip = story.merge(*((tip, copy) if ours_first else (copy, tip)))
    return tip


def copies_first(story: Story, many: int) -> str:
    return copies(story, many, ours_first=False)


def spelled(story: Story, number: int, name: str) -> str:
    return story.ledger.put(replace(story.ledger.what[name], spelling=number + 1))


def late_lines(story: Story, many: int) -> str:
    """As many gates that were decided, then as many lines from before them."""
    tip = story.first
    for number in range(many):
        tip = story.decide(story.ask(tip, f"g{number}"), f"g{number}", ANN)
    for number in range(many):
        tip = story.merge(tip, story.event(story.first, {f"tasks/{number}/start.yaml": "x"}))
    return tip


def odd_files(story: Story, many: int) -> str:
    """An event of many files that the rule does not know, and as many events after it."""
    wrong = {f"open/x{number}": MARKER for number in range(many)}
    tip = story.event(story.first, wrong)
    for number in range(many):
        tip = story.ask(tip, f"g{number}")
    return tip


def steps_of(make: Callable[[Story, int], str], many: int) -> float:
    """How many lines of the rule run in such a ledger, for each event and each path that one changes."""
    story = Story()
    make(story, many)
    told, known, ran = steps(story.ledger), records(story.ledger), 0

    def count(frame: FrameType, what: str, _: Any) -> Any:
        nonlocal ran
        ran += what == "line"
        return count if "devs_git/domain" in frame.f_code.co_filename else None

    sys.settrace(count)
    try:
        believe(told, known)
    finally:
        sys.settrace(None)
    return ran / sum(1 + sum(map(len, step.edges)) for step in told)


@pytest.mark.thorough
@pytest.mark.parametrize("make", [copies, copies_first, late_lines, odd_files])
def test_an_event_takes_no_more_steps_in_a_longer_ledger(make: Callable[[Story, int], str]) -> None:
    few, many = steps_of(make, 30), steps_of(make, 90)
    assert many < 1.2 * few
