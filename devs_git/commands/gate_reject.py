"""`gate reject`: a person rejects, with a reason for the agent. Nothing else in the repository changes."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.gates import gate_model
from devs_git.domain.gates.answer import Answer, Outcome, outcome_fields
from devs_git.operations.gates import decide_gate, named_gate
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(Answer):
    """The reason is required."""

    decision: ClassVar[str] = gate_model.REJECTED


Result = Outcome


def settle(workspace: Workspace, request: Request) -> Request:
    """The request with the whole id of its gate."""
    return replace(request, gate_id=named_gate.find(workspace, request.gate_id))


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, TERMINAL_REQUIRED, SELF_APPROVAL, UNKNOWN_SIGNER, BAD_SIGNATURE, REPLAYED."""
    if request.print_bytes:
        return Result(
            request.gate_id, gate_model.PENDING, to_sign=decide_gate.bytes_to_sign(workspace, request)
        )
    return Result(**outcome_fields(decide_gate.decide(workspace, request, "gate reject").record))
