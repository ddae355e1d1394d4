"""What somebody signed once gives nobody power a second time: copies of decisions that count no longer decide nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.belief.abstract_ledger import MARKER, POLICY, open_path, request_path
from tests.support.belief.findings import forged_events
from tests.support.belief.generator import Generated, generate, ledger_with_revival
from tests.support.belief.oracle import Oracle
from tests.support.belief.records import Believed
from tests.support.belief.story import ANN, BOB, DAN, Story, compare_with_the_oracle, signed_by
from tests.support.belief.world import World

pytestmark = pytest.mark.quick

__all__ = ("compare_with_the_oracle",)

LEDGERS = int(os.environ.get("DEVS_TEST_COUNT_BELIEF_LEDGERS", "40"))
PARTS = 8
GATE = "g1"


def dead(one: Generated) -> Iterator[tuple[str, str]]:
    """Signed decisions that are known at the tip and count there no longer, while their gate is open."""
    oracle, waiting = one.oracle, one.oracle.open_gates(one.tip)
    for event in oracle.ancestors(one.tip):
        yield from ((event, gate) for gate in oracle.decides(event) if gate in waiting)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_copy_of_a_dead_decision_decides_nothing_anywhere(part: int) -> None:
    seeds = range(part, LEDGERS, PARTS)
    for one in (*map(generate, seeds), *map(ledger_with_revival, seeds)):
        if forged_events(one.oracle):
            continue
        for event, gate in sorted(dead(one)):
            if one.oracle.signature_of(event, gate):
                _everywhere(one, event, gate)


def _everywhere(one: Generated, event: str, gate: str) -> None:
    """Copied at the tip, and at each older event whose line is merged with the tip then, in both orders.

    It comes to no more than the decision itself, if its own event is merged with the tip once more: where a merge put
    another line first, a policy that gave way stands under the one in force again.
    """
    world = World.__new__(World)
    world.ledger = one.ledger.up_to(one.tip)
    world.oracle = Oracle(world.ledger)
    before = dict(world.ledger.events)
    now = _outcome(world, one.tip, gate)
    itself = [_outcome(world, world.merge(*pair), gate) for pair in ((one.tip, event), (event, one.tip))]
    places = [at for at in before if gate in world.oracle.open_gates(at)]
    for at in sorted(places):
        copy = world.copy(at, event, gate)
        ways = [copy] if at == one.tip else [world.merge(one.tip, copy), world.merge(copy, one.tip)]
        for tip, fair in zip(ways, itself, strict=False):
            told = Believed(world.ledger.up_to(tip))
            # A merge may put the other line first: whoever has seen the tip refuses that.
            refused = copy in told.forged_events() or told.rollback(one.tip, tip)
            same = _outcome(world, tip, gate) in (now, fair)
            assert same or refused, f"seed {one.seed}: {event} at {at}\n{world.ledger.story()}"
        world.ledger.events.clear()
        world.ledger.events.update(before)
        world.oracle = Oracle(world.ledger)


def _outcome(world: World, tip: str, gate: str) -> tuple[bool, str]:
    """Whether the gate is open at a tip, and the content of the policy in force, as the program's function says."""
    told = Believed(world.ledger.up_to(tip))
    return gate in told.open_gates(tip), world.ledger.tree(told.in_force(tip))[POLICY]


def test_a_key_that_comes_back_does_not_bring_a_dead_decision_back_by_a_copy() -> None:
    story = Story()
    asked = story.ask(story.first, GATE)
    said = story.decide(asked, GATE, BOB)
    out = story.set_policy(asked, "out", signed_by(ANN), ANN)
    known = story.merge(out, said)
    back = story.set_policy(known, "in", signed_by(ANN, BOB), ANN)
    assert story.decider(back, GATE) == ""
    at_tip = story.world.copy(back, said, GATE)
    assert at_tip in story.fakes(at_tip)
    for at in (asked, story.ask(asked, "other")):
        copy = story.world.copy(at, said, GATE)
        for tip in (story.merge(back, copy), story.merge(copy, back)):
            assert story.decider(tip, GATE) == ""


def test_a_key_that_comes_back_decides_anew() -> None:
    story = Story()
    asked = story.ask(story.first, GATE)
    said = story.decide(asked, GATE, BOB)
    out = story.set_policy(asked, "out", signed_by(ANN), ANN)
    back = story.set_policy(story.merge(out, said), "in", signed_by(ANN, BOB), ANN)
    anew = story.decide(back, GATE, BOB)
    assert story.decider(anew, GATE) == anew
    assert story.fakes(anew) == set()


def test_a_policy_whose_words_come_back_does_not_bring_an_old_approval_back_by_a_copy() -> None:
    story = Story()
    theirs = story.set_policy(story.first, GATE, signed_by(ANN, BOB, DAN), BOB)
    ours = story.set_policy(story.first, "other", signed_by(ANN), ANN)
    again = story.set_policy(story.merge(ours, theirs), "again", signed_by(ANN, BOB), ANN)
    assert story.tree(again, "policy.yaml") == story.tree(story.first, "policy.yaml")
    copy = story.world.copy(again, theirs, GATE)
    assert copy in story.fakes(copy)


def test_a_policy_is_not_approved_on_a_request_from_under_an_older_one_with_the_same_words() -> None:
    story = Story()
    asked = story.ask(story.first, GATE, proposes=story.ledger.put(signed_by(DAN)))
    away = story.set_policy(asked, "away", signed_by(ANN), ANN)
    again = story.set_policy(away, "again", signed_by(ANN, BOB), ANN)
    late = story.decide(again, GATE, BOB)
    assert late in story.fakes(late)


def test_a_copy_that_comes_first_does_not_stop_the_honest_line() -> None:
    story = Story()
    asked = story.ask(story.first, GATE)
    said = story.decide(asked, GATE, BOB)
    copy = story.world.copy(story.ask(asked, "other"), said, GATE)
    for tip in (story.merge(copy, said), story.merge(said, copy)):
        assert story.fakes(tip) == set()
        assert story.decider(tip, GATE) in (said, copy)
        assert not story.refuses(said, tip)
        assert not story.refuses(copy, tip)


def test_two_who_sign_the_same_words_are_two_decisions() -> None:
    story = Story()
    asked = story.ask(story.first, GATE)
    by_bob = story.decide(asked, GATE, BOB)
    by_ann = story.world.sign_anew(asked, by_bob, GATE, ANN)
    out = story.set_policy(asked, "out", signed_by(ANN, DAN), ANN)
    known = story.merge(out, by_bob)
    assert story.decider(known, GATE) == ""
    assert story.decider(story.merge(known, by_ann), GATE) == by_ann


def test_the_request_copied_behind_another_event_than_it_names() -> None:
    story = Story()
    story.world.named = True
    honest = story.ask(story.first, "g")
    copied = {request_path("g"): story.tree(honest, request_path("g")), open_path("g"): MARKER}
    copy = story.event(story.event(story.first, {"tasks/task-1/1.yaml": "plain 1"}), copied)
    assert story.oracle.open_gates(copy) == set()
    for tip in (story.merge(honest, copy), story.merge(copy, honest)):
        assert story.fakes(tip) == {copy}
