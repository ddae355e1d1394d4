"""`gate wait`: wait until a person has decided. Tier 0."""

from __future__ import annotations

from devs_git.domain.gates import gate_model
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.gates import named_gate
from devs_git.storage.ledger import gate_files, watch
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`timeout`: in seconds. None: no limit. 0: do not wait."""

    gate_id: str
    timeout: float | None = None

    def __post_init__(self) -> None:
        gate_model.gate_name(self.gate_id)
        if self.timeout is not None and not 0 <= self.timeout < float("inf"):
            raise invalid("timeout", "The timeout must be a number of seconds, or a span such as 10min.")


@immutable
class Result:
    """The decision. With `timed_out` there is none yet."""

    gate_id: str
    status: str
    resolution_reason: str | None
    reviewer_id: str | None
    resolved_at: str | None
    approval: str | None
    timed_out: bool


def settle(workspace: Workspace, request: Request) -> Request:
    """The request with the whole id of its gate."""
    return replace(request, gate_id=named_gate.find(workspace, request.gate_id))


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND at once, and why nobody may believe the ledger, because an agent acts on the answer."""
    gate = _look(workspace, request.gate_id)
    for moved in watch.looks(workspace.places.common, request.timeout):
        gate = _look(workspace, request.gate_id) if moved else gate
        if gate.decision:
            break
        workspace.progress(f"Waiting for a person to decide on gate {request.gate_id}", 0, 0)
    workspace.progress("", 1, 1)
    return _result(gate)


def _look(workspace: Workspace, gate_id: str) -> Gate:
    tip = workspace.ledger.require()
    workspace.require_believed()
    return gate_files.find(tip, gate_id)


def _result(gate: Gate) -> Result:
    decision = {key: (gate.decision or {}).get(key) for key in _COPIED}
    return Result(gate.gate_id, gate.status, **decision, timed_out=gate.decision is None)


_COPIED = ("resolution_reason", "reviewer_id", "resolved_at", "approval")
