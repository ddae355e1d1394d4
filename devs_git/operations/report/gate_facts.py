"""The gates of a report: each question, and each decision that an event of the ledger has, with the result of the rule of belief."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from devs_git.domain.belief.claims import Claim
from devs_git.domain.gates import gate_model
from devs_git.domain.ledger.events import Event
from devs_git.domain.report.facts import Decision, Gate
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import gate_files
from devs_git.storage.ledger.audit_facts import Facts


def read(facts: Facts) -> Iterator[Gate]:
    """All gates in the order of their requests."""
    events = {step.event.oid: step.event for step in facts.steps}
    walk, judgement = facts.belief.walk, facts.judgement
    claims: dict[str, list[Claim]] = {}
    for claim in walk.claims:
        claims.setdefault(claim.files.gate_id, []).append(claim)
    stands = {name: claim.number for name, claim in facts.belief.claims(facts.tip).items()}
    for gate_id in sorted(walk.names, key=lambda name: walk.askers[name][0]):
        event = events[facts.belief.events[walk.askers[gate_id][0]]]
        decisions = tuple(
            _decision(facts, events, claim, counts=stands.get(gate_id) == claim.number)
            for claim in claims.get(gate_id, ())
        )
        yield _gate(judgement.gates.get(gate_id), gate_id, event, decisions)


def _gate(gate: gate_model.Gate | None, gate_id: str, event: Event, decisions: tuple[Decision, ...]) -> Gate:
    asked: Mapping[str, Any] = gate.request if gate else {}
    changes: Mapping[str, Any] = asked.get("proposed_changes") or {}
    status = next((one.decision for one in decisions if one.counts), gate_model.PENDING)
    return Gate(
        gate_id=gate_id,
        gate_type=str(asked.get("gate_type") or ""),
        status=status,
        question=str(asked.get("blocker_description") or ""),
        rationale=str(changes.get("rationale") or ""),
        risk=str(changes.get("risk_assessment") or ""),
        sections=tuple(map(str, changes.get("sections_to_modify") or ())),
        agent=str(asked.get("agent_id") or ""),
        asked_by=event.actor,
        task_id=str(asked.get("task_id") or ""),
        branch=str(asked.get("branch") or ""),
        asked_at=event.finished,
        event=event.oid,
        decisions=decisions,
        unreadable=gate is None,
    )


def _decision(facts: Facts, events: Mapping[str, Event], claim: Claim, *, counts: bool) -> Decision:
    event = events[facts.belief.events[claim.at]]
    says, record = claim.says, _record(facts, claim)
    why = "" if counts else "Another decision of this gate counts."
    if claim.wrong:
        why = f"{claim.wrong.code}: {claim.wrong.message.rstrip('.')}."
    return Decision(
        event=event.oid,
        decision=says.decision if says else "unreadable",
        reason=str(record.get("resolution_reason") or ""),
        reviewer=says.reviewer if says else event.actor,
        at=str(record.get("resolved_at") or event.finished),
        approval=says.approval if says else "",
        key=_fingerprint(says.key) if says and says.key else "",
        counts=counts,
        why_not=why,
    )


def _record(facts: Facts, claim: Claim) -> Mapping[str, Any]:
    """The file of a decision; {} if it cannot be read."""
    data = facts.documents.blobs.get(claim.files.decision)
    path = gate_files.decision_path(claim.files.gate_id)
    try:
        return yaml_documents.load(data, path, code="LEDGER_MUTATED") if data else {}
    except DevsError:
        return {}


def _fingerprint(key: str) -> str:
    """The fingerprint of a public key as `ssh-keygen -l` prints it."""
    kind, text = key.split()[:2]
    digest = hashlib.sha256(base64.b64decode(text)).digest()
    return f"{kind} SHA256:{base64.b64encode(digest).decode().rstrip('=')}"
