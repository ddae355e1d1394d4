"""Honest clones that write a ledger: they request gates, decide and merge. It also has the functions that write one event.

All choices come from one `random.Random`, so a seed gives always the same ledger. The merges of honest clones have the
trees that `oracle.py` expects. Attackers are in `attackers.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.support.belief.abstract_ledger import (
    APPROVED,
    MANUAL,
    MARKER,
    POLICY,
    POLICY_CHANGE,
    README,
    REJECTED,
    SIGNED,
    UNSIGNED,
    Decision,
    Ledger,
    Person,
    Plain,
    Policy,
    Request,
    Signature,
    decision_path,
    governs,
    open_path,
    request_path,
    set_aside,
    signature_path,
)
from tests.support.belief.findings import collides, gives_way, rollback
from tests.support.belief.oracle import Oracle

PEOPLE = ("ann@example.org", "Bob@Example.org", "zoe\u0308@example.org", "dan@example.org")
OTHER_SPELLING = {"Bob@Example.org": "bob@example.org", "zoe\u0308@example.org": "zo\u00eb@example.org"}
STRANGER, BOT = "mallory@example.org", "bot@example.org"
KEYS = tuple(f"key {name}" for name in ("ann", "bob", "zoe", "dan", "ann 2", "bob 2", "zoe 2"))
STRANGERS_KEY, BOTS_KEY = "key mallory", "key bot"
Signer = tuple[str, str]  # a principal, and the key that signs, '' for none
Changes = Mapping[str, str | None]


@dataclass
class Clone:
    """One clone, or a remote: its tip, and the tip that it last saw of each remote."""

    tip: str
    seen: dict[int, str] = field(default_factory=dict)


class World:
    """`dice` makes all choices. `oracle` says what honest programs do. `refused` has the syncs and pushes that were refused.

    With `named`, a request names the event before it.
    """

    named = False

    def __init__(self, seed: int, first_policy: Policy | None = None, *, named: bool = False) -> None:
        self.named = named
        self.dice = random.Random(seed)
        self.ledger = Ledger()
        self.oracle = Oracle(self.ledger)
        self.serial = 0
        self.refused: list[str] = []
        self.moves: list[tuple[str, str]] = []  # a remote's tip before and after each push that it took
        genesis = self.ledger.add((), {README: self.ledger.put(Plain("readme"))}, "genesis")
        first = self.event(
            genesis, {POLICY: self.ledger.put(first_policy or self.any_policy())}, "first policy"
        )
        self.clones = [Clone(first) for _ in range(3)]
        self.remotes = [Clone(first) for _ in range(2)]

    # Events, one by one.

    def event(self, at: str, changes: Changes, title: str) -> str:
        """An event with one parent, which writes these files, or deletes them (None)."""
        tree = {**self.ledger.tree(at), **{path: content or "" for path, content in changes.items()}}
        return self.ledger.add((at,), {path: content for path, content in tree.items() if content}, title)

    def merge(self, first: str, second: str, title: str = "merge", extra: Changes | None = None) -> str:
        """A merge with the tree that the rule gives. `extra` are files that a forger writes or deletes (None)."""
        name = self.ledger.add((first, second), {}, title)
        tree = {**self.merged_tree(name), **{path: content or "" for path, content in (extra or {}).items()}}
        self.ledger.events[name] = replace(
            self.ledger.events[name], tree={path: content for path, content in tree.items() if content}
        )
        return name

    def merged_tree(self, name: str) -> dict[str, str]:
        """The tree of an honest merge: the files that govern, by the rule; the union of the others; and under `superseded/` those
        that were replaced.
        """
        sides = [self.ledger.tree(parent) for parent in self.ledger.parents(name)]
        tree = self.oracle.expected_tree(name)
        for side in sides:
            for path, content in side.items():
                if not governs(path) and path not in tree:
                    tree[path] = content
                elif collides(path, content, tree):
                    tree[set_aside(side, path)] = content
        for parent in self.ledger.parents(name):
            side = self.oracle.expected_tree(parent)
            for path, what in gives_way(self.oracle, parent, name).items():
                place = set_aside(side, path)
                tree[place if tree.get(place, what) == what else f"superseded/{what}"] = what
        return tree

    def number(self) -> int:
        self.serial += 1
        return self.serial

    def ask(self, at: str, *, by: str = "", proposes: str = "", gate: str = "") -> str:
        """An event that requests a gate. `proposes` is the name of a new policy, for a change of the policy."""
        gate = gate or f"g{self.number()}"
        before = self.oracle.in_force(at) if proposes else ""
        kind = POLICY_CHANGE if proposes else MANUAL
        after = at if self.named else ""
        asked = self.ledger.put(Request(gate, kind, by, self.number(), before, proposes, after))
        return self.event(at, {request_path(gate): asked, open_path(gate): MARKER}, f"ask {gate}")

    def decide(self, at: str, gate: str, verdict: str, signer: Signer, *, key: str = "") -> str:
        """An event that decides. It is signed if the signer has a key; `key` is another key that signs instead."""
        request = self.ledger.tree(at).get(request_path(gate), "")
        signing = key or signer[1]
        said = Decision(gate, request, verdict, signer[0], SIGNED if signing else UNSIGNED, self.number())
        decision = self.ledger.put(said)
        changes: dict[str, str | None] = {decision_path(gate): decision, open_path(gate): None}
        if signing:
            changes[signature_path(gate)] = self.ledger.put(
                Signature(self.ledger.put(said.statement), signing)
            )
        asked = self.ledger.what.get(request)
        if isinstance(asked, Request) and asked.kind == POLICY_CHANGE and verdict == APPROVED:
            changes[POLICY] = asked.proposes
        return self.event(at, changes, f"{verdict.lower()} {gate} by {signer[0]}")

    def copy(self, at: str, event: str, gate: str, spelled: Callable[[str], str] = str) -> str:
        """An event with the decision of another event, and with the policy that this one set."""
        theirs = self.ledger.tree(event)
        changes: dict[str, str | None] = {open_path(gate): None}
        for path in (decision_path(gate), signature_path(gate)):
            changes[path] = spelled(theirs[path]) if path in theirs else None
        if self.oracle.approves_policy(event, gate):
            changes[POLICY] = theirs[POLICY]
        return self.event(at, changes, f"copy of {event}")

    def sign_anew(self, at: str, event: str, gate: str, signer: Signer) -> str:
        """An event in which another person signs the same statement of a decision."""
        said = self.oracle.decision(event, gate)
        assert said
        made = Signature(self.ledger.put(said.statement), signer[1])
        decision = self.ledger.put(replace(said, reviewer=signer[0]))
        changes = {decision_path(gate): decision, signature_path(gate): self.ledger.put(made)}
        return self.event(at, {**changes, open_path(gate): None}, f"{signer[0]} signs the same")

    def take_back(self, name: str) -> None:
        """Forget the last event."""
        del self.ledger.events[name]
        self.oracle.known = {key: value for key, value in self.oracle.known.items() if name not in key}

    # What honest clones do.

    def any_policy(self) -> Policy:
        people = self.dice.sample(list(zip(PEOPLE, KEYS, strict=False)), self.dice.choice((0, 1, 2, 2, 3)))
        rows = tuple(Person(*row) for row in people)
        return Policy(rows, self.dice.choice((SIGNED, SIGNED, UNSIGNED)) if rows else UNSIGNED)

    def policy(self, event: str) -> Policy:
        found = self.ledger.what.get(self.oracle.in_force(event))
        return found if isinstance(found, Policy) else Policy()

    def other_policy(self, policy: Policy) -> Policy:
        """Another policy: with another approver, without one, with another key, with another minimum, or with an agent."""
        rows = list(policy.approvers)
        absent = [name for name in PEOPLE if name not in {row.principal for row in rows}]
        how = self.dice.choice(
            ("add", "add", "add", "add", "remove", "remove", "rotate", "rotate", "share", "bound", "agent")
        )
        if how == "add" and absent:
            name = self.dice.choice(absent)
            rows.append(Person(name, KEYS[PEOPLE.index(name)]))
        elif how == "remove" and len(rows) > 1:
            rows.pop(self.dice.randrange(len(rows)))
        elif how == "rotate" and rows:
            at = self.dice.randrange(len(rows))
            rows[at] = Person(rows[at].principal, self.dice.choice(KEYS))
        elif how == "share" and rows and absent:
            rows.append(Person(self.dice.choice(absent), rows[0].key))
        elif how == "agent":
            return replace(policy, agents=(Person(BOT, BOTS_KEY),), notify=f"echo {self.number()}")
        minimum = self.dice.choice((SIGNED, UNSIGNED)) if how == "bound" else policy.minimum
        has_key = any(row.key for row in rows)
        return Policy(tuple(rows), minimum if has_key else UNSIGNED, policy.agents, policy.notify)

    def signers(self, event: str) -> Iterator[Signer]:
        """The approvers in a random order: first with their keys, and then without."""
        policy = self.policy(event)
        rows = [(row.principal, row.key) for row in policy.approvers] or [(name, "") for name in PEOPLE]
        rows += [(OTHER_SPELLING[name], key) for name, key in rows if name in OTHER_SPELLING]
        yield from self.dice.sample(rows, len(rows))
        yield from ((name, "") for name, _ in rows)

    def decide_well(self, at: str, gate: str, verdict: str) -> str:
        """An event whose decision counts; '' if nobody can make one."""
        for signer in self.signers(at):
            made = self.decide(at, gate, verdict, signer)
            if self.oracle.valid(made, gate):
                return made
            self.take_back(made)
        return ""

    def work(self, clone: Clone) -> None:
        """One random action in a clone, without a sync."""
        waiting = sorted(self.oracle.open_gates(clone.tip))
        how = self.dice.choice(("ask", "policy", "policy", "decide", "decide", "decide", "decide", "task"))
        by = self.dice.choice(("", "", *PEOPLE[:2], BOT))
        if how == "decide" and waiting:
            verdict = self.dice.choice((APPROVED, APPROVED, APPROVED, REJECTED))
            clone.tip = self.decide_well(clone.tip, self.dice.choice(waiting), verdict) or clone.tip
        elif how == "policy":
            proposed = self.ledger.put(self.other_policy(self.policy(clone.tip)))
            if proposed != self.oracle.in_force(clone.tip) or self.dice.random() < 0.1:
                clone.tip = self.ask(clone.tip, by=by, proposes=proposed)
        elif how == "task":
            path = f"tasks/task-{self.dice.randrange(3)}/{self.number()}.yaml"
            clone.tip = self.event(clone.tip, {path: self.ledger.put(Plain(path))}, "task")
        else:
            clone.tip = self.ask(clone.tip, by=by)

    def change_policy(self, at: str, policy: Policy) -> str:
        """Request this policy and approve it. Return the last event: the request, if nobody can approve it."""
        asked = self.ask(at, proposes=self.ledger.put(policy))
        [gate] = self.oracle.asks(asked)
        return self.decide_well(asked, gate, APPROVED) or asked

    def sync(self, clone: Clone, number: int) -> bool:
        """Sync a clone with a remote; whether it succeeded. If one of them refuses, nothing is written."""
        remote = self.remotes[number]
        if rollback(self.oracle, clone.seen.get(number, remote.tip), remote.tip):
            self.refused.append(f"a clone refused remote {number}")
            return False
        clone.seen[number] = remote.tip
        tip, descends = clone.tip, self.oracle.ancestors
        if clone.tip in descends(remote.tip):
            clone.tip = remote.tip
            return True
        if remote.tip not in descends(clone.tip):
            tip = self.merge(remote.tip, clone.tip, "sync")
        if not self.push(number, tip):
            return False
        clone.tip = clone.seen[number] = tip
        return True

    def push(self, number: int, tip: str) -> bool:
        """Push to a remote with our hook, which refuses a rollback; whether it succeeded."""
        remote = self.remotes[number]
        if reasons := rollback(self.oracle, remote.tip, tip):
            self.refused.append(f"remote {number} refused: {reasons}")
            return False
        self.moves.append((remote.tip, tip))
        remote.tip = tip
        return True

    def live(self, steps: int, remotes: Sequence[int] = (0,)) -> None:
        """So many random steps of honest clones. The last clone seldom runs `sync`."""
        for _ in range(steps):
            clone = self.dice.choices(self.clones, (4, 4, 3))[0]
            seldom = 0.08 if clone is self.clones[-1] else 0.35
            if self.dice.random() < seldom:
                self.sync(clone, self.dice.choice(remotes))
            else:
                self.work(clone)
