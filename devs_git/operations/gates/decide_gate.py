"""Decide on a gate: what forbids it, who may decide, how that is proved, and the one write.

The order of refusals: not found, already resolved, the state of TAS and policy, then terminal or signature. A person is
asked before the ledger is locked; everything is checked again against the tip that the event is written on.
"""

from __future__ import annotations

from typing import Any, Final

from devs_git.domain.belief import Belief, DecisionRecord, allowed
from devs_git.domain.gates import gate_model, signed_decision
from devs_git.domain.gates.answer import Answer
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.gates.policy import PROPOSED, Policy
from devs_git.domain.gates.signed_decision import Statement
from devs_git.domain.ledger.event_gates import GateDecided, Landing
from devs_git.domain.ledger.events import IN_FORCE, LEDGER, Draft, Event
from devs_git.domain.text.plain_text import cut, printable
from devs_git.errors import DevsError
from devs_git.operations.gates import own_signature
from devs_git.storage.documents import signatures, tas_file, yaml_documents
from devs_git.storage.ledger import checked_tip, gate_files, policy_file
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

_COMMENT: Final = "A decision; written once."
# Lines of a change that a person sees before the question.
_SHOWN: Final = 40


@immutable
class Proof:
    """Who decided, and the proof: a signature over the statement, or only a terminal (then `signature` is empty)."""

    reviewer: str
    statement: Statement
    signature: bytes = b""
    key: str = ""


@immutable
class Resolved:
    """The record of the decision, and the commit that landed the TAS ('' for none)."""

    record: dict[str, Any]
    event: Event
    commit: str = ""
    branch: str = ""


def open_gate(tip: Tip, gate_id: str) -> Gate:
    """The gate, if it is open; GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, LEDGER_MUTATED."""
    gate = gate_files.find(tip, gate_id)
    if gate.flaw:
        raise DevsError(
            "LEDGER_MUTATED",
            f"The ledger has a decision on this gate, but it does not count: {gate.flaw}",
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


def _statement(workspace: Workspace, tip: Tip, gate: Gate, answer: Answer) -> Statement:
    """The statement to sign now, with a new nonce."""
    root = tip.ledger.git.text("rev-list", "--max-parents=0", tip.oid)
    return signed_decision.state(gate, root, answer.decision, answer.reason, workspace.new_nonce())


def bytes_to_sign(workspace: Workspace, answer: Answer) -> str:
    """What a signature of this answer has to cover, as text; reads only."""
    tip = workspace.ledger.require()
    gate = open_gate(tip, answer.gate_id)
    _require_current(workspace, tip, gate, answer.decision)
    return _statement(workspace, tip, gate, answer).canonical().decode()


def decide(workspace: Workspace, answer: Answer, verb: str) -> Resolved:
    """Write the decision and what it puts into effect, or refuse."""
    tip = workspace.ledger.require()
    gate = open_gate(tip, answer.gate_id)
    _require_current(workspace, tip, gate, answer.decision)
    policy = checked_tip.policy_at(tip)
    proof = prove(workspace, policy, gate, _statement(workspace, tip, gate, answer), answer)
    record = _record(gate, answer, proof, workspace.now())

    def build(tip: Tip, landing: Landing | None = None) -> Draft:
        current = open_gate(tip, answer.gate_id)
        _require_policy_current(tip, current, answer.decision)
        require_allowed(checked_tip.policy_at(tip), current, proof)
        if answer.signature:
            _require_unused(tip, current, proof)
        return Draft(_event(workspace, current, record, verb, landing), _files(current, record, proof))

    if signed_decision.lands(gate, answer.decision):
        from devs_git.operations.gates import land_tas

        landed = land_tas.land(workspace, gate, verb, build)
        return Resolved(record, landed.event, landed.commit, landed.branch)
    return Resolved(record, workspace.append(build))


def prove(workspace: Workspace, policy: Policy, gate: Gate, meant: Statement, answer: Answer) -> Proof:
    """The proof of the answer. Only this function asks the person."""
    if answer.approval == gate_model.UNSIGNED:
        proof = Proof(_mail(workspace), meant)
        require_allowed(policy, gate, proof)
        _ask(workspace, gate, answer)
        return proof
    signed = answer.signed if answer.signature else meant.canonical()
    signature = answer.signature or own_signature.make(workspace, policy, signed, answer.key)
    reviewer = signatures.verify(signed, signature, own_signature.signers(policy))
    said = signed_decision.read(signed)
    proof = Proof(reviewer, said or meant, signature, signatures.key_in(signature))
    require_allowed(policy, gate, proof)
    if code := signed_decision.mismatch(said, meant):
        raise _mismatch_error(code)
    return proof


def require_allowed(policy: Policy, gate: Gate, proof: Proof) -> None:
    """SELF_APPROVAL, UNKNOWN_SIGNER or BAD_SIGNATURE if this proof does not count under `policy`."""
    wrong = allowed.refusal(policy, gate.text("requested_by"), proof.reviewer, proof.key, gate.gate_id)
    if wrong:
        raise wrong


def _ask(workspace: Workspace, gate: Gate, answer: Answer) -> None:
    if answer.ask is None:
        raise DevsError(
            "TERMINAL_REQUIRED",
            "Only a person at a terminal can make an unsigned decision.",
            hint=f"At a terminal: devs-git gate show {gate.gate_id}. Or sign the decision: add --sign",
        )
    if workspace.agent_variable:
        raise DevsError(
            "TERMINAL_REQUIRED",
            f"An agent runs here ({workspace.agent_variable} is set), and agents do not decide.",
            hint="Decide in a terminal of your own, or sign the decision: add --sign",
            variable=workspace.agent_variable,
        )
    what = printable(cut(gate.text("blocker_description"), 120), "")
    verb = "Approve" if answer.decision == gate_model.APPROVED else "Reject"
    lands = " The proposed text goes into the TAS." if signed_decision.lands(gate, answer.decision) else ""
    asked = f"{gate.gate_type} by {_asker(workspace, gate)}: {what}"
    answer.ask("\n".join((asked, *_change(workspace, gate), f"{verb} it?{lands}")))


def _change(workspace: Workspace, gate: Gate) -> list[str]:
    """The first lines of what would change: the words of a request may say something else."""
    from devs_git.operations.gates import gate_change  # only a person at a terminal needs it

    before = tas_file.text(workspace.store_git, gate.text("tas_before"))
    lines = gate_change.as_diff(workspace.ledger.tip(), gate, before).splitlines()
    more = f"More lines are not shown ({len(lines) - _SHOWN}). See: devs-git gate show {gate.gate_id}"
    return [*lines[:_SHOWN], more] if len(lines) > _SHOWN else lines


def _asker(workspace: Workspace, gate: Gate) -> str:
    """Who asked: whom the request names, or the role, or the author of the event that has the request."""
    if named := gate.text("requested_by") or gate.text("agent_id"):
        return named
    told = ("--no-patch", "--max-count=1", "--diff-filter=A", "--format=%ae")
    git, path = workspace.store_git, gate_files.request_path(gate.gate_id)
    return printable(git.text("log", *told, LEDGER, "--", path), "") or "somebody"


def _mail(workspace: Workspace) -> str:
    return workspace.identity[1]


def _mismatch_error(code: str) -> DevsError:
    messages = {
        "REPLAYED": "The signature is for another gate or another repository.",
        "STALE_REQUEST": "The signature is for another request or another text.",
        "BAD_SIGNATURE": "The signature is for another decision or another reason.",
    }
    return DevsError(
        code, messages[code], hint="Sign what this prints: devs-git gate approve <gate_id> --print-bytes"
    )


def _require_current(workspace: Workspace, tip: Tip, gate: Gate, decision: str) -> None:
    _require_policy_current(tip, gate, decision)
    if signed_decision.lands(gate, decision):
        from devs_git.operations.gates import land_tas

        land_tas.require_current(workspace, gate)


def _require_policy_current(tip: Tip, gate: Gate, decision: str) -> None:
    """A policy change is approved only if the policy has not changed since the request, and if the new one is valid."""
    if gate.gate_type != gate_model.POLICY_CHANGE or decision != gate_model.APPROVED:
        return
    before = tip.read(IN_FORCE)
    same = (None if before is None else gate_model.blob_oid(before)) == gate.request.get("policy_before")
    belief = _belief(tip) if same else None
    # A later policy may have the same text as the one of the request, and is still another policy.
    if not belief or belief.asked_under(gate.gate_id) != belief.policy(tip.oid):
        raise DevsError(
            "STALE_REQUEST",
            "The policy in force has changed since this request.",
            hint=f"Reject it and ask again: devs-git gate reject {gate.gate_id} --reason stale",
            gate_id=gate.gate_id,
        )
    policy_file.check(gate.text("proposed_policy").encode(), PROPOSED, tip)


def _require_unused(tip: Tip, gate: Gate, proof: Proof) -> None:
    """REPLAYED for a signature that was used before and lost its effect to a policy: it does not count again."""
    said = proof.statement.canonical().decode()
    says = DecisionRecord(
        gate.gate_id, gate.request_oid, "", proof.reviewer, gate_model.SIGNED, proof.key, said=said
    )
    if _belief(tip).brought(tip.oid, says):
        raise DevsError(
            "REPLAYED",
            "This signature was used before, and a policy cancelled its decision.",
            hint=f"Make a new signature of what this prints: devs-git gate approve {gate.gate_id} --print-bytes",
            gate_id=gate.gate_id,
        )


def _belief(tip: Tip) -> Belief:
    """The rule of belief, applied to the ledger up to this tip."""
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
        files.append((IN_FORCE, policy_file.in_force(loaded)))
    return tuple(files)


def _event(
    workspace: Workspace, gate: Gate, record: dict[str, Any], verb: str, landing: Landing | None
) -> Event:
    what = "policy change" if gate.gate_type == gate_model.POLICY_CHANGE else f"gate {gate.gate_id}"
    content = GateDecided(
        gate_id=gate.gate_id,
        gate_type=gate.gate_type,
        task=gate.text("task_id"),
        decision=record["decision"],
        approval=record["approval"],
        reviewer=record["reviewer_id"],
        landing=landing,
    )
    subject = f"gate: {content.reviewer} {content.decision.lower()} {what} ({content.approval})"
    return workspace.event_of(content, subject, verb_name=verb)
