"""The rule in ledgers that went on for years."""

from __future__ import annotations

import pytest

from tests.belief_ledger import REJECTED
from tests.belief_records import Believed
from tests.belief_story import ANN, BOB, Story

pytestmark = pytest.mark.quick


def test_a_gate_that_two_clones_decided_is_told_below_thousands_of_decisions() -> None:
    story = Story()
    asked = story.ask(story.first, "g")
    stands = story.decide(asked, "g", ANN)
    tip = story.merge(stands, story.decide(asked, "g", BOB, REJECTED))
    for number in range(600):
        gate = f"g{number}"
        tip = story.decide(story.ask(tip, gate), gate, ANN)
    assert Believed(story.ledger).decisions(tip)["g"] == stands
