"""Generated ledgers: a seed gives always the same ledger. `KINDS` are the cases that a ledger can contain.

In a third of the ledgers all clones are honest. In a third there are attackers who write only what the rule allows, and in
a third attackers write forged events. Then an honest clone may merge a forged event.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.support.belief.abstract_ledger import APPROVED, REJECTED, Ledger
from tests.support.belief.attackers import Attacker
from tests.support.belief.findings import forged_events, rollback
from tests.support.belief.oracle import Oracle
from tests.support.belief.people import plain
from tests.support.belief.world import World

HANDS = {  # what an attacker writes, and how the titles of these events begin
    "another root": "second root",
    "a merge of three": "octopus",
    "a wrapped merge": "wrap",
    "a copy of a decision": "copy of",
    "a file put by hand": "tamper",
}
KINDS = (
    "clean",
    "forged",
    "reopens a gate",
    "a policy gives way",
    "a decision comes back",
    "a rollback is refused",
    "clean although attacked",
    "forged below an honest merge",
    "decided on both sides",
    *HANDS,
)


@dataclass(frozen=True)
class Generated:
    """A ledger with one tip, and the tips that a receiver may have seen before. `attacked`: there was an attacker."""

    seed: int
    ledger: Ledger
    tip: str
    seen: tuple[str, ...]
    attacked: bool

    @property
    def oracle(self) -> Oracle:
        return Oracle(self.ledger)


def generate(seed: int, *, named: bool = True) -> Generated:
    """The ledger of this seed. For three of five seeds, requests name the event before them, if `named`.

    Requests in real repositories (`git_ledger.py`) cannot name it, because they are written before any event has an oid.
    """
    world = World(seed, named=named and seed % 5 > 1)
    style = seed % 3
    if seed % 4 == 0:
        key_comes_back(world)
    if seed % 4 == 2:
        policy_comes_back(world)
    world.live(world.dice.randint(8, 22), (0,) if style else (0, 0, 1))
    for _ in range(world.dice.randint(1, 3) if style else 0):
        _attack(world, honest_hands=style == 1)
        world.live(world.dice.randint(0, 8))
    for clone in world.clones:
        world.sync(clone, 0)
    tips = (world.remotes[0].tip, *(clone.tip for clone in world.clones))
    tip = (
        tips[0] if world.dice.random() < 0.7 else max(tips, key=lambda one: len(world.oracle.ancestors(one)))
    )
    ledger = world.ledger.up_to(tip)
    seen = {old for old, _ in world.moves} | {clone.tip for clone in world.clones} | {tips[0]}
    return Generated(seed, ledger, tip, tuple(sorted(seen, key=lambda one: int(one[1:]))), bool(style))


def ledger_with_revival(seed: int) -> Generated:
    """A short ledger in which a revoked key is allowed again, or an earlier text of the policy is approved again."""
    world = World(seed)
    (key_comes_back if seed % 2 else policy_comes_back)(world)
    world.live(world.dice.randint(0, 3))
    for clone in world.clones:
        world.sync(clone, 0)
    tip = world.remotes[0].tip
    return Generated(seed, world.ledger.up_to(tip), tip, (), False)


def key_comes_back(world: World) -> None:
    """A decision no longer counts because its key was revoked meanwhile. It counts again when the key is allowed again."""
    ann, bob, cat = world.dice.sample(world.clones, 3)
    ann.tip = world.ask(ann.tip)
    [gate] = world.oracle.asks(ann.tip)
    for clone in (ann, bob, cat):
        world.sync(clone, 0)
    before = world.policy(ann.tip)
    bob.tip = world.decide_well(bob.tip, gate, APPROVED) or bob.tip
    said = (
        world.oracle.decision(bob.tip, gate) if bob.tip in world.oracle.decisions(bob.tip).values() else None
    )
    rows = tuple(row for row in before.approvers if said and plain(row.principal) != plain(said.reviewer))
    if rows:
        ann.tip = world.change_policy(ann.tip, replace(before, approvers=rows))
        world.sync(ann, 0)
        # The policy that lets the key in again knows of the decision, or does not.
        for clone in world.dice.sample((cat, bob), 2):
            world.sync(clone, 0)
        cat.tip = world.change_policy(cat.tip, before)
        if world.dice.random() < 0.5:
            ann.tip = world.decide_well(ann.tip, gate, REJECTED) or ann.tip
        for clone in world.dice.sample((ann, cat), world.dice.randint(0, 2)):
            world.sync(clone, 0)


def policy_comes_back(world: World) -> None:
    """Two policies exclude each other in a merge. A later policy has the text of the one that was in force before both."""
    ann, bob, cat = world.dice.sample(world.clones, 3)
    before = world.policy(ann.tip)
    bob.tip = world.change_policy(bob.tip, world.other_policy(before))
    ann.tip = world.change_policy(ann.tip, world.other_policy(before))
    for clone in world.dice.sample((ann, bob), 2):
        world.sync(clone, 0)
    world.sync(cat, 0)
    cat.tip = world.change_policy(cat.tip, before)
    for clone in world.dice.sample((ann, cat), world.dice.randint(0, 2)):
        world.sync(clone, 0)


def _attack(world: World, *, honest_hands: bool) -> None:
    """An attacker builds a line. It reaches the remote by a push, or by the merge of an honest clone."""
    attacker = Attacker(world)
    moves = attacker.by_the_rule if honest_hands else (*attacker.against_the_rule, *attacker.by_the_rule)
    for _ in range(world.dice.randint(2, 7)):
        world.dice.choice(moves)()
    remote, clone = world.remotes[0], world.dice.choice(world.clones)
    how = world.dice.choice(("push", "wrap", "wrap", "clone", "clone first"))
    if how == "push":
        remote.tip = attacker.tip
    elif how == "wrap" and remote.tip != attacker.tip:
        sides = [remote.tip, attacker.tip]
        world.dice.shuffle(sides)
        remote.tip = world.merge(sides[0], sides[1], "wrap")
    elif attacker.tip != clone.tip:
        sides = [clone.tip, attacker.tip] if how == "clone" else [attacker.tip, clone.tip]
        clone.tip = world.merge(sides[0], sides[1], "an honest clone merges")


def kinds(one: Generated) -> Iterator[str]:
    """The kinds (`KINDS`) of this ledger."""
    oracle = one.oracle
    bad = forged_events(oracle)
    yield "forged" if bad else "clean"
    if one.attacked and not bad:
        yield "clean although attacked"
    merges = [event for event in one.ledger.events if len(one.ledger.parents(event)) == 2]
    found = {kind for merge in merges for kind in _merged(oracle, merge)}
    if any(merge not in bad and bad.keys() & oracle.ancestors(merge) for merge in merges):
        found.add("forged below an honest merge")
    if any(rollback(oracle, old, one.tip) for old in one.seen if old in one.ledger.events):
        found.add("a rollback is refused")
    yield from sorted(found)
    titles = [event.title for event in one.ledger.events.values()]
    yield from (kind for kind, title in HANDS.items() if any(said.startswith(title) for said in titles))


def _merged(oracle: Oracle, merge: str) -> Iterator[str]:
    now = oracle.decisions(merge)
    parents = oracle.ledger.parents(merge)
    before = [oracle.decisions(parent) for parent in parents]
    for parent, decisions in zip(parents, before, strict=True):
        if decisions.keys() & oracle.open_gates(merge):
            yield "reopens a gate"
        chain = oracle.chain(parent)
        if oracle.chain(merge)[: len(chain)] != chain:
            yield "a policy gives way"
    if any(before[0].get(gate, now[gate]) != before[1].get(gate, now[gate]) for gate in now):
        yield "decided on both sides"
    for gate, event in now.items():
        if all(decisions.get(gate) != event for decisions in before):
            yield "a decision comes back"
