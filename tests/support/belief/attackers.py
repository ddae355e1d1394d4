"""Attackers write events that our program never writes: forged lines, forged merges, and honest merges of forged events.

An attacker can push, has a key, and may have been an approver once. An attacker builds on any event, new or old, and signs
with a revoked key, and sometimes with a valid one. Some attacks break the rule. The others keep the rule: then no event
is forged, but the attacker must not be able to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.support.belief.abstract_ledger import (
    APPROVED,
    MARKER,
    POLICY,
    REJECTED,
    SIGNED,
    Decision,
    Person,
    Plain,
    Policy,
    Request,
    Signature,
    decision_path,
    gates_with,
    governs,
    open_path,
    request_path,
    set_aside,
    signature_path,
)
from tests.support.belief.world import KEYS, PEOPLE, STRANGER, STRANGERS_KEY, World


class Attacker:
    """Writes events to the ledger of the world. `tip` is the tip of the line that this attacker builds."""

    def __init__(self, world: World) -> None:
        self.world, self.dice, self.ledger = world, world.dice, world.ledger
        self.tip = self.any_event()

    def any_event(self) -> str:
        return self.dice.choice(list(self.ledger.events))

    def any_gate(self, event: str = "") -> str:
        """A gate of this event's tree, or of any event; '' if there is none."""
        trees = [self.ledger.tree(event)] if event else [self.ledger.tree(one) for one in self.ledger.events]
        found = sorted({gate for tree in trees for gate in gates_with(tree, "request.yaml")})
        return self.dice.choice(found) if found else ""

    def mine(self) -> Policy:
        return Policy((Person(STRANGER, STRANGERS_KEY),), SIGNED, (), "touch owned")

    # Attacks that keep the rule, at an old event or in an unusual order.

    def decide_late(self) -> None:
        """A decision on an old line, which the policy in force there allows."""
        gates = sorted(self.world.oracle.open_gates(self.tip))
        if gates:
            verdict = self.dice.choice((APPROVED, REJECTED))
            self.tip = self.world.decide_well(self.tip, self.dice.choice(gates), verdict) or self.tip

    def set_policy_late(self) -> None:
        """A policy that names the attacker, requested and approved on an old line."""
        now = self.world.policy(self.tip)
        others = [row for row in now.approvers if row.principal != STRANGER]
        rows = tuple(row for row in others if self.dice.random() < 0.6)
        proposed = replace(self.mine(), approvers=(*self.mine().approvers, *rows))
        self.tip = self.world.change_policy(self.tip, proposed)

    def merge_by_rule(self) -> None:
        """An honest merge of any two events, also of an event and its ancestor."""
        sides = [self.tip, self.any_event()]
        self.dice.shuffle(sides)
        if sides[0] != sides[1]:
            self.tip = self.world.merge(sides[0], sides[1], "merge by rule")

    def elsewhere(self) -> None:
        """Continue at another event."""
        self.tip = self.any_event()

    # Attacks that break the rule, in an event with one parent.

    def policy_of_ones_own(self) -> None:
        """A second first policy, or a policy without a decision."""
        own = self.ledger.put(self.dice.choice((self.mine(), Policy())))
        at = self.dice.choice(("e0", self.tip, self.tip))
        self.tip = self.world.event(at, {POLICY: own}, "policy of one's own")

    def policy_of_old(self) -> None:
        """Put an earlier policy into force again."""
        old = self.ledger.tree(self.any_event()).get(POLICY)
        if old:
            self.tip = self.world.event(self.tip, {POLICY: old}, "policy of old")

    def copy_request(self) -> None:
        """Request a gate that another line has requested, with the same text or with another one."""
        other = self.any_event()
        gate = self.any_gate(other)
        if not gate:
            return
        request = self.ledger.tree(other)[request_path(gate)]
        asked = self.ledger.what[request]
        how = self.dice.choice(("same", "beside", "beside", "words", "renamed"))
        if how == "words" and isinstance(asked, Request):
            request = self.ledger.put(replace(asked, words=self.world.number()))
        if how == "beside":  # it follows the same event as the honest one
            asking = [e for e in self.ledger.events if gate in self.world.oracle.asks(e)]
            self.tip = next((self.ledger.parents(e)[0] for e in asking if self.ledger.parents(e)), self.tip)
        gate = f"g{self.world.number()}" if how == "renamed" else gate
        marker = {} if self.dice.random() < 0.1 else {open_path(gate): MARKER}
        self.tip = self.world.event(self.tip, {request_path(gate): request, **marker}, f"copy of {gate}")

    def decide_badly(self) -> None:
        """A decision by a stranger, with a revoked key, without a signature, in another name, or by the requester."""
        gate = self.any_gate(self.tip) or self.any_gate()
        if gate:
            who = self.dice.choice((STRANGER, "developer", *PEOPLE))
            signing = self.dice.choice(("", STRANGERS_KEY, *KEYS))
            verdict = self.dice.choice((APPROVED, APPROVED, REJECTED))
            self.tip = self.world.decide(self.tip, gate, verdict, (who, signing))

    def copy_decision(self) -> None:
        """A copy of another decision, with its signature or with another one, on the same gate or on another one."""
        other = self.any_event()
        found = sorted(gates_with(self.ledger.tree(other), "decision.yaml"))
        if not found:
            return
        gate = self.dice.choice(found)
        theirs = self.ledger.tree(other)
        to = self.dice.choice((gate, gate, self.any_gate(self.tip) or gate))
        signature = theirs.get(signature_path(gate))
        if self.dice.random() < 0.2:
            signature = self.dice.choice([name for name in self.ledger.what if "signature" in name] or [""])
        signature = self.other_spelling(signature) if signature else signature
        changes = {decision_path(to): self.other_spelling(theirs[decision_path(gate)]), open_path(to): None}
        asked = self.ledger.what.get(self.ledger.tree(self.tip).get(request_path(to), ""))
        if isinstance(asked, Request) and asked.proposes and self.dice.random() < 0.7:
            changes[POLICY] = asked.proposes
        self.tip = self.world.event(
            self.tip, {**changes, signature_path(to): signature or None}, f"copy of the decision on {gate}"
        )

    def other_spelling(self, name: str) -> str:
        """The same content, or a file with another form and the same meaning."""
        one = self.ledger.what[name]
        if not isinstance(one, Decision | Signature) or self.dice.random() < 0.5:
            return name
        return self.ledger.put(replace(one, spelling=self.dice.randint(1, 2)))

    def copy_dead(self) -> None:
        """A copy of a decision that no longer counts, at the tip or on an older line."""
        oracle = self.world.oracle
        now = oracle.open_gates(self.tip)
        dead = [
            (one, gate)
            for one in sorted(oracle.ancestors(self.tip))
            for gate in oracle.decides(one)
            if gate in now and request_path(gate) in self.ledger.tree(self.tip)
        ]
        if dead:
            event, gate = self.dice.choice(dead)
            below = [one for one in oracle.ancestors(self.tip) if gate in oracle.open_gates(one)]
            at = self.dice.choice((self.tip, self.tip, *sorted(below)))
            copy = self.world.copy(at, event, gate, self.other_spelling)
            sides = [self.tip, copy]
            self.dice.shuffle(sides)
            self.tip = copy if at == self.tip else self.world.merge(sides[0], sides[1], "merge by rule")

    def tamper(self) -> None:
        """Write, change or delete one file that governs."""
        self.tip = self.world.event(self.tip, self.tampered_tree(), "tamper")

    def tampered_tree(self) -> dict[str, str | None]:
        gate = self.any_gate() or "g0"
        junk = self.ledger.put(Plain(self.dice.choice(("junk", "other junk"))))
        paths = (open_path(gate), request_path(gate), decision_path(gate), signature_path(gate), POLICY)
        path = self.dice.choice((*paths, f"gates/{gate}/note", f"superseded/{junk}"))
        elsewhere = self.ledger.tree(self.any_event()).get(path)
        mine = self.ledger.put(self.mine()) if path == POLICY else junk
        return {path: self.dice.choice((None, None, elsewhere, mine))}

    # Attacks that break the rule, in a merge.

    def merge_greedily(self) -> None:
        """A merge that keeps all files of the first parent, against the rule, and adds those of the second or moves them aside."""
        sides = [self.tip, self.any_event()]
        self.dice.shuffle(sides)
        if sides[0] == sides[1]:
            return
        first, second = (self.ledger.tree(side) for side in sides)
        tree = {**second, **first}
        for path in second:
            if path.startswith("open/") and decision_path(path[5:]) in tree:
                tree.pop(path, None)
            elif tree[path] != second[path] and self.dice.random() < 0.9:
                tree[set_aside(second, path)] = second[path]
        self.tip = self.ledger.add((sides[0], sides[1]), tree, "merge greedily")

    def merge_with_more(self) -> None:
        """A merge by the rule, but with one file that it writes, changes or deletes."""
        other = self.any_event()
        if other != self.tip:
            extra = self.tampered_tree()
            if self.dice.random() < 0.3:
                old = self.ledger.tree(self.any_event()).get(POLICY, "")
                extra = {POLICY: old or None}
            self.tip = self.world.merge(self.tip, other, "merge with more", extra)

    def merge_and_drop(self) -> None:
        """A merge by the rule, but without one of the files below `superseded/`."""
        other = self.any_event()
        if other != self.tip:
            self.tip = self.world.merge(self.tip, other, "merge and drop")
            kept = [path for path in self.ledger.tree(self.tip) if not governs(path) and "super" in path]
            if kept:
                event = self.ledger.events[self.tip]
                lost = self.dice.choice(kept)
                tree = {path: content for path, content in event.tree.items() if path != lost}
                self.ledger.events[self.tip] = replace(event, tree=tree)

    def second_root(self) -> None:
        """Another genesis, with or without a policy, merged with the ledger."""
        policy = {POLICY: self.ledger.put(self.mine())} if self.dice.random() < 0.5 else {}
        root = self.ledger.add((), {"README.md": self.ledger.put(Plain("mine")), **policy}, "second root")
        sides = [self.tip, root]
        self.dice.shuffle(sides)
        self.tip = self.world.merge(sides[0], sides[1], "merge of two roots")

    def octopus(self) -> None:
        """A merge of three events."""
        parents = tuple(dict.fromkeys((self.tip, self.any_event(), self.any_event())))
        if len(parents) == 3:
            name = self.ledger.add(parents, {}, "octopus")
            event = self.ledger.events[name]
            self.ledger.events[name] = replace(event, tree=self.world.merged_tree(name))
            self.tip = name

    @property
    def by_the_rule(self) -> tuple[Callable[[], None], ...]:
        own = (self.decide_late, self.decide_late, self.set_policy_late, self.merge_by_rule, self.copy_dead)
        return (*own, self.merge_by_rule, self.elsewhere)

    @property
    def against_the_rule(self) -> tuple[Callable[[], None], ...]:
        lines = (self.policy_of_old, self.copy_request, self.decide_badly, self.copy_decision, self.tamper)
        merges = (self.merge_greedily, self.merge_with_more, self.merge_and_drop)
        rare = self.dice.choice((self.second_root, self.octopus, self.policy_of_ones_own))
        return (*lines, *lines, *merges, *merges, rare)
