"""The answers of the reference for known forgeries and similar ones. Each expected answer was found by reasoning.

A forgery is caught where an event of it is forged (whoever reads all of the ledger sees that), or where nothing is and the
rule still does not let the forger decide, or where a receiver remembers more than the forger offers.
"""

from __future__ import annotations

import pytest

from tests.support.belief.abstract_ledger import (
    MARKER,
    POLICY,
    REJECTED,
    Plain,
    Request,
    decision_path,
    open_path,
    request_path,
    set_aside,
    signature_path,
)
from tests.support.belief.story import ANN, BOB, DAN, MALLORY, Story, compare_with_the_oracle, signed_by
from tests.support.belief.world import BOT, KEYS, STRANGER

pytestmark = pytest.mark.quick

OWN = signed_by(MALLORY, notify="touch owned")


__all__ = ["compare_with_the_oracle"]


@pytest.fixture
def story() -> Story:
    return Story()


def wrapped(story: Story, forged: str, honest: str) -> tuple[str, str]:
    """Two merges that follow the rule, with the forged line second and first."""
    return story.merge(honest, forged), story.merge(forged, honest)


def test_a_line_from_the_genesis_with_a_policy_of_ones_own(story: Story) -> None:
    honest = story.ask(story.first, "g")
    own = story.put_policy(story.genesis, OWN)
    for tip in (own, *wrapped(story, own, honest)):
        # policy.yaml is added by one event only
        assert tip == own or story.fakes(tip) == {own, story.first}
    second, first = wrapped(story, own, honest)
    assert story.in_force(second) == story.first
    assert not story.refuses(honest, second)
    assert story.in_force(first) == own  # neither descends from the other, so the first parent's stays ...
    assert story.refuses(honest, first)  # ... and whoever has seen the real one refuses
    again = story.merge(story.ask(honest, "h"), first)
    # Only one event may add a request.
    assert (story.in_force(again), own in story.fakes(again)) == (story.first, True)


def test_the_open_gates_request_copied_and_approved_by_ones_own_key(story: Story) -> None:
    honest = story.ask(story.first, "g")
    own = story.put_policy(story.genesis, OWN)
    copied = {request_path("g"): story.tree(honest, request_path("g")), open_path("g"): MARKER}
    copy = story.event(own, copied)
    decided = story.decide(copy, "g", MALLORY)
    second, first = wrapped(story, decided, honest)
    for tip in (second, first):
        assert story.fakes(tip) == {
            own,
            story.first,
            copy,
            honest,
        }
    assert story.decider(second, "g") == ""
    assert story.decider(first, "g") == decided
    assert story.refuses(honest, first)
    taken = {decision_path("g"): story.tree(decided, decision_path("g")), open_path("g"): None}
    kept = story.merge(honest, decided, extra=taken)  # the rule says that g is open there
    assert kept in story.fakes(kept)


def test_the_request_copied_on_a_line_from_the_first_policy(story: Story) -> None:
    honest = story.ask(story.first, "g")
    copied = {request_path("g"): story.tree(honest, request_path("g")), open_path("g"): MARKER}
    copy = story.event(story.first, copied)
    decided = story.decide(copy, "g", MALLORY)
    # What follows the same event is the same question, and so it stops nobody; who decides on it is judged as ever.
    for tip in wrapped(story, decided, honest):
        assert story.fakes(tip) == {decided}
        assert story.decider(tip, "g") == ""
    other = story.event(story.first, {"tasks/task-1/1.yaml": "plain 1"})
    for tip in wrapped(story, story.event(other, copied), honest):
        assert honest in story.fakes(tip)  # each request is added by one event only


def test_a_merge_that_puts_an_older_policy_back_in_force(story: Story) -> None:
    side = story.ask(story.first, "side")
    new = story.set_policy(story.first, "p", signed_by(BOB), BOB)
    old = story.tree(story.first, POLICY)
    for gate, parents in (("g", (new, side)), ("h", (side, new))):
        aside = {f"superseded/{story.tree(new, POLICY)}": story.tree(new, POLICY)}
        back = story.merge(*parents, extra={POLICY: old, **aside})
        assert story.in_force(back) == new
        assert story.fakes(back) == {back}
        for tip in wrapped(story, back, story.ask(new, gate)):
            assert (story.in_force(tip), story.tree(tip, POLICY)) == (new, story.tree(new, POLICY))
            assert story.fakes(tip) == {back}


def test_an_event_that_puts_an_older_policy_back_in_force(story: Story) -> None:
    new = story.set_policy(story.first, "p", signed_by(BOB), BOB)
    back = story.event(new, {POLICY: story.tree(story.first, POLICY)})
    assert story.fakes(back) == {back}
    assert story.in_force(back) == new
    after = story.decide(story.ask(back, "g"), "g", ANN)  # whom the older policy knew
    assert after in story.fakes(after)
    assert story.decider(after, "g") == ""


def test_a_key_that_was_taken_out_decides_what_was_asked_later(story: Story) -> None:
    new = story.set_policy(story.first, "p", signed_by(BOB), BOB)
    asked = story.ask(new, "g")
    early = story.event(story.first, {"tasks/task-1/1.yaml": "plain 1"})
    late = story.decide(early, "g", ANN)  # the request is not there
    assert story.fakes(late) == {late}
    for parents in ((early, asked), (asked, early)):
        both = story.merge(*parents)
        late = story.decide(both, "g", ANN)  # the request is there, and the policy that took the key out
        assert story.fakes(late) == {late}
        for tip in wrapped(story, late, asked):
            assert (story.decider(tip, "g"), story.fakes(tip)) == ("", {late})


def test_a_key_that_was_taken_out_decides_on_an_old_line_what_was_asked_before(story: Story) -> None:
    asked = story.ask(story.first, "g")
    new = story.set_policy(asked, "p", signed_by(BOB), BOB)
    late = story.decide(asked, "g", ANN)  # as a clone that was offline could have done
    for tip in wrapped(story, late, new):
        assert story.fakes(tip) == set()
        assert (story.in_force(tip), story.decider(tip, "g")) == (new, "")
        assert set_aside(story.ledger.tree(late), decision_path("g")) in story.ledger.tree(tip)
        anew = story.decide(tip, "g", BOB)
        assert (story.fakes(anew), story.decider(anew, "g")) == (set(), anew)


def test_a_key_that_was_taken_out_brings_a_policy_of_its_own_from_an_old_line(story: Story) -> None:
    new = story.set_policy(story.first, "p", signed_by(BOB), BOB)
    own = story.set_policy(story.first, "q", signed_by(ANN, MALLORY), ANN)
    honest = story.ask(new, "g")
    both = story.merge(own, honest)  # the real policy gives way here ...
    assert (story.in_force(both), story.refuses(honest, both)) == (own, True)
    decided = story.decide(both, "g", MALLORY)
    assert story.fakes(decided) == set()
    later = story.ask(honest, "h")
    for tip in (story.merge(later, decided), story.merge(story.merge(later, both), decided)):
        assert (story.in_force(tip), story.decider(tip, "g")) == (new, "")  # ... and nowhere else
        assert not story.refuses(later, tip)
    assert story.refuses(later, story.merge(decided, later))


def test_the_same_gate_asked_with_other_words(story: Story) -> None:
    honest = story.ask(story.first, "g")
    other = story.ask(story.event(story.first, {"tasks/task-1/1.yaml": "plain 1"}), "g")
    for tip in wrapped(story, other, honest):
        assert story.fakes(tip) == {other, honest}
    said = story.decide(honest, "g", ANN)
    stolen = {p: story.tree(said, p) for p in (decision_path("g"), signature_path("g"))}
    taken = story.event(other, {**stolen, open_path("g"): None})
    assert taken in story.fakes(taken)  # a decision names the request that it decides


def test_a_request_that_was_there_is_edited_or_taken_out_and_put_back(story: Story) -> None:
    asked = story.ask(story.first, "g")
    other = story.ledger.put(Request("g", "MANUAL", "", 99))
    edited = story.event(asked, {request_path("g"): other})
    assert story.fakes(edited) == {edited}
    assert story.fakes(story.decide(edited, "g", ANN)) >= {edited}
    gone = story.event(asked, {request_path("g"): None, open_path("g"): None})
    back = story.event(
        gone, {request_path("g"): story.tree(asked, request_path("g")), open_path("g"): MARKER}
    )
    assert story.fakes(back) == {gone}
    assert story.oracle.open_gates(gone) == {"g"}


@pytest.mark.parametrize(
    "who", [MALLORY, (STRANGER, ""), (ANN[0], ""), (ANN[0], MALLORY[1]), (BOT, "key bot")]
)
def test_a_decision_by_a_stranger_or_in_anothers_name_or_unsigned(story: Story, who: tuple[str, str]) -> None:
    asked = story.ask(story.first, "g")
    bad = story.decide(asked, "g", who)
    assert (story.fakes(bad), story.decider(bad, "g")) == ({bad}, "")
    for tip in wrapped(story, bad, story.ask(asked, "h")):
        assert (story.fakes(tip), story.decider(tip, "g")) == ({bad}, "")


def test_a_decision_copied_to_another_gate_or_with_anothers_signature(story: Story) -> None:
    asked = story.ask(story.ask(story.first, "g"), "h")
    said = story.decide(asked, "g", ANN)
    decision, signature = story.tree(said, decision_path("g")), story.tree(said, signature_path("g"))
    copied = {decision_path("h"): decision, signature_path("h"): signature, open_path("h"): None}
    copy = story.event(said, copied)
    assert story.fakes(copy) == {copy}
    other = story.decide(said, "h", ANN)
    changed = story.event(
        said, {decision_path("h"): story.tree(other, decision_path("h")), open_path("h"): None}
    )
    assert story.fakes(changed) == {changed}  # without its signature
    swapped = {decision_path("h"): story.tree(other, decision_path("h")), signature_path("h"): signature}
    assert len(story.fakes(story.event(said, {**swapped, open_path("h"): None}))) == 1


def test_a_policy_that_another_request_proposed_or_that_was_asked_under_another_policy(story: Story) -> None:
    mild, bold = (story.ledger.put(policy) for policy in (signed_by(ANN, BOB, DAN), OWN))
    asked = story.ask(story.first, "p", proposes=mild)
    bent = story.decide(asked, "p", ANN)
    other = story.event(asked, {**story.ledger.tree(bent), POLICY: bold, open_path("p"): None})
    assert (story.fakes(other), story.in_force(other)) == ({other}, story.first)
    new = story.set_policy(asked, "q", signed_by(ANN, BOB), BOB)  # the same bytes again are another policy
    assert (story.fakes(new), story.in_force(new)) == (set(), new)
    newer = story.set_policy(asked, "r", signed_by(ANN), BOB)
    stale = story.decide(newer, "p", ANN)
    assert (story.fakes(stale), story.in_force(stale)) == ({stale}, newer)


def test_content_that_a_merge_adds_itself(story: Story) -> None:
    asked = story.ask(story.first, "g")
    said = story.decide(asked, "g", ANN)
    side = story.ask(story.first, "h")
    stolen = {p: story.tree(said, p) for p in (decision_path("g"), signature_path("g"))}
    junk = story.ledger.put(Plain("junk"))
    for extra in (
        {**stolen, open_path("g"): None},
        {POLICY: story.ledger.put(OWN)},
        {request_path("x"): story.ledger.put(Request("x", "MANUAL", "", 98)), open_path("x"): MARKER},
        {open_path("g"): None},
        {open_path("x"): MARKER},
        {f"superseded/{junk}": junk},
        {"gates/g/note": junk},
    ):
        merged = story.merge(asked, side, extra)
        assert story.fakes(merged) == {merged}, extra
        assert story.oracle.open_gates(merged) == {"g", "h"}


def test_a_merge_that_loses_what_gave_way(story: Story) -> None:
    asked = story.ask(story.first, "g")
    ours, theirs = story.decide(asked, "g", ANN), story.decide(asked, "g", BOB, REJECTED)
    kept = [p for p in story.ledger.tree(story.merge(theirs, ours)) if p.startswith("superseded/")]
    assert len(kept) == 2
    for path in kept:
        lost = story.merge(theirs, ours, {path: None})
        assert story.fakes(lost) == {lost}


def test_another_root_three_parents_and_a_genesis_with_a_policy(story: Story) -> None:
    honest = story.ask(story.first, "g")
    root = story.ledger.add((), {"README.md": "plain 1"})
    # nobody can tell which was first
    assert story.fakes(story.merge(honest, root)) == {root, story.genesis}
    root = story.ledger.add((), {"README.md": "plain 1", POLICY: story.ledger.put(OWN)})
    assert root in story.fakes(story.merge(honest, root))
    three = story.ledger.add((honest, story.first, story.genesis), story.ledger.tree(honest))
    assert three in story.fakes(three)


def test_what_comes_before_the_first_policy(story: Story) -> None:
    early = story.ask(story.genesis, "g")
    policy = story.put_policy(early, signed_by(ANN))
    assert early in story.fakes(policy)
    assert story.fakes(story.decide(policy, "g", ANN)) == {early}


def test_a_merge_with_an_old_event_changes_nothing(story: Story) -> None:
    asked = story.ask(story.first, "g")
    new = story.set_policy(asked, "p", signed_by(BOB), BOB)
    said = story.decide(new, "g", BOB)
    for parents in ((said, asked), (asked, said), (said, story.genesis), (story.genesis, said)):
        tip = story.merge(*parents)
        assert (story.in_force(tip), story.decider(tip, "g"), story.fakes(tip)) == (new, said, set())
        assert not story.refuses(said, tip)


def test_names_and_keys_of_one_person() -> None:
    twice = signed_by(ANN, ("anna@example.org", ANN[1]), ("zoe\u0308@example.org", KEYS[2]))
    told = Story(twice)
    for asker, who, valid in (
        ("", ("ANN@example.org", ANN[1]), True),
        ("", ("anna@example.org", ANN[1]), True),
        ("", ("zo\u00eb@Example.org", KEYS[2]), True),
        ("", ("zo\u00eb@Example.org", ANN[1]), False),
        ("Ann@Example.org", ANN, False),
        ("anna@example.org", ANN, False),
        ("zoe\u0308@example.org", ANN, True),
        ("", ("developer", ANN[1]), False),
    ):
        asked = told.ask(told.first, "g", by=asker)
        assert (told.decider(told.decide(asked, "g", who), "g") != "") == valid, (asker, who)
