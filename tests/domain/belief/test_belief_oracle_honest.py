"""The answers of the reference for honest ledgers. Each expected answer was found by reasoning."""

from __future__ import annotations

import os

import pytest

from tests.support.belief.abstract_ledger import (
    REJECTED,
    SIGNED,
    Person,
    Policy,
    decision_path,
    set_aside,
    signature_path,
)
from tests.support.belief.findings import forged_events
from tests.support.belief.generator import key_comes_back
from tests.support.belief.story import ANN, BOB, DAN, Story, compare_with_the_oracle, signed_by
from tests.support.belief.world import World

pytestmark = pytest.mark.quick

WORLDS = int(os.environ.get("DEVS_TEST_COUNT_BELIEF_LEDGERS", "40")) // 4


__all__ = ["compare_with_the_oracle"]


@pytest.fixture
def story() -> Story:
    return Story()


def test_two_clones_ask_decide_and_meet(story: Story) -> None:
    asked = story.ask(story.first, "g")
    ours = story.ask(asked, "h")
    theirs = story.decide(asked, "g", ANN)
    tip = story.merge(theirs, ours)
    assert (story.fakes(tip), story.decider(tip, "g")) == (set(), theirs)
    assert story.oracle.open_gates(tip) == {"h"}


def test_one_gate_decided_in_both(story: Story) -> None:
    asked = story.ask(story.first, "g")
    theirs, ours = story.decide(asked, "g", ANN), story.decide(asked, "g", BOB, REJECTED)
    for first, second in ((theirs, ours), (ours, theirs)):
        tip = story.merge(first, second)
        assert (story.fakes(tip), story.decider(tip, "g")) == (set(), first)
        assert not story.refuses(first, tip)
        assert story.refuses(second, tip)
        aside = story.ledger.tree(second)
        for path in (decision_path("g"), signature_path("g")):
            assert story.tree(tip, set_aside(aside, path)) == aside[path]


def test_a_policy_changed_in_one_clone_comes_into_force_in_either_order(story: Story) -> None:
    new = story.set_policy(story.first, "p", signed_by(ANN, BOB, DAN), ANN)
    late = story.ask(story.first, "g")
    for parents in ((new, late), (late, new)):
        tip = story.merge(*parents)
        assert (story.fakes(tip), story.in_force(tip)) == (set(), new)
        assert story.decider(tip, "p") == new
        assert not story.refuses(new, tip)
        assert story.decider(story.decide(tip, "g", DAN), "g") != ""


def test_a_policy_changed_in_both_gives_way_with_its_decision(story: Story) -> None:
    theirs = story.set_policy(story.first, "p", signed_by(ANN, BOB, DAN), ANN)
    ours = story.set_policy(story.first, "q", signed_by(BOB), BOB)
    newer = story.set_policy(ours, "r", signed_by(BOB, DAN), BOB)
    tip = story.merge(theirs, newer)
    assert (story.fakes(tip), story.in_force(tip)) == (set(), theirs)
    assert story.oracle.open_gates(tip) == {"q", "r"}
    assert not story.refuses(theirs, tip)
    assert story.refuses(newer, tip)
    stale = story.decide(tip, "q", ANN)
    assert stale in story.fakes(stale)  # it was asked under a policy that is in force no more
    answered = story.decide(story.decide(tip, "q", ANN, REJECTED), "r", DAN, REJECTED)
    assert (story.fakes(answered), story.oracle.open_gates(answered)) == (set(), frozenset())


def test_a_policy_that_the_first_parent_rejected_gives_way(story: Story) -> None:
    asked = story.ask(story.first, "p", proposes=story.ledger.put(signed_by(ANN, BOB, DAN)))
    no, yes = story.decide(asked, "p", BOB, REJECTED), story.decide(asked, "p", ANN)
    newer = story.set_policy(yes, "q", signed_by(ANN, DAN), ANN)
    tip = story.merge(no, yes)
    assert (story.fakes(tip), story.in_force(tip), story.decider(tip, "p")) == (set(), story.first, no)
    tip = story.merge(yes, no)
    assert (story.fakes(tip), story.in_force(tip), story.decider(tip, "p")) == (set(), yes, yes)
    tip = story.merge(no, newer)  # who rejected is no approver any more, and the chain did not know of it
    assert (story.fakes(tip), story.in_force(tip), story.decider(tip, "p")) == (set(), newer, yes)


def test_a_key_is_rotated_while_gates_are_open(story: Story) -> None:
    asked = story.ask(story.first, "g")
    rotated = story.set_policy(asked, "p", signed_by(("ann@example.org", "key ann 2"), BOB), ANN)
    old = story.decide(rotated, "g", ANN)
    assert story.fakes(old) == {old}
    new = story.decide(rotated, "g", ("ann@example.org", "key ann 2"))
    assert (story.fakes(new), story.decider(new, "g")) == (set(), new)


def test_what_a_key_decided_before_it_was_taken_out_stays(story: Story) -> None:
    asked = story.decide(story.ask(story.first, "g"), "g", ANN)
    rotated = story.set_policy(asked, "p", signed_by(BOB), BOB)
    late = story.merge(rotated, story.ask(story.first, "h"))
    assert (story.fakes(late), story.decider(late, "g")) == (set(), asked)


def test_a_first_signed_policy_and_a_clone_that_decided_unsigned_meanwhile() -> None:
    story = Story(Policy())
    asked = story.ask(story.first, "g")
    named = story.set_policy(asked, "p", signed_by(ANN), ("ann@example.org", ""))
    offline = story.decide(asked, "g", ("bob@example.org", ""))
    tip = story.merge(named, offline)
    assert (story.fakes(tip), story.in_force(tip)) == (set(), named)
    assert story.oracle.open_gates(tip) == {"g"}
    assert story.decider(story.decide(tip, "g", ANN), "g") != ""


def test_a_decision_that_was_set_aside_comes_back_with_its_key(story: Story) -> None:
    asked = story.ask(story.first, "g")
    offline = story.decide(asked, "g", ANN)
    without = story.set_policy(asked, "p", signed_by(BOB), BOB)
    aside = story.merge(without, offline)
    assert story.oracle.open_gates(aside) == {"g"}
    again = story.set_policy(without, "q", signed_by(BOB, ANN), BOB)
    tip = story.merge(aside, again)
    assert (story.fakes(tip), story.decider(tip, "g")) == (set(), offline)
    assert story.tree(tip, decision_path("g")) == story.tree(offline, decision_path("g"))
    # Bob saw that the decision did not count.
    known = story.set_policy(aside, "r", signed_by(BOB, ANN), BOB)
    assert (story.fakes(known), story.decider(known, "g")) == (set(), "")


def test_a_decision_that_comes_back_does_not_stand_before_one_that_counted_until_now(story: Story) -> None:
    asked = story.ask(story.first, "g")
    offline = story.decide(asked, "g", ANN, REJECTED)
    without = story.set_policy(asked, "p", signed_by(BOB), BOB)
    aside = story.merge(without, offline)
    decided = story.merge(aside, story.decide(without, "g", BOB))
    again = story.set_policy(without, "q", signed_by(BOB, ANN), BOB)
    for tip in (story.merge(decided, again), story.merge(again, decided)):
        assert story.decider(tip, "g") == story.decider(decided, "g") != offline
        assert (story.fakes(tip), story.refuses(decided, tip)) == (set(), False)  # or nobody could ever join


def test_two_remotes_end_after_one_merge_with_equal_tips(story: Story) -> None:
    one, other = story.ask(story.first, "g"), story.set_policy(story.first, "p", signed_by(ANN), BOB)
    tip = story.merge(other, story.merge(one, story.ask(story.first, "h")))
    assert story.fakes(tip) == set()
    assert not story.refuses(one, tip)
    assert not story.refuses(other, tip)


def test_two_remotes_with_policies_that_exclude_each_other_refuse(story: Story) -> None:
    one = story.set_policy(story.first, "p", signed_by(ANN), BOB)
    other = story.set_policy(story.first, "q", signed_by(ANN), BOB)
    for first, second in ((one, other), (other, one)):
        tip = story.merge(first, second)
        assert (story.fakes(tip), story.refuses(first, tip), story.refuses(second, tip)) == (
            set(),
            False,
            True,
        )


def test_an_unsigned_minimum_and_approvers_without_keys() -> None:
    story = Story(Policy((Person("ann@example.org"), Person(*BOB)), "unsigned"))
    asked = story.ask(story.first, "g", by="agent")
    for who, valid in ((("ann@example.org", ""), True), (BOB, True), (("dan@example.org", ""), False)):
        assert (story.decider(story.decide(asked, "g", who), "g") != "") == valid
    strict = story.set_policy(asked, "p", Policy((Person(*BOB),), SIGNED), BOB)
    late = story.merge(strict, story.decide(asked, "g", (BOB[0], "")))
    assert story.oracle.open_gates(late) == {"g"}


def test_honest_clones_of_one_remote_forge_nothing_and_are_never_refused() -> None:
    for seed in range(WORLDS):
        world = World(seed)
        if seed % 2:
            key_comes_back(world)
        world.live(30)
        for _ in range(2):
            assert all(world.sync(clone, 0) for clone in world.clones), (seed, world.refused)
        assert len({clone.tip for clone in world.clones}) == 1, seed
        assert forged_events(world.oracle) == {}, seed
