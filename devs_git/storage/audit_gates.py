"""Whether every decision and every policy in a ledger counts, judged by the policy in force at the event before it.

A decision must decide the request beside it, by whoever the policy let decide then, with a signature where it claims
one; a policy after the first must be the one that a decision in the same event approved. Merges bring only what was
judged at its own event. Nothing is read here but what events brought, so that a thousand gates take seconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Final

from devs_git.domain import decisions, gates
from devs_git.domain.audit_ledger import Freezes, Step
from devs_git.domain.gates import Gate
from devs_git.domain.policy import IN_FORCE, PROPOSED, Policy, parse
from devs_git.domain.report import Finding
from devs_git.errors import DevsError
from devs_git.storage import deciding, documents, proposal
from devs_git.storage import gates as store
from devs_git.values import field, immutable, mutable, replace

_FOLDER: Final = "gates/"
_REQUEST, _DECISION, _SIGNATURE = "/request.yaml", "/decision.yaml", "/decision.yaml.sig"


@immutable
class Judged:
    """What the ledger's gates and policies come to.

    `gates` holds every gate whose request can be read, in the order of decisions, its decision None unless it counts;
    `policies` the blob of the policy in force at each event, '' for none.
    """

    findings: tuple[Finding, ...]
    gates: Mapping[str, Gate]
    policies: Mapping[str, str]
    loaded: Mapping[str, Policy | DevsError]

    def policy_at(self, event: str) -> Policy:
        """The policy in force at an event; the defaults where there is none, or none that can be read."""
        found = self.loaded.get(self.policies.get(event, ""))
        return found if isinstance(found, Policy) else parse({})


@immutable
class _Claim:
    """A decision as an event brought it, with the oids of its files ('' where there is none)."""

    step: Step
    gate_id: str
    decision: str
    signature: str


@mutable
class _Court:
    """The work of `judge`: what was read, and what was found."""

    steps: Sequence[Step]
    freezes: Freezes
    blobs: Mapping[str, bytes]
    must_sign: frozenset[str]
    fresh: frozenset[str] | None
    found: list[Finding] = field(default_factory=list)
    gates: dict[str, Gate] = field(default_factory=dict)
    decided: dict[tuple[str, str], Gate] = field(
        default_factory=dict
    )  # by event and gate: two clones may both decide

    def judges(self, step: Step) -> bool:
        return self.fresh is None or step.event.oid in self.fresh

    @cached_property
    def requests(self) -> dict[str, tuple[str, str]]:
        """The oid of every request, and the first event that brought it."""
        oids: dict[str, tuple[str, str]] = {}
        for step in self.steps:
            for change in step.edges[0] if step.edges else ():
                if _is(change.path, _REQUEST) and change.new and not change.old:
                    oids.setdefault(_gate_of(change.path, _REQUEST), (change.new, step.event.oid))
        return oids

    @cached_property
    def claims(self) -> list[_Claim]:
        return [claim for step in self.steps for claim in _claims(step)]

    @cached_property
    def policies(self) -> dict[str, str]:
        held: dict[str, str] = {}
        for step in self.steps:
            before = held.get(step.event.parents[0], "") if step.event.parents else ""
            new = [c.new for c in (step.edges[0] if step.edges else ()) if c.path == IN_FORCE]
            held[step.event.oid] = new[0] if new else before
        return held

    @cached_property
    def loaded(self) -> dict[str, Policy | DevsError]:
        return {oid: _policy(self.blobs.get(oid)) for oid in {*self.policies.values()} - {""}}

    def policy_before(self, step: Step) -> Policy:
        blob = self.policies.get(step.event.parents[0], "") if step.event.parents else ""
        found = self.loaded.get(blob, parse({}))
        if isinstance(found, DevsError):
            raise found
        return found

    def ask(self) -> None:
        """Every request that can be read, as a gate that nobody decided yet."""
        for gate_id, (oid, event) in self.requests.items():
            try:
                self.gates[gate_id] = store.read(gate_id, oid, self.blobs.get(oid, b""), None)
            except DevsError as error:
                text = f"The request of gate {gate_id} cannot be read: {error.message}"
                self.found.append(
                    Finding("LEDGER_MUTATED", "error", text, "See: devs-git verify schemas", event)
                )

    def decide(self) -> None:
        """Look at every decision; the signatures side by side, for each is a child of its own."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            answers = list(pool.map(self._judged, self.claims))
        for claim, answer in zip(self.claims, answers, strict=True):
            if isinstance(answer, DevsError):
                what = answer.message.rstrip(".")
                text = f"Gate {claim.gate_id}, decided by event {claim.step.event.oid[:12]}: {what}."
                self.found.append(_finding(answer.code, text, claim.step))
                continue
            self.decided[claim.step.event.oid, claim.gate_id] = answer
            if not self.gates.get(claim.gate_id, answer).decision:
                self.gates.pop(claim.gate_id, None)  # its place is where it was decided
                self.gates[claim.gate_id] = answer

    def _judged(self, claim: _Claim) -> Gate | DevsError:
        try:
            return self._gate(claim)
        except DevsError as error:
            return error

    def _gate(self, claim: _Claim) -> Gate:
        """The gate with the decision of this claim; raises what is wrong with it."""
        number = self.freezes.numbers.get(claim.gate_id)
        known = self.freezes.known.get(claim.step.event.oid, 0)
        if claim.gate_id not in self.gates or number is None or not known >> number & 1:
            raise DevsError("LEDGER_MUTATED", "its decision decides nothing: there is no request")
        asked = replace(self.gates[claim.gate_id], decision=None)
        gate = store.decided(asked, self.blobs.get(claim.decision, b""))
        if not gate.decision:
            code = gate.flaw if gate.flaw in ("REPLAYED", "STALE_REQUEST") else "LEDGER_MUTATED"
            raise DevsError(code, f"its decision decides nothing: {gate.flaw}")
        signature = self.blobs.get(claim.signature, b"")
        if (gate.decision["approval"] == gates.SIGNED) != bool(signature):
            raise DevsError("BAD_SIGNATURE", "its decision and its signature do not go together")
        said = decisions.of_record(gate.decision, self.steps[0].event.oid)
        proof = deciding.Proof(gate.decision["reviewer_id"], said, signature)
        if self.judges(claim.step):
            deciding.require_allowed(self.policy_before(claim.step), gate, proof)
        if claim.step.event.oid in self.must_sign and not signature:
            raise DevsError("BAD_SIGNATURE", "its decision is unsigned")
        return gate

    def set_policies(self) -> None:
        """Every policy after the first is the one that a decision of the same event approved."""
        for step in self.steps:
            if len(step.event.parents) == 1 and self.judges(step):
                for change in step.edges[0]:
                    if change.path == IN_FORCE and change.old and change.new:
                        self._set_policy(step, change.new)

    def _set_policy(self, step: Step, blob: str) -> None:
        for claim in _claims(step):
            gate = self.decided.get((step.event.oid, claim.gate_id))
            if gate and gate.status == gates.APPROVED and _approved_policy(gate) == blob:
                return
        text = f"Event {step.event.oid[:12]} puts a policy into force that no decision approved."
        self.found.append(_finding("POLICY_INVALID", text, step))


def judge(
    steps: Sequence[Step],
    freezes: Freezes,
    blobs: Mapping[str, bytes],
    *,
    must_sign: frozenset[str],
    fresh: frozenset[str] | None = None,
) -> Judged:
    """Judge the gates and policies of a ledger, whose files are `blobs` by their oids.

    In the events `must_sign` no unsigned decision counts. `fresh` are the events that are judged, None for all.
    """
    court = _Court(steps, freezes, blobs, must_sign, fresh)
    court.ask()
    court.decide()
    court.set_policies()
    return Judged(tuple(court.found), court.gates, court.policies, court.loaded)


def _is(path: str, end: str) -> bool:
    return path.startswith(_FOLDER) and path.endswith(end)


def _gate_of(path: str, end: str) -> str:
    return path[len(_FOLDER) : -len(end)]


def _claims(step: Step) -> Iterator[_Claim]:
    """The decisions that an event of one line brought; what a merge brings was judged at its own event."""
    if len(step.event.parents) != 1:
        return
    added = {change.path: change.new for change in step.edges[0] if not change.old}
    for path, oid in added.items():
        if _is(path, _DECISION):
            gate_id = _gate_of(path, _DECISION)
            yield _Claim(step, gate_id, oid, added.get(f"{_FOLDER}{gate_id}{_SIGNATURE}", ""))


def _policy(data: bytes | None) -> Policy | DevsError:
    try:
        if data is None:
            return DevsError("LEDGER_MISSING", "The policy in force is missing from the object store.")
        return parse(documents.load(data, IN_FORCE, "policy", code="POLICY_INVALID"))
    except DevsError as error:
        return error


def _approved_policy(gate: Gate) -> str:
    """The blob that the policy which a gate proposed has in the ledger; '' where it proposes none."""
    try:
        loaded = documents.load(
            gate.text("proposed_policy").encode(), PROPOSED, "policy", code="POLICY_INVALID"
        )
    except DevsError:
        return ""
    return gates.blob_oid(proposal.in_force(loaded))


def _finding(code: str, text: str, step: Step) -> Finding:
    return Finding(code, "error", text, f"See: git show {step.event.oid[:12]}", step.event.oid)
