"""The rule, event by event, parents first: what is in force, asked, decided and open at each.

The state of an event does not depend on its tree, but on the requests, decisions and policies that it and the events
below it brought (`trees` compares the two). Gates and decisions are bits of whole numbers, so that a ledger of a
hundred thousand events is walked in a second. In short:

- A policy is the event that set it. After a merge the second parent's is in force where it descends from the first's
  by the chain of policies and the first parent has no other answer to its gates that counts; otherwise the first's.
- A decision is good at its place if the policy in force there allows it and its gate is open there.
- It counts at an event if it is good at its place, and if the newest policy in the chain in force that does not have
  it among its ancestors allows it, too. One that set a policy counts exactly where that policy is in the chain.
- All copies of what somebody signed once are one decision: a policy has it among its ancestors if it has one of them.
- Of several that count for one gate, the one that stood at the first parent, else the one that stood at the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.audit_ledger import Step
from devs_git.domain.belief import claims, layout
from devs_git.domain.belief.claims import Claim, Place
from devs_git.domain.belief.layout import Brought
from devs_git.domain.belief.records import Records
from devs_git.domain.policy import IN_FORCE
from devs_git.errors import DevsError
from devs_git.values import field, immutable, mutable, replace

NONE: Final = -1


@immutable
class State:
    """What holds at one event. `asked` and `decided` are masks of gates, `known` of decisions; `policy` is the number of
    the event that set the policy in force (NONE before the first), `below` that of the nearest event at or below it
    that joins two lines or decides.
    """

    policy: int = NONE
    asked: int = 0
    decided: int = 0
    known: int = 0
    below: int = NONE


@mutable
class Walk:
    """A ledger as it is walked. Events are numbered in the order of `visit`, parents first.

    `must_sign` are the events whose decisions do not count unsigned; `first` is the event of the first policy, where
    somebody who is believed named it.
    """

    records: Records
    must_sign: frozenset[str] = frozenset()
    first: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    oids: list[str] = field(default_factory=list)
    parents: list[tuple[int, ...]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    held: list[str] = field(
        default_factory=list
    )  # the policy in the tree of each event, whatever the rule says
    gates: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    askers: dict[str, list[int]] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    of_gate: dict[int, list[int]] = field(default_factory=dict)
    copies: dict[object, int] = field(
        default_factory=dict
    )  # masks of the decisions with one signed statement
    chains: dict[int, tuple[int, ...]] = field(default_factory=dict)
    policies: dict[int, str] = field(default_factory=dict)
    setters: dict[int, int] = field(default_factory=dict)
    firsts: list[int] = field(default_factory=list)
    counted: dict[tuple[int, int], bool] = field(default_factory=dict)
    picked: dict[tuple[int, int], Claim] = field(default_factory=dict)
    contested: int = 0

    def visit(self, step: Step) -> int:
        """The number of this event, whose parents were visited."""
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

    def _add(self, step: Step, at: int) -> None:
        """What an event of one line adds: requests, decisions, a policy."""
        # Decisions first: a request in the same event is none that somebody could have read.
        made = [self._claim(files, step, at) for files in layout.brought(step)]
        for gate, blob in layout.added(step, layout.REQUEST):
            # What somebody took out against the rule was asked before; to put it back asks nothing.
            known = self.states[at].asked >> self.gates.get(gate, len(self.names)) & 1
            if not known and not self.records.is_copy(blob, step.event.parents):
                self._ask(gate, blob, at)
        state = self.states[at]
        for claim in made:
            bit = 0 if claim.wrong else 1 << claim.gate
            state = State(state.policy, state.asked, state.decided | bit, state.known | 1 << claim.number, at)
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
        self.states[at] = State(state.policy, asked, state.decided, state.known, state.below)

    def _set_policy(self, at: int, blob: str) -> None:
        state = self.states[at]
        self.chains[at] = (*self.chains.get(state.policy, ()), at)
        self.policies[at] = blob
        self.states[at] = State(at, state.asked, state.decided, state.known, state.below)

    def _claim(self, files: Brought, step: Step, at: int) -> Claim:
        gate = self.gates.get(files.gate_id, NONE)
        says = self.records.decisions.get((files.decision, files.signature))
        asked = self.records.requests.get(self.requests[gate]) if gate != NONE else None
        claim = Claim(len(self.claims), at, gate, files, says, asked)
        if says and says.signed:
            self.copies[says.signed] = self._same(claim)
        claim = replace(claim, wrong=claims.wrong(claim, self._place(claim, step)))
        self.claims.append(claim)
        others = self.of_gate.setdefault(gate, [])
        others.append(claim.number)
        if len(others) > 1 and gate != NONE:
            self.contested |= 1 << gate
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
        return claims.refused(claim, self.records.policies.get(self.policies[policy]))

    def counts(self, number: int, policy: int) -> bool:
        """Whether a decision counts wherever it is known and the policy `policy` is in force."""
        key = (number, policy)
        if key not in self.counted:
            self.counted[key] = self._counts(self.claims[number], policy)
        return self.counted[key]

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
        """The decision with all others that were visited and bring what it says with the same signature's key."""
        signed = claim.says.signed if claim.says else None
        return self.copies.get(signed, 0) | 1 << claim.number

    def why_not(self, number: int, at: int) -> str:
        """Why a decision does not count at an event that knows it, in words; '' where it counts."""
        claim, policy = self.claims[number], self.states[at].policy
        if self.counts(number, policy):
            return ""
        if claim.wrong:
            return claim.wrong.message
        if claim.sets_policy:
            return "The policy that it set gave way."
        judge = self._judge(claim, policy)
        found = self._refusal(claim, judge) if judge != NONE else None
        return found.message if found else "There is no policy that allows it."

    def _joined(self, at: int, sides: Sequence[State]) -> State:
        """The state of an event with several parents; two, if it is sound."""
        policy, asked, decided, known = sides[0].policy, 0, 0, 0
        for side in sides[1:]:
            if policy == NONE or (
                policy in self.chains.get(side.policy, ()) and not self._outvoted(side.policy, policy, at)
            ):
                policy = side.policy
        for side in sides:
            asked, known = asked | side.asked, known | side.known
            decided |= side.decided if side.policy == policy else self._decided(side.known, policy)
        return State(policy, asked, decided, known, at)

    def _outvoted(self, policy: int, before: int, at: int) -> bool:
        """Whether the first parent has another answer to a gate by which `policy` came after `before`, and one that
        `policy` itself lets count: then a policy is not in force whose own gate was decided otherwise.
        """
        first = self.parents[at][0]
        for event in self.chains[policy][len(self.chains[before]) :]:
            other = self.chosen(first, self.claims[self.setters[event]].gate)
            if other and other.at != event and self.counts(other.number, policy):
                return True
        return False

    def _decided(self, known: int, policy: int) -> int:
        """The gates on which one of the decisions `known` counts under a policy."""
        mask = 0
        for number in bits(known):
            if self.counts(number, policy):
                mask |= 1 << self.claims[number].gate
        return mask

    def chosen(self, at: int, gate: int) -> Claim | None:
        """The decision that counts for a gate at an event."""
        state = self.states[at]
        if gate == NONE or not state.decided >> gate & 1:
            return None
        wanted = 0
        for number in self.of_gate[gate]:
            if state.known >> number & 1 and self.counts(number, state.policy):
                wanted |= 1 << number
        if not wanted & (wanted - 1):
            return self.claims[wanted.bit_length() - 1]
        at = state.below
        if (at, gate) not in self.picked:
            self.picked[at, gate] = self._pick(at, gate, wanted)
        return self.picked[at, gate]

    def _pick(self, at: int, gate: int, wanted: int) -> Claim:
        """Of several decisions that count at an event which decides or joins, the one that stands.

        Its own; else the one that stood at the first parent, or at the second: no honest merge changes what its first
        parent had.
        """
        while True:
            here = next((n for n in bits(wanted) if self.claims[n].at == at), None)
            if here is not None:
                return self.claims[here]
            # Along one line nothing changes, and it may be long: only what joins two is looked at.
            for parent in self.parents[at] if len(self.parents[at]) > 1 else ():
                stood = self.chosen(parent, gate)
                if stood and wanted >> stood.number & 1:
                    return stood
            # They come back: the one that is met first, by way of the first parent that has one.
            way = next(parent for parent in self.parents[at] if wanted & self.states[parent].known)
            at = self.states[way].below


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
