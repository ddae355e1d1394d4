"""The reference: a slow and simple implementation of the rule of belief. Tests compare the program's function with it.

It was written from the text of the rule, and shares no code with the program. It computes each answer anew from sets and
mappings, without any optimisation. The rule has these points:

1. One beginning. There is one genesis, which holds no policy. `policy.yaml` is added by exactly one event, and every event
   that asks, decides or changes a policy has that event among its ancestors.
2. Which policy is in force. The policies form a chain: each was requested and approved under the one before it. The chain
   is made of events, because a later event may have a policy with the same text. After a merge, the policy of the second
   parent is in force if its chain continues the chain of the first parent. If not, the policy of the first parent is.
3. Which decisions count. A decision counts at a tip if two policies allow its signer: the policy in force at the parent of
   the decision, and the newest policy of the tip's chain that does not have the decision among its ancestors. If two
   decisions on one gate could count, the one that counted at a parent counts, that of the first parent before that of
   the second. A gate is open exactly if none of its decisions counts. Several events may have the same signed decision.
   They are one decision: a policy has it among its ancestors if it has any of these events.
4. What a merge may add. It adds only files below `superseded/`, and `open/<id>` for exactly the open gates. Only one event
   adds `gates/<id>/request.yaml`, and each decision on the gate has this event among its ancestors.
5. Memory. A receiver refuses a ledger that does not contain its old tip. It refuses a ledger whose chain of policies does
   not begin with the whole chain of the old tip. It refuses a ledger where a decision no longer counts that counted at the
   old tip and that counts by point 3.
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
    """The rule for one ledger. If the ledger grows, the answers about older events stay right."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.known: dict[Any, Any] = {}  # earlier answers, to save time

    def _once(self, key: Any, ask: Any) -> Any:
        if key not in self.known:
            self.known[key] = ask()
        return self.known[key]

    def ancestors(self, event: str) -> frozenset[str]:
        found: frozenset[str] = self._once(("ancestors", event), lambda: self.ledger.ancestors(event))
        return found

    # Point 2: which policy is in force.

    def chain(self, event: str) -> tuple[str, ...]:
        """The events that put the policies into force: from the first policy to the one in force at this tip."""
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
        """Whether a gate that set one of these policies has another decision at `event`, which also counts under the chain.

        Then two clones answered one request differently. The answer of the first parent counts, and the policy does not.
        """
        answers = self.decisions(event)
        gates = {gate: policy for policy in policies for gate in self.decides(policy)}
        other = [(answers[g], g) for g, policy in gates.items() if answers.get(g, policy) != policy]
        return any(self.counts_under(answer, gate, chain) for answer, gate in other)

    def sets_policy(self, event: str) -> bool:
        """Whether this event puts a policy into force."""
        if self.begins_policy(event):
            return True
        return any(
            self.approves_policy(event, gate) and self.valid(event, gate) for gate in self.decides(event)
        )

    def begins_policy(self, event: str) -> bool:
        """Whether it adds the first `policy.yaml`, which needs no decision."""
        parents = self.ledger.parents(event)
        if len(parents) != 1 or self.chain(parents[0]):
            return False
        return POLICY in self.ledger.tree(event) and POLICY not in self.ledger.tree(parents[0])

    def in_force(self, event: str) -> str:
        """The name of the policy in force at this tip; '' if there is none."""
        chain = self.chain(event)
        return self.ledger.tree(chain[-1])[POLICY] if chain else ""

    # What is asked.

    def requests(self, event: str) -> dict[str, str]:
        """Each gate that was requested up to this tip, with the event that requested it."""
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
        """The gates that this event requests. A request that names the event before it counts only after that event: else it is a copy."""
        parents, tree, what = self.ledger.parents(event), self.ledger.tree(event), self.ledger.what
        said = {gate: what[tree[request_path(gate)]] for gate in self.adds_requests(event)}
        follows = {gate: one.after for gate, one in said.items() if isinstance(one, Request)}
        return tuple(gate for gate in said if follows.get(gate, "") in ("", *parents))

    def adds_requests(self, event: str) -> tuple[str, ...]:
        """The gates of which this event adds the file of the request."""
        parents = self.ledger.parents(event)
        if len(parents) > 1:
            return ()
        before = self.ledger.tree(parents[0]) if parents else {}
        known = self.requests(parents[0]) if parents else {}
        new = gates_with(self.ledger.tree(event), "request.yaml")
        return tuple(gate for gate in new if gate not in known and request_path(gate) not in before)

    # Point 3: which decisions count.

    def decides(self, event: str) -> tuple[str, ...]:
        """The gates to which this event adds a decision, valid or not. A merge decides nothing."""
        parents = self.ledger.parents(event)
        if len(parents) != 1:
            return ()
        before, after = self.ledger.tree(parents[0]), self.ledger.tree(event)
        found = gates_with(after, "decision.yaml")
        return tuple(gate for gate in found if decision_path(gate) not in before)

    def decision(self, event: str, gate: str) -> Decision | None:
        """The decision that this event adds; None if it cannot be read."""
        found = self.ledger.what[self.ledger.tree(event)[decision_path(gate)]]
        return found if isinstance(found, Decision) else None

    def request(self, event: str, gate: str) -> Request | None:
        """The request of a gate at this event; None if it cannot be read."""
        found = self.ledger.what[self.request_name(event, gate)]
        return found if isinstance(found, Request) else None

    def request_name(self, event: str, gate: str) -> str:
        return self.ledger.tree(self.requests(event)[gate])[request_path(gate)]

    def approves_policy(self, event: str, gate: str) -> bool:
        """Whether it approves a change of the policy."""
        said = self.decision(event, gate)
        asked = self.request(event, gate) if gate in self.requests(event) else None
        return bool(said and asked and asked.kind == POLICY_CHANGE and said.decision == APPROVED)

    def valid(self, event: str, gate: str) -> bool:
        """Whether the decision counts at the event that adds it."""
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
        """The decision that counts, of several that could: the tip's own, else that of the first parent, else of the second.

        If neither parent's decision could count, the search goes on below the first parent that has one of them.
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
        """The gates that were requested and of which no decision counts."""
        return frozenset(self.requests(tip)) - frozenset(self.decisions(tip))

    # Who is allowed: by one policy, whatever others say.

    def allows(self, policy_event: str, event: str, gate: str) -> bool:
        """Whether this policy allows the signer of the decision to decide on this gate."""
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
        """The files that govern, as they must be at this tip: policy, requests, decisions and open gates."""
        tree = {POLICY: self.in_force(tip)} if self.chain(tip) else {}
        for gate in self.requests(tip):
            tree[request_path(gate)] = self.request_name(tip, gate)
        for gate, event in self.decisions(tip).items():
            theirs = self.ledger.tree(event)
            for path in (decision_path(gate), signature_path(gate)):
                if path in theirs:
                    tree[path] = theirs[path]
        return tree | {open_path(gate): MARKER for gate in self.open_gates(tip)}
