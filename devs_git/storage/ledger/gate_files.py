"""The files of a gate in the ledger: `gates/<id>/request.yaml`, `gates/<id>/decision.yaml`, `open/<id>`.

All files are read at one tip. An invalid file means a damaged ledger, except for a decision: an invalid decision does not
count, and its gate is still open.
"""

from __future__ import annotations

from collections.abc import Mapping

from devs_git.domain.gates import gate_model
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.errors import DevsError
from devs_git.storage.git.objects import TREE
from devs_git.storage.ledger.store import Tip
from devs_git.values import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devs_git.domain.gates.policy import Policy

REQUEST_SCHEMA, REVISION_SCHEMA, DECISION_SCHEMA = "gate-request", "tas-revision-request", "decision"


def request_path(gate_id: str) -> str:
    return f"gates/{gate_id}/request.yaml"


def decision_path(gate_id: str) -> str:
    return f"gates/{gate_id}/decision.yaml"


def signature_path(gate_id: str) -> str:
    return f"gates/{gate_id}/decision.yaml.sig"


def marker_path(gate_id: str) -> str:
    return f"open/{gate_id}"


def marker(gate_type: str) -> bytes:
    """The content of the marker of an open gate."""
    return f"{gate_type}\n".encode()


def schema_of(gate_type: str) -> str:
    """The noun of the schema of a request."""
    return REVISION_SCHEMA if gate_type == gate_model.TAS_REVISION else REQUEST_SCHEMA


def all_ids(tip: Tip) -> tuple[str, ...]:
    """The ids of all gates, open and decided."""
    return tip.names("gates")


def open_ids(tip: Tip) -> tuple[str, ...]:
    """The ids of the open gates, which freeze write work."""
    return tip.names("open")


def find(tip: Tip, gate_id: str) -> Gate:
    """The gate with its decision. GATE_NOT_FOUND, LEDGER_MUTATED."""
    entry = tip.ledger.list_path(tip.tree, f"gates/{gate_id}").get("request.yaml") if tip.oid else None
    if entry is None or entry.mode == TREE:
        raise gate_model.unknown_gate(gate_id)
    data = tip.ledger.file(entry.oid)
    return read(gate_id, entry.oid, data, tip.read(decision_path(gate_id)))


def read(gate_id: str, request_oid: str, request: bytes, decision: bytes | None) -> Gate:
    """The gate from the bytes of its two files. LEDGER_MUTATED if `request` is not a valid request."""
    gate = Gate(gate_id, _load_request(request, request_path(gate_id)), request_oid)
    return gate if decision is None else with_decision(gate, decision)


def _load_request(data: bytes, path: str) -> Mapping[str, Any]:
    # Late, here and below: mostly no gate is open.
    from devs_git.storage.documents import schemas, yaml_documents

    request = yaml_documents.load(data, path, code="LEDGER_MUTATED")
    noun = schema_of(str(request.get("gate_type")))
    if wrong := next(schemas.problems(noun, request), None):
        raise DevsError(
            "LEDGER_MUTATED", f"{path} is not a valid request: {wrong[1]}.", hint="Run: devs-git doctor"
        )
    proposed = (request.get("proposed_changes") or {}).get("proposed_text")
    after = None if proposed is None else gate_model.blob_oid(proposed.encode())
    if request.get("tas_after") != after:
        # A person reads the text but signs its oid.
        raise DevsError(
            "LEDGER_MUTATED",
            f"{path} is not a valid request: tas_after does not name the text that it proposes.",
            hint="Call a person and do not answer this gate. See: devs-git verify ledger",
        )
    return request


def with_decision(gate: Gate, data: bytes) -> Gate:
    """The gate with this decision. If the decision is not valid, the gate has the `flaw` instead."""
    from devs_git.storage.documents import yaml_documents

    try:
        decision = yaml_documents.load(
            data, decision_path(gate.gate_id), DECISION_SCHEMA, code="LEDGER_MUTATED"
        )
    except DevsError as error:
        return Gate(gate.gate_id, gate.request, gate.request_oid, flaw=error.message)
    flaw = gate_model.flaw_of(decision, gate.gate_id, gate.request_oid, gate.request)
    return Gate(gate.gate_id, gate.request, gate.request_oid, None if flaw else decision, flaw)


def active_revision(tip: Tip) -> str:
    """The id of the open gate of type TAS_REVISION; '' if there is none."""
    return next((one for one in open_ids(tip) if find(tip, one).gate_type == gate_model.TAS_REVISION), "")


def policy_of(tip: Tip) -> Policy:
    """The policy in the tree of an event that was already judged. POLICY_INVALID."""
    # Late: who reads gates often needs no policy.
    from devs_git.domain.gates.policy import parse
    from devs_git.storage.documents import yaml_documents

    data = tip.read(IN_FORCE)
    return parse({} if data is None else yaml_documents.load(data, IN_FORCE, "policy", code="POLICY_INVALID"))
