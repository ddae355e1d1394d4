"""The generated ledgers reach what the rule is about; otherwise a comparison with them would say little."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from tests.support.belief.abstract_ledger import Ledger
from tests.support.belief.generator import HANDS, KINDS, generate, kinds
from tests.support.belief.oracle import Oracle
from tests.support.belief.shrinker import smallest

pytestmark = pytest.mark.quick

LEDGERS = int(os.environ.get("DEVS_TEST_COUNT_BELIEF_LEDGERS", "60"))


def test_every_kind_of_ledger_is_among_those_that_are_generated() -> None:
    ledgers = [generate(seed) for seed in range(LEDGERS)]
    found = Counter(kind for one in ledgers for kind in kinds(one))
    report = "\n".join(f"{found[kind]:5} of {LEDGERS}: {kind}" for kind in KINDS)
    least = {kind: max(1, LEDGERS // (100 if kind in HANDS else 50)) for kind in KINDS}
    assert all(found[kind] >= least[kind] for kind in KINDS), report
    assert sum(len(one.ledger.events) for one in ledgers) > 15 * LEDGERS


def test_a_number_names_one_ledger() -> None:
    for seed in range(12):
        assert generate(seed).ledger.story() == generate(seed).ledger.story()


def test_a_ledger_is_cut_down_to_what_shows_one_thing() -> None:
    def reopens(ledger: Ledger) -> bool:
        oracle = Oracle(ledger)
        merges = [event for event in ledger.events if len(ledger.parents(event)) == 2]
        return any(
            oracle.decisions(parent).keys() & oracle.open_gates(merge)
            for merge in merges
            for parent in ledger.parents(merge)
        )

    found = next(one.ledger for one in map(generate, range(0, LEDGERS, 3)) if reopens(one.ledger))
    least = smallest(found, reopens)
    assert reopens(least)
    assert len(least.events) <= 8 < len(found.events), least.story()
