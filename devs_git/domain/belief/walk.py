"""The rule, event by event, parents first: what is in force, asked, decided and open at each.

The state of an event does not depend on its tree, but on the requests, decisions and policies that the event and its
ancestors added (`trees` compares the two). Sets of gates and decisions are bit masks: a ledger of 100,000 events takes a
second, and a merge costs what it changes, not what was decided before. In short:

- A policy is the event that set it. After a merge the second parent's is in force if it descends from the first's
  by the chain of policies and the first parent has no other answer to its gates that counts; otherwise the first's.
- A decision is valid at its event if the policy in force there allows it and its gate is open there.
- It counts at an event if it is valid at its own event, and if the newest policy in the chain in force that does not
  have it among its ancestors allows it, too. One that set a policy counts exactly where that policy is in the chain.
- All copies of what somebody signed once are one decision: a policy has it among its ancestors if it has one of them.
- Of several that count for one gate, the one that stood at the first parent, else the one that stood at the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from devs_git.domain.audit.ledger_shape import Step
from devs_git.domain.belief import claims, layout
from devs_git.domain.belief.claims import Claim, Place
from devs_git.domain.belief.layout import Brought
from devs_git.domain.belief.masks import bits
from devs_git.domain.belief.records import Records
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.errors import DevsError
from devs_git.values import field, immutable, mutable, replace

NONE: Final = -1


@immutable
class State:
    """The state at one event. `asked` and `decided` are masks of gates. `known` and `stands` are masks of decisions: for each
    decided gate one stands. `policy` is the number of the event that set the policy in force (NONE before the first).
    `below` is the number of the nearest event, this one or an ancestor, that is a merge or decides.
    """

    policy: int = NONE
    asked: int = 0
    decided: int = 0
    known: int = 0
    stands: int = 0
    below: int = NONE


@mutable
class Walk:
    """The state of a walk through a ledger. Events are numbered in the order of `visit`, parents first.

    `must_sign` are the events in which unsigned decisions do not count. `first` is the event of the first policy, if a
    trusted source names it.
    """

    records: Records
    must_sign: frozenset[str] = frozenset()
    first: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    oids: list[str] = field(default_factory=list)
    parents: list[tuple[int, ...]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    # The policy in the tree of each event, whatever the rule says.
    held: list[str] = field(default_factory=list)
    gates: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    askers: dict[str, list[int]] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    # Masks of the decisions on each gate.
    of_gate: dict[int, int] = field(default_factory=dict)
    # Masks of the decisions with one signed statement.
    copies: dict[object, int] = field(default_factory=dict)
    chains: dict[int, tuple[int, ...]] = field(default_factory=dict)
    policies: dict[int, str] = field(default_factory=dict)
    setters: dict[int, int] = field(default_factory=dict)
    firsts: list[int] = field(default_factory=list)
    # For each policy the decisions that were compared with it, and those that count.
    asked_about: dict[int, tuple[int, int]] = field(default_factory=dict)

    def visit(self, step: Step) -> int:
        """Visit an event, after its parents, and return its number."""
        at = len(self.states)
        self.numbers[step.event.oid] = at
        self.oids.append(step.event.oid)
        self.parents.append(tuple(self.numbers[oid] for oid in step.event.parents if oid in self.numbers))
        before = [self.states[parent] for parent in self.parents[at]]
        held = self.held[self.parents[at][0]] if before else ""
        self.held.append(next((c.new for c in layout.first_edge(step) if c.path == IN_FORCE), held))
        self.states.append(self._joined(at, before) if len(before) > 1 else before[0] if before else State())
        if len(before) < 2:
            self._add(step, at)
        return at

    def pass_by(self, step: Step) -> None:
        """Visit an event with one parent that changes no file that governs."""
        parent = self.numbers[step.event.parents[0]]
        self.numbers[step.event.oid] = len(self.states)
        self.oids.append(step.event.oid)
        self.parents.append((parent,))
        self.held.append(self.held[parent])
        self.states.append(self.states[parent])

    def _add(self, step: Step, at: int) -> None:
        """Add the requests, decisions and policy of an event with one parent."""
        # Decisions first: nobody could have read a request of the same event.
        made = [self._claim(files, step, at) for files in layout.decisions_of(step)]
        for gate, blob in layout.added_files(step, layout.REQUEST):
            # To restore a request that somebody removed against the rule requests nothing new.
            known = self.states[at].asked >> self.gates.get(gate, len(self.names)) & 1
            if not known and not self.records.is_copy(blob, step.event.parents):
                self._ask(gate, blob, at)
        state = self.states[at]
        for claim in made:
            decides, bit = 0 if claim.wrong else 1 << claim.gate, 1 << claim.number
            # An odd tree may have two entries of one name: the first is read.
            stands = state.stands | (bit if decides & ~state.decided else 0)
            state = State(state.policy, state.asked, state.decided | decides, state.known | bit, stands, at)
        self.states[at] = state
        sets = next((claim for claim in made if claim.sets_policy and not claim.wrong), None)
        if sets and sets.asked:
            self.setters[at] = sets.number
            self._set_policy(at, sets.asked.proposes)
        elif state.policy == NONE:
            first = next((c.new for c in layout.first_edge(step) if c.path == IN_FORCE and not c.old), "")
            if first:
                self.firsts.append(at)
            pinned = self.first in ("", step.event.oid)
            if first and pinned and step.event.parents:
                self._set_policy(at, first)

    def _ask(self, gate: str, blob: str, at: int) -> None:
        if gate not in self.gates:
            self.gates[gate] = len(self.names)
            self.names.append(gate)
            self.requests.append(blob)
        self.askers.setdefault(gate, []).append(at)
        state = self.states[at]
        asked = state.asked | 1 << self.gates[gate]
        self.states[at] = State(state.policy, asked, state.decided, state.known, state.stands, state.below)

    def _set_policy(self, at: int, blob: str) -> None:
        state = self.states[at]
        self.chains[at] = (*self.chains.get(state.policy, ()), at)
        self.policies[at] = blob
        self.states[at] = State(at, state.asked, state.decided, state.known, state.stands, state.below)

    def _claim(self, files: Brought, step: Step, at: int) -> Claim:
        gate = self.gates.get(files.gate_id, NONE)
        says = self.records.decisions.get((files.decision, files.signature))
        asked = self.records.requests.get(self.requests[gate]) if gate != NONE else None
        claim = Claim(len(self.claims), at, gate, files, says, asked)
        if says and says.signed:
            self.copies[says.signed] = self._same(claim)
        claim = replace(claim, wrong=claims.wrong(claim, self._place(claim, step)))
        self.claims.append(claim)
        self.of_gate[gate] = self.of_gate.get(gate, 0) | 1 << claim.number
        return claim

    def _place(self, claim: Claim, step: Step) -> Place:
        before = self.states[claim.at]
        known = claim.gate != NONE
        policy = self.policies.get(before.policy, "")
        judge = self._judge(claim, before.policy)
        asked_at = self.states[self.askers[claim.files.gate_id][0]] if known else State()
        return Place(
            asked=known and bool(before.asked >> claim.gate & 1),
            decided=known and bool(before.decided >> claim.gate & 1),
            request=self.requests[claim.gate] if known else "",
            policy=policy,
            asked_under=asked_at.policy == before.policy,
            rules=self.records.policies.get(self.policies.get(judge, "")),
            again=judge != before.policy,
            held=self.held[claim.at],
            must_sign=step.event.oid in self.must_sign,
            readable=claim.asked is not None and claim.asked.proposes in self.records.policies,
        )

    def _refusal(self, claim: Claim, policy: int) -> DevsError | None:
        """Why a policy does not allow this decision."""
        return claims.policy_refusal(claim, self.records.policies.get(self.policies[policy]))

    def counts(self, number: int, policy: int) -> bool:
        """Whether a decision counts where it is known and `policy` is in force."""
        return bool(self._counting(1 << number, policy))

    def _counting(self, mask: int, policy: int) -> int:
        """The decisions of `mask` that count under a policy. Each result is remembered."""
        done, count = self.asked_about.get(policy, (0, 0))
        new = mask & ~done
        if new:
            for number in bits(new):
                count |= self._counts(self.claims[number], policy) << number
            self.asked_about[policy] = (done | new, count)
        return mask & count

    def _counts(self, claim: Claim, policy: int) -> bool:
        if claim.wrong or policy == NONE:
            return False
        if claim.sets_policy:
            return claim.at in self.chains[policy]
        judge = self._judge(claim, policy)
        return judge != NONE and self._refusal(claim, judge) is None

    def _judge(self, claim: Claim, policy: int) -> int:
        """The newest policy of the chain of `policy` that has no copy of this decision among its ancestors."""
        same = self._same(claim)
        chain = reversed(self.chains.get(policy, ()))
        return next((one for one in chain if not self.states[one].known & same), NONE)

    def _same(self, claim: Claim) -> int:
        """The mask of a decision and its copies with the same key that were visited."""
        signed = claim.says.signed if claim.says else None
        return self.copies.get(signed, 0) | 1 << claim.number

    def why_not(self, number: int, at: int) -> str:
        """Why a decision does not count at an event that knows it, in words; '' if it counts."""
        claim, policy = self.claims[number], self.states[at].policy
        if self.counts(number, policy):
            return ""
        if claim.wrong:
            return claim.wrong.message
        if claim.sets_policy:
            return "The policy that it set is no longer in force."
        judge = self._judge(claim, policy)
        found = self._refusal(claim, judge) if judge != NONE else None
        return found.message if found else "No policy allows it."

    def _joined(self, at: int, sides: Sequence[State]) -> State:
        """The state of a merge, which has two parents if it is valid."""
        policy, asked, known = sides[0].policy, 0, 0
        for side in sides[1:]:
            if policy == NONE or (
                policy in self.chains.get(side.policy, ()) and not self._outvoted(side.policy, policy, at)
            ):
                policy = side.policy
        for side in sides:
            asked, known = asked | side.asked, known | side.known
        decided, stands = self._standing(at, sides, policy, known)
        return State(policy, asked, decided, known, stands, at)

    def _standing(self, at: int, sides: Sequence[State], policy: int, known: int) -> tuple[int, int]:
        """The decided gates of a merge of `sides`, and which of the decisions `known` stand there.

        The decision of the first parent stands if it counts; else that of the second; else an earlier one stands again.
        """
        first = sides[0]
        stands = self._counting(first.stands, policy)
        decided = first.decided ^ self.gates_of(first.stands ^ stands)
        # A side with the policy in force has applied it to all decisions that it knows: only the others are examined.
        new = known
        for side in sides:
            for number in bits(self._counting(side.stands & new & ~stands, policy)):
                if not decided >> self.claims[number].gate & 1:
                    decided, stands = decided | 1 << self.claims[number].gate, stands | 1 << number
            if side.policy == policy:
                new &= ~side.known
        for number in bits(self._counting(new, policy)):
            gate = self.claims[number].gate
            if not decided >> gate & 1:
                wanted = self._counting(known & self.of_gate[gate], policy)
                decided, stands = decided | 1 << gate, stands | self._comes_back(at, wanted)
        return decided, stands

    def _comes_back(self, at: int, wanted: int) -> int:
        """Of the decisions `wanted`, which stand at no parent, the nearest one, through the first parent that knows one."""
        while True:
            # Nothing changes along one line, which may be long: only merges and decisions are examined.
            at = self.states[next(p for p in self.parents[at] if wanted & self.states[p].known)].below
            own = wanted & self.states[at].known
            for parent in self.parents[at]:
                if stood := wanted & self.states[parent].stands:
                    return stood
                own &= ~self.states[parent].known
            if own:
                return own & -own

    def gates_of(self, mask: int) -> int:
        """The gates of some decisions."""
        gates = 0
        for number in bits(mask):
            gates |= 1 << self.claims[number].gate
        return gates

    def _outvoted(self, policy: int, before: int, at: int) -> bool:
        """Whether the first parent has another decision on a gate that led from `before` to `policy`, and `policy` lets that
        decision count. Then `policy` is not in force, because its own gate was decided differently.
        """
        first = self.parents[at][0]
        for event in self.chains[policy][len(self.chains[before]) :]:
            other = self.decision_on(first, self.claims[self.setters[event]].gate)
            if other and other.at != event and self.counts(other.number, policy):
                return True
        return False

    def decision_on(self, at: int, gate: int) -> Claim | None:
        """The decision that counts for a gate at an event."""
        found = self.states[at].stands & self.of_gate.get(gate, 0)
        return self.claims[found.bit_length() - 1] if found else None
