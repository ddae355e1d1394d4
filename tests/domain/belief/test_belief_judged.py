"""If the events before were judged, the rule of belief says the same of all events as if it judged them again."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from devs_git.domain.audit.ledger_shape import Step
from devs_git.domain.belief import Belief, Records, believe, layout
from devs_git.domain.ledger.indexing import unread_events
from tests.support.belief.abstract_ledger import Ledger
from tests.support.belief.generator import generate
from tests.support.belief.records import records
from tests.support.belief.steps import oid, steps

pytestmark = pytest.mark.quick

LEDGERS = int(os.environ.get("DEVS_TEST_COUNT_BELIEF_LEDGERS", "40"))
PARTS = 8


def taken(told: list[Step], judged: str) -> list[Step]:
    """The steps as `verify --judged` reads them."""
    known = unread_events.ancestors([step.event for step in told], judged)
    return [_taken(step) if step.event.oid in known else step for step in told]


def _taken(step: Step) -> Step:
    event = unread_events.unread(step.event.oid, step.event.parents, step.event.message())
    here = (*layout.GOVERNED, *(f"{folder}/" for folder in layout.GOVERNED))
    return Step(event, (tuple(c for c in step.edges[0] if c.path.startswith(here)),), judged=True)


def state(belief: Belief) -> object:
    walk, trees = belief.walk, belief.trees
    claims = [(one.number, one.at, one.gate, str(one.wrong)) for one in walk.claims]
    return walk.oids, walk.states, walk.held, walk.chains, walk.parents, claims, trees.odd, trees.asides


def sound_events(ledger: Ledger, known: Records) -> Iterator[str]:
    """The events up to which a check of the ledger finds nothing."""
    for event in ledger.events:
        if not believe(steps(ledger.up_to(event)), known).findings:
            yield event


@pytest.mark.parametrize("part", range(PARTS))
def test_no_finding_of_a_newer_event_is_lost(part: int) -> None:
    for seed in range(part, LEDGERS // 2, PARTS):
        ledger = generate(seed).ledger
        told, known = steps(ledger), records(ledger)
        whole = believe(told, known)
        for event in sound_events(ledger, known):
            after = believe(taken(told, oid(event)), known)
            assert after.findings == whole.findings, (seed, event, ledger.story())
            assert state(after) == state(whole), (seed, event)


def test_forged_events_come_after_sound_ones() -> None:
    forged = 0
    for seed in range(LEDGERS // 2):
        ledger = generate(seed).ledger
        known = records(ledger)
        forged += bool(believe(steps(ledger), known).findings) and len([*sound_events(ledger, known)]) > 2
    assert forged > 2


@pytest.mark.parametrize("part", range(PARTS))
def test_what_must_be_signed_is_found_among_judged_events_too(part: int) -> None:
    for seed in range(part, LEDGERS // 2, PARTS):
        ledger = generate(seed).ledger
        told, known = steps(ledger), records(ledger)
        signed = frozenset(step.event.oid for step in told[2:])
        whole = believe(told, known, must_sign=signed)
        for event in sound_events(ledger, known):
            after = believe(taken(told, oid(event)), known, must_sign=signed)
            assert bool(after.findings) == bool(whole.findings), (seed, event, ledger.story())


def test_forged_and_unsigned_events_come_after_sound_ones() -> None:
    found: list[str] = []
    for seed in range(LEDGERS // 2):
        ledger = generate(seed).ledger
        told, known = steps(ledger), records(ledger)
        signed = frozenset(step.event.oid for step in told[2:])
        if len([*sound_events(ledger, known)]) > 2:
            found += [one.code for one in believe(told, known, must_sign=signed).findings]
    assert {"BAD_SIGNATURE", "LEDGER_MUTATED"} <= {*found}
