"""What may be believed of a ledger: a slow statement of the rule, by which the program's function is judged.

It was written from the rule's words alone and shares no code with the program. Everything is a set or a mapping and is
asked again for each event; nothing is folded, packed or cut short. "The rule" are these points:

1. One beginning. There is one genesis, which holds no policy. `policy.yaml` is added by exactly one event, and every event
   that asks, decides or changes a policy has that event among its ancestors.
2. Which policy is in force. A policy descends from another only by the chain of policies, each asked and decided under
   the one before it: the very event, for a later one may have the same words. After a merge the second parent's policy is in force where it descends from the first's; otherwise the first's.
3. Which decisions count. A decision counts at a tip if its signer was allowed by the policy in force at its parent, and is
   allowed by the newest policy of the chain in force at the tip that has not the decision among its ancestors. Of two
   that count for one gate, the first parent's; one that comes back does not stand before one that counted until now.
   A gate is open exactly when none counts. What somebody signed once is one decision, however often and wherever it is
   brought: a policy has it among its ancestors if it has any of these events.
4. What a merge may hold. Nothing of its own but `superseded/` and `open/<id>` exactly where a gate is open.
   `gates/<id>/request.yaml` is added by one event only, and each decision has it among its ancestors.
5. Memory. A receiver refuses a ledger that does not contain its old tip, whose chain of policies does not begin with the
   old tip's whole chain, or where a decision that counted no longer counts though point 3 allows it.
"""

from __future__ import annotations

from typing import Any

from tests.support.belief.abstract_ledger import (
    APPROVED,
    MARKER,
    POLICY,
    POLICY_CHANGE,
    SIGNED,
    UNSIGNED,
    Decision,
    Ledger,
    Policy,
    Request,
    Signature,
    decision_path,
    gates_with,
    open_path,
    request_path,
    signature_path,
)
from tests.support.belief.people import may_decide, signed_by_reviewer

Signed = tuple[str, str]  # a statement and the key that signed it


class Oracle:
    """The rule for one ledger. The ledger may grow; what was said of an event stays true of it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.known: dict[Any, Any] = {}  # answers that were given, for patience only

    def _once(self, key: Any, ask: Any) -> Any:
        if key not in self.known:
            self.known[key] = ask()
        return self.known[key]

    def ancestors(self, event: str) -> frozenset[str]:
        found: frozenset[str] = self._once(("ancestors", event), lambda: self.ledger.ancestors(event))
        return found

    # Point 2: which policy is in force.

    def chain(self, event: str) -> tuple[str, ...]:
        """The events that set a policy, the first one … the one in force at this tip."""
        found: tuple[str, ...] = self._once(("chain", event), lambda: self._chain(event))
        return found

    def _chain(self, event: str) -> tuple[str, ...]:
        parents = self.ledger.parents(event)
        if not parents:
            return ()
        first = self.chain(parents[0])
        if len(parents) == 1:
            return (*first, event) if self.sets_policy(event) else first
        for other in parents[1:]:
            second = self.chain(other)
            descends = second[: len(first)] == first
            if descends and not self.answered_otherwise(parents[0], second[len(first) :], second):
                first = second
        return first

    def answered_otherwise(self, event: str, policies: tuple[str, ...], chain: tuple[str, ...]) -> bool:
        """Whether a gate that one of these policies approved has another answer there, which counts under the chain, too.

        Two clones answered one question differently; the first parent's answer stands, and the policy gives way.
        """
        answers = self.decisions(event)
        gates = {gate: policy for policy in policies for gate in self.decides(policy)}
        other = [(answers[g], g) for g, policy in gates.items() if answers.get(g, policy) != policy]
        return any(self.counts_under(answer, gate, chain) for answer, gate in other)

    def sets_policy(self, event: str) -> bool:
        """Whether this event puts a policy into force on its line."""
        if self.begins_policy(event):
            return True
        return any(
            self.approves_policy(event, gate) and self.valid(event, gate) for gate in self.decides(event)
        )

    def begins_policy(self, event: str) -> bool:
        """Whether it adds `policy.yaml` where no event before it has: the first policy needs no decision."""
        parents = self.ledger.parents(event)
        if len(parents) != 1 or self.chain(parents[0]):
            return False
        return POLICY in self.ledger.tree(event) and POLICY not in self.ledger.tree(parents[0])

    def in_force(self, event: str) -> str:
        """The content of the policy in force at this tip, '' for none."""
        chain = self.chain(event)
        return self.ledger.tree(chain[-1])[POLICY] if chain else ""

    # What is asked.

    def requests(self, event: str) -> dict[str, str]:
        """Each gate that was asked at this tip or before it, and the event that asked."""
        found: dict[str, str] = self._once(("asked", event), lambda: self._asked(event))
        return found

    def _asked(self, event: str) -> dict[str, str]:
        parents = self.ledger.parents(event)
        if len(parents) > 1:
            merged: dict[str, str] = {}
            for parent in parents:
                merged = self.requests(parent) | merged  # of two, the first parent's
            return merged
        return dict.fromkeys(self.asks(event), event) | (self.requests(parents[0]) if parents else {})

    def asks(self, event: str) -> tuple[str, ...]:
        """The gates whose request this event adds, but for copies: a request that names an event asks where it follows that one."""
        parents, tree, what = self.ledger.parents(event), self.ledger.tree(event), self.ledger.what
        said = {gate: what[tree[request_path(gate)]] for gate in self.adds_requests(event)}
        follows = {gate: one.after for gate, one in said.items() if isinstance(one, Request)}
        return tuple(gate for gate in said if follows.get(gate, "") in ("", *parents))

    def adds_requests(self, event: str) -> tuple[str, ...]:
        """The gates whose request this event adds where none was before."""
        parents = self.ledger.parents(event)
        if len(parents) > 1:
            return ()
        before = self.ledger.tree(parents[0]) if parents else {}
        known = self.requests(parents[0]) if parents else {}
        new = gates_with(self.ledger.tree(event), "request.yaml")
        return tuple(gate for gate in new if gate not in known and request_path(gate) not in before)

    # Point 3: which decisions count.

    def decides(self, event: str) -> tuple[str, ...]:
        """The gates on which this event brings a decision, valid or not. It is written once; a merge decides nothing."""
        parents = self.ledger.parents(event)
        if len(parents) != 1:
            return ()
        before, after = self.ledger.tree(parents[0]), self.ledger.tree(event)
        found = gates_with(after, "decision.yaml")
        return tuple(gate for gate in found if decision_path(gate) not in before)

    def decision(self, event: str, gate: str) -> Decision | None:
        """What it decides; None where that cannot be read."""
        found = self.ledger.what[self.ledger.tree(event)[decision_path(gate)]]
        return found if isinstance(found, Decision) else None

    def request(self, event: str, gate: str) -> Request | None:
        """The request of a gate as it is known at this event."""
        found = self.ledger.what[self.request_name(event, gate)]
        return found if isinstance(found, Request) else None

    def request_name(self, event: str, gate: str) -> str:
        return self.ledger.tree(self.requests(event)[gate])[request_path(gate)]

    def approves_policy(self, event: str, gate: str) -> bool:
        """Whether it approves a request that the policy be changed."""
        said = self.decision(event, gate)
        asked = self.request(event, gate) if gate in self.requests(event) else None
        return bool(said and asked and asked.kind == POLICY_CHANGE and said.decision == APPROVED)

    def valid(self, event: str, gate: str) -> bool:
        """Whether the decision counts at its own place."""
        found: bool = self._once(("valid", event, gate), lambda: self._valid(event, gate))
        return found

    def _valid(self, event: str, gate: str) -> bool:
        [before] = self.ledger.parents(event)
        said = self.decision(event, gate)
        if said is None or gate not in self.open_gates(before):
            return False  # it needs its gate to be open there, and the request
        asked = self.request(before, gate)
        if asked is None or not asked.gate == said.gate == gate:
            return False
        if said.request != self.request_name(before, gate) or not self.chain(before):
            return False
        if not self.allowed_under(event, gate, self.chain(before)):
            return False
        if not self.approves_policy(event, gate):
            return True
        if self.chain(self.requests(before)[gate]) != self.chain(before):
            return False
        # A policy is the one that was asked for, and under the one in force.
        after = self.ledger.tree(event).get(POLICY)
        return asked.before == self.in_force(before) and asked.proposes == after != ""

    def counts(self, event: str, gate: str, tip: str) -> bool:
        """Whether the decision may count at a tip, by point 3."""
        known = event in self.ancestors(tip) and self.valid(event, gate)
        return known and self.counts_under(event, gate, self.chain(tip))

    def counts_under(self, event: str, gate: str, chain: tuple[str, ...]) -> bool:
        """The same for a decision that counted at its place, where this chain of policies is in force."""
        if self.approves_policy(event, gate) and event not in chain:
            return False  # the policy gave way, with the decision of its own gate
        return self.allowed_under(event, gate, chain)

    def allowed_under(self, event: str, gate: str, chain: tuple[str, ...]) -> bool:
        """Whether the newest policy of this chain that did not know what was signed allows the decision."""
        mine = self.signature_of(event, gate)
        unaware = [
            one for one in chain if event not in self.ancestors(one) and mine not in self.known_to(one)
        ]
        return bool(unaware) and self.allows(unaware[-1], event, gate)

    def known_to(self, event: str) -> frozenset[Signed | None]:
        """Whatever was signed at an event or before it."""
        found: frozenset[Signed | None] = self._once(("signed", event), lambda: self._known_to(event))
        return found

    def _known_to(self, event: str) -> frozenset[Signed | None]:
        below = [(one, gate) for one in self.ancestors(event) for gate in self.decides(one)]
        return frozenset(self.signature_of(one, gate) for one, gate in below) - {None}

    def signature_of(self, event: str, gate: str) -> Signed | None:
        """What was signed and with which key; None for what is unsigned, or whose signature is over something else."""
        tree, said = self.ledger.tree(event), self.decision(event, gate)
        made = self.ledger.what.get(tree.get(signature_path(gate), ""))
        if said is None or said.approval == UNSIGNED or not isinstance(made, Signature):
            return None
        return (made.over, made.key) if self.ledger.what[made.over] == said.statement else None

    def decisions(self, tip: str) -> dict[str, str]:
        """The gates that are decided at this tip, and the event whose decision counts."""
        found: dict[str, str] = self._once(("decisions", tip), lambda: self._decisions(tip))
        return found

    def _decisions(self, tip: str) -> dict[str, str]:
        claims: dict[str, list[str]] = {}
        for event in self.ancestors(tip):
            for gate in self.decides(event):
                if self.counts(event, gate, tip):
                    claims.setdefault(gate, []).append(event)
        return {gate: self.choose(tip, gate, events) for gate, events in claims.items()}

    def choose(self, tip: str, gate: str, among: list[str]) -> str:
        """Of several that count the tip's own, else the one that counted at a parent, the first parent's before the second's.

        Where neither parent's counts any more, they come back: the one that is met first, by way of the first parent that
        has one.
        """
        if tip in among:
            return tip
        parents = self.ledger.parents(tip)
        for parent in parents:
            if (before := self.decisions(parent).get(gate)) in among:
                return str(before)
        ways = (parent for parent in parents if self.ancestors(parent) & set(among))
        return self.choose(next(ways), gate, among)

    def open_gates(self, tip: str) -> frozenset[str]:
        """A gate is open exactly when it was asked and no decision counts."""
        return frozenset(self.requests(tip)) - frozenset(self.decisions(tip))

    # Who is allowed: by one policy, whatever others say.

    def allows(self, policy_event: str, event: str, gate: str) -> bool:
        """Whether that policy lets the decision's signer decide on this gate."""
        policy = self.ledger.what[self.ledger.tree(policy_event)[POLICY]]
        said, asked = self.decision(event, gate), self.request(event, gate)
        if not isinstance(policy, Policy) or said is None or asked is None:
            return False
        signature = self.ledger.tree(event).get(signature_path(gate), "")
        if said.approval == UNSIGNED:
            if signature or (policy.approvers and policy.minimum == SIGNED):
                return False
        elif not signed_by_reviewer(self.ledger, policy, event, said):
            return False
        return may_decide(policy, said.reviewer, asked.requested_by)

    def expected_tree(self, tip: str) -> dict[str, str]:
        """What governs, as the rule has it at this tip: policy, requests, decisions and open gates."""
        tree = {POLICY: self.in_force(tip)} if self.chain(tip) else {}
        for gate in self.requests(tip):
            tree[request_path(gate)] = self.request_name(tip, gate)
        for gate, event in self.decisions(tip).items():
            theirs = self.ledger.tree(event)
            for path in (decision_path(gate), signature_path(gate)):
                if path in theirs:
                    tree[path] = theirs[path]
        return tree | {open_path(gate): MARKER for gate in self.open_gates(tip)}
