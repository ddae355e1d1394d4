"""The gates of a ledger for `verify` and a server: each request, and the decision that counts at the tip."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping

from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.belief import Belief
from devs_git.domain.belief.verdict import finding_of_decision
from devs_git.domain.gates.gate_model import APPROVED, Gate
from devs_git.domain.gates.policy import Policy, parse
from devs_git.errors import DevsError
from devs_git.storage.ledger import gate_files
from devs_git.storage.ledger.belief import Documents
from devs_git.values import immutable, replace


@immutable
class Judgement:
    """The gates and policies of a ledger, judged.

    `gates` has every gate whose request can be read. Its decision is None unless it counts at the tip; decided gates are
    in the order of their decisions. `approved` has the gates with an approval that was valid at its own event. `damaged`
    has the findings for gates with an unreadable file: nobody knows when these gates were open.
    """

    findings: tuple[Finding, ...]
    gates: Mapping[str, Gate]
    approved: Mapping[str, Gate]
    belief: Belief
    read: Documents
    damaged: Mapping[str, Finding]

    def policy_at(self, event: str) -> Policy:
        """The policy in force at an event; the defaults if there is none or if it cannot be read."""
        return self._policy(self.belief.policy_blob(event))

    def policies(self) -> list[Policy]:
        """The policies that were in force at some event, in the order of the events."""
        walk = self.belief.walk
        numbers = dict.fromkeys(state.policy for state in walk.states)
        return [self._policy(walk.policies.get(number, "")) for number in numbers]

    def _policy(self, blob: str) -> Policy:
        return self.read.policies.get(blob) or parse({})


def judge(belief: Belief, read: Documents, tip: str, shape: Iterable[Finding] = ()) -> Judgement:
    """Judge the gates and policies of a ledger at `tip` by the rule of belief. `shape` are findings about its trees."""
    asked = {gate_id: read.gates.get(blob) for gate_id, blob in _requests(belief)}
    there = {gate_id: gate for gate_id, gate in asked.items() if gate}

    # Most decisions of the tip are also among the approved ones: each is read once.
    @functools.cache
    def gate_with(gate_id: str, decision: str) -> Gate:
        return gate_files.with_decision(replace(there[gate_id], decision=None), read.blobs.get(decision, b""))

    approved = {
        claim.files.gate_id: gate_with(claim.files.gate_id, claim.files.decision)
        for claim in belief.walk.claims
        if not claim.wrong and claim.says and claim.says.decision == APPROVED and claim.files.gate_id in there
    }
    for gate_id, claim in belief.claims(tip).items():
        if gate_id in there:
            gate = gate_with(gate_id, claim.files.decision)
            # Decided gates are in the order of their decisions.
            del there[gate_id]
            there[gate_id] = gate
    unread = dict(_unreadable_requests(belief, read))
    reported = {one.where for one in belief.findings if one.code == "LEDGER_MUTATED"}
    found = (*belief.findings, *(one for one in shape if one.where not in reported), *unread.values())
    return Judgement(found, there, approved, belief, read, {**dict(_damaged_decisions(belief)), **unread})


def _damaged_decisions(belief: Belief) -> Iterator[tuple[str, Finding]]:
    for claim in belief.walk.claims:
        if claim.wrong and claim.wrong.details.get("damaged"):
            yield (
                claim.files.gate_id,
                finding_of_decision(claim.files.gate_id, claim.wrong, belief.events[claim.at]),
            )


def _requests(belief: Belief) -> Iterator[tuple[str, str]]:
    walk = belief.walk
    yield from zip(walk.names, walk.requests, strict=True)


def _unreadable_requests(belief: Belief, read: Documents) -> Iterator[tuple[str, Finding]]:
    for gate_id, blob in _requests(belief):
        error: DevsError | None = read.unreadable.get(blob)
        if error:
            text = f"The request of gate {gate_id} cannot be read: {error.message}"
            where = belief.events[belief.walk.askers[gate_id][0]]
            file = IN_LEDGER + gate_files.request_path(gate_id)
            found = Finding("LEDGER_MUTATED", "error", text, "See: devs-git verify schemas", where, file=file)
            yield gate_id, found
