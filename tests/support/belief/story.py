"""A ledger that a test writes step by step. It begins with a genesis, and a first policy under which Ann and Bob approve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from tests.support.belief.abstract_ledger import APPROVED, POLICY, SIGNED, Person, Policy
from tests.support.belief.findings import forged_events, rollback
from tests.support.belief.oracle import Oracle
from tests.support.belief.records import differences
from tests.support.belief.world import STRANGER, STRANGERS_KEY, Changes, Signer, World

ANN, BOB, DAN = ("ann@example.org", "key ann"), ("Bob@Example.org", "key bob"), ("dan@example.org", "key dan")
MALLORY = (STRANGER, STRANGERS_KEY)


def signed_by(*people: Signer, notify: str = "") -> Policy:
    """The policy under which these people approve, with their signatures."""
    return Policy(tuple(Person(*one) for one in people), SIGNED, (), notify)


@pytest.fixture(autouse=True)
def compare_with_the_oracle() -> Iterator[None]:
    """For each ledger of a test, the program's function and the reference must give the same answers."""
    Story.told.clear()
    yield
    for story in Story.told:
        events = story.ledger.events
        below = {parent for event in events.values() for parent in event.parents}
        for tip in events.keys() - below:
            found = differences(story.ledger.up_to(tip))
            assert found == [], "\n".join((story.ledger.up_to(tip).story(), *found))


class Story:
    """Each method writes events and returns the name of the last one. `first` is the event of the first policy."""

    told: ClassVar[list[Story]] = []  # by this test

    def __init__(self, first: Policy | None = None) -> None:
        self.told.append(self)
        self.world = World(0, first or signed_by(ANN, BOB))
        self.ledger, self.oracle = self.world.ledger, self.world.oracle
        self.genesis, self.first = "e0", "e1"

    def ask(self, at: str, gate: str, **how: str) -> str:
        return self.world.ask(at, gate=gate, **how)

    def decide(self, at: str, gate: str, who: Signer, verdict: str = APPROVED, *, key: str = "") -> str:
        return self.world.decide(at, gate, verdict, who, key=key)

    def set_policy(self, at: str, gate: str, policy: Policy, who: Signer) -> str:
        """The policy is asked for as `gate`, and approved."""
        return self.decide(self.ask(at, gate, proposes=self.ledger.put(policy)), gate, who)

    def put_policy(self, at: str, policy: Policy) -> str:
        """A policy that nobody decided."""
        return self.world.event(at, {POLICY: self.ledger.put(policy)}, "policy of one's own")

    def event(self, at: str, changes: Changes) -> str:
        return self.world.event(at, changes, "by hand")

    def merge(self, first: str, second: str, extra: Changes | None = None) -> str:
        return self.world.merge(first, second, extra=extra)

    # What may be believed.

    def fakes(self, tip: str) -> set[str]:
        """The forged events of the ledger that ends there."""
        return set(forged_events(Oracle(self.ledger.up_to(tip))))

    def refuses(self, old: str, new: str) -> bool:
        """Whether a receiver that has seen `old` refuses `new` for what it remembers."""
        return bool(rollback(self.oracle, old, new))

    def in_force(self, tip: str) -> str:
        """The event that set the policy in force."""
        return self.oracle.chain(tip)[-1]

    def decider(self, tip: str, gate: str) -> str:
        """The event that decides on the gate there, '' where it is open."""
        return self.oracle.decisions(tip).get(gate, "")

    def tree(self, tip: str, path: str) -> str:
        return self.ledger.tree(tip).get(path, "")
