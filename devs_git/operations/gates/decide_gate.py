"""Deciding on a gate: what stands against it, who may, how that is proved, and the one write.

Refusals come in the order of the house: not found, resolved already, the state of TAS and policy, then terminal or
signature. A person is asked before any lock is taken; everything is looked at again against the tip that is written to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from devs_git.domain.belief import Belief, Decided, allowed
from devs_git.domain.gates import gate_model, signed_decision
from devs_git.domain.gates.answer import Answer
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.gates.policy import IN_FORCE, PROPOSED, Approver, Policy
from devs_git.domain.gates.signed_decision import Statement
from devs_git.domain.ledger.event_gates import GateDecided, Landing
from devs_git.domain.ledger.events import Draft, Event
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError
from devs_git.operations.gates import land_tas
from devs_git.storage.documents import signatures, yaml_documents
from devs_git.storage.ledger import checked_tip, gate_files, tracked_policy
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

_COMMENT: Final = "A decision; written once."


@immutable
class Proof:
    """Who decided, and what proves it: a signature over the statement, or nothing but a terminal."""

    reviewer: str
    statement: Statement
    signature: bytes = b""
    key: str = ""


@immutable
class Resolved:
    """What came of it: the decision's record, and the commit that landed the TAS ('' where none did)."""

    record: dict[str, Any]
    event: Event
    commit: str = ""
    branch: str = ""


def open_gate(tip: Tip, gate_id: str) -> Gate:
    """The gate, which waits; GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, LEDGER_MUTATED."""
    gate = gate_files.find(tip, gate_id)
    if gate.flaw:
        raise DevsError(
            "LEDGER_MUTATED",
            f"The ledger has a decision on this gate that does not count: {gate.flaw}",
            hint="See: devs-git verify ledger",
            gate_id=gate_id,
        )
    if gate.decision:
        who = printable(str(gate.decision["reviewer_id"]), "")
        raise DevsError(
            "GATE_ALREADY_RESOLVED",
            f"Gate {gate_id} was {gate.status.lower()} by {who}.",
            hint=f"See: devs-git gate show {gate_id}",
            gate_id=gate_id,
        )
    return gate


def _statement(place: Workspace, tip: Tip, gate: Gate, answer: Answer) -> Statement:
    """What there is to sign now, with a new nonce."""
    root = tip.ledger.git.text("rev-list", "--max-parents=0", tip.oid)
    return signed_decision.state(gate, root, answer.decision, answer.reason, place.new_nonce())


def bytes_to_sign(place: Workspace, answer: Answer) -> str:
    """The bytes that a signature of this answer covers, as text; nothing is written."""
    tip = place.ledger.require()
    gate = open_gate(tip, answer.gate_id)
    _require_current(place, tip, gate, answer.decision)
    return _statement(place, tip, gate, answer).canonical().decode()


def decide(place: Workspace, answer: Answer, verb: str) -> Resolved:
    """Write the decision, with what follows from it, or refuse."""
    tip = place.ledger.require()
    gate = open_gate(tip, answer.gate_id)
    _require_current(place, tip, gate, answer.decision)
    policy = checked_tip.policy_at(tip)
    proof = prove(place, policy, gate, _statement(place, tip, gate, answer), answer)
    record = _record(gate, answer, proof, place.now())

    def build(tip: Tip, landing: Landing | None = None) -> Draft:
        current = open_gate(tip, answer.gate_id)
        _require_policy_current(tip, current, answer.decision)
        require_allowed(checked_tip.policy_at(tip), current, proof)
        if answer.signature:
            _require_unused(tip, current, proof)
        return Draft(_event(place, current, record, verb, landing), _files(current, record, proof))

    if signed_decision.lands(gate, answer.decision):
        return Resolved(record, *land_tas.land(place, gate, verb, build))
    return Resolved(record, place.append(build))


def prove(place: Workspace, policy: Policy, gate: Gate, meant: Statement, answer: Answer) -> Proof:
    """The proof that the answer comes with; the person is asked here, and only here."""
    if answer.approval == gate_model.UNSIGNED:
        proof = Proof(_mail(place), meant)
        require_allowed(policy, gate, proof)
        _ask(place, gate, answer)
        return proof
    signed = answer.signed if answer.signature else meant.canonical()
    signature = answer.signature or _sign(place, policy, signed, answer.key)
    reviewer = signatures.verify(signed, signature, _signers(policy))
    said = signed_decision.read(signed)
    proof = Proof(reviewer, said or meant, signature, signatures.key_in(signature))
    require_allowed(policy, gate, proof)
    if code := signed_decision.mismatch(said, meant):
        raise _not_meant(code)
    return proof


def _signers(policy: Policy) -> tuple[Approver, ...]:
    """Whose keys are known. Agents' first: a key that stands in both lists is an agent's."""
    return (*policy.agents, *policy.approvers)


def require_allowed(policy: Policy, gate: Gate, proof: Proof) -> None:
    """SELF_APPROVAL, UNKNOWN_SIGNER, BAD_SIGNATURE: whether this proof counts under `policy`."""
    wrong = allowed.refusal(policy, gate.text("requested_by"), proof.reviewer, proof.key, gate.gate_id)
    if wrong:
        raise wrong


def _ask(place: Workspace, gate: Gate, answer: Answer) -> None:
    if answer.ask is None:
        raise DevsError(
            "TERMINAL_REQUIRED",
            "An unsigned decision is made by a person at a terminal.",
            hint=f"At a terminal: devs-git gate show {gate.gate_id}; or sign: add --sign",
        )
    if place.agent_variable:
        raise DevsError(
            "TERMINAL_REQUIRED",
            f"An agent runs here ({place.agent_variable} is set), and agents do not decide.",
            hint="Decide in a terminal of your own, or sign: add --sign",
            variable=place.agent_variable,
        )
    what = printable(gate_model.cut(gate.text("blocker_description"), 120), "")
    verb = "Approve" if answer.decision == gate_model.APPROVED else "Reject"
    lands = " The proposed text goes into the TAS." if signed_decision.lands(gate, answer.decision) else ""
    answer.ask(f"{gate.gate_type} by {gate.text('agent_id') or 'somebody'}: {what}\n{verb} it?{lands}")


def _mail(place: Workspace) -> str:
    return place.identity[1]


def _sign(place: Workspace, policy: Policy, message: bytes, key: str) -> bytes:
    if key:
        return signatures.sign(message, Path(key).expanduser())
    with_key = [one for one in policy.approvers if one.key]
    mine = [one for one in with_key if one.principal == _mail(place)] or with_key
    if len(mine) != 1:
        raise DevsError(
            "UNKNOWN_SIGNER",
            "The policy in force names no key for you."
            if not mine
            else "It is not clear which key is yours.",
            hint="Name it: --key ~/.ssh/id_ed25519",
        )
    with signatures.key_file(mine[0].key) as path:
        return signatures.sign(message, path)


def _not_meant(code: str) -> DevsError:
    told = {
        "REPLAYED": "The signature is for another gate or another repository.",
        "STALE_REQUEST": "The signature is for another request or another text.",
        "BAD_SIGNATURE": "What was signed is not this decision with this reason.",
    }
    return DevsError(
        code, told[code], hint="Sign what this prints: devs-git gate approve <gate_id> --print-bytes"
    )


def _require_current(place: Workspace, tip: Tip, gate: Gate, decision: str) -> None:
    _require_policy_current(tip, gate, decision)
    if signed_decision.lands(gate, decision):
        land_tas.require_current(place, gate)


def _require_policy_current(tip: Tip, gate: Gate, decision: str) -> None:
    """A policy change is approved against the policy that it was asked under, and only if it can be in force."""
    if gate.gate_type != gate_model.POLICY_CHANGE or decision != gate_model.APPROVED:
        return
    before = tip.read(IN_FORCE)
    same = (None if before is None else gate_model.blob_oid(before)) == gate.request.get("policy_before")
    belief = _belief(tip) if same else None
    # A later policy may have the words of the one under which this was asked, and is another.
    if not belief or belief.asked_under(gate.gate_id) != belief.policy(tip.oid):
        raise DevsError(
            "STALE_REQUEST",
            "The policy in force has changed since this was asked.",
            hint=f"Reject it and ask again: devs-git gate reject {gate.gate_id} --reason stale",
            gate_id=gate.gate_id,
        )
    tracked_policy.check(gate.text("proposed_policy").encode(), PROPOSED, tip)


def _require_unused(tip: Tip, gate: Gate, proof: Proof) -> None:
    """REPLAYED: a signature that was brought once and gave way to a policy decides nothing a second time."""
    said = proof.statement.canonical().decode()
    says = Decided(
        gate.gate_id, gate.request_oid, "", proof.reviewer, gate_model.SIGNED, proof.key, said=said
    )
    if _belief(tip).brought(tip.oid, says):
        raise DevsError(
            "REPLAYED",
            "This signature decided the gate before, and a policy took its decision away.",
            hint=f"Sign anew what this prints: devs-git gate approve {gate.gate_id} --print-bytes",
            gate_id=gate.gate_id,
        )


def _belief(tip: Tip) -> Belief:
    """What the rule says of the ledger up to this tip."""
    from devs_git.storage.ledger.audit_facts import Facts

    return Facts(tip.ledger, tip.ledger.git, tip.oid, "", "").belief


def _record(gate: Gate, answer: Answer, proof: Proof, now: str) -> dict[str, Any]:
    return {
        "gate_id": gate.gate_id,
        "decision": answer.decision,
        "resolution_reason": answer.reason or None,
        "reviewer_id": proof.reviewer,
        "resolved_at": now,
        "approval": answer.approval,
        "request": gate.request_oid,
        "tas_before": gate.request.get("tas_before"),
        "tas_after": gate.request.get("tas_after"),
        "nonce": proof.statement.nonce,
    }


def _files(gate: Gate, record: dict[str, Any], proof: Proof) -> tuple[tuple[str, bytes | None], ...]:
    data = yaml_documents.dump(record, gate_files.DECISION_SCHEMA, comment=_COMMENT)
    files: list[tuple[str, bytes | None]] = [
        (gate_files.decision_path(gate.gate_id), data),
        (gate_files.marker_path(gate.gate_id), None),
    ]
    if proof.signature:
        files.append((gate_files.signature_path(gate.gate_id), proof.signature))
    if gate.gate_type == gate_model.POLICY_CHANGE and record["decision"] == gate_model.APPROVED:
        loaded = yaml_documents.load(
            gate.text("proposed_policy").encode(), PROPOSED, "policy", code="POLICY_INVALID"
        )
        files.append((IN_FORCE, tracked_policy.in_force(loaded)))
    return tuple(files)


def _event(place: Workspace, gate: Gate, record: dict[str, Any], verb: str, landing: Landing | None) -> Event:
    what = "policy change" if gate.gate_type == gate_model.POLICY_CHANGE else f"gate {gate.gate_id}"
    said = GateDecided(
        gate_id=gate.gate_id,
        gate_type=gate.gate_type,
        task=gate.text("task_id"),
        decision=record["decision"],
        approval=record["approval"],
        reviewer=record["reviewer_id"],
        landing=landing,
    )
    subject = f"gate: {said.reviewer} {said.decision.lower()} {what} ({said.approval})"
    return place.event_of(said, subject, verb_name=verb)
