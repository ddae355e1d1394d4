"""`gate approve`: a person approves; the proposed TAS or policy takes effect with the decision, both or neither."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.gates import gate_model
from devs_git.domain.gates.answer import Answer, Outcome, outcome_fields
from devs_git.operations.gates import decide_gate, named_gate
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(Answer):
    """The reason is optional."""

    decision: ClassVar[str] = gate_model.APPROVED


@immutable
class Result(Outcome):
    """`commit` and `branch`: where the proposed text landed; '' otherwise."""

    commit: str = ""
    branch: str = ""


def settle(workspace: Workspace, request: Request) -> Request:
    """The request with the whole id of its gate."""
    return replace(request, gate_id=named_gate.find(workspace, request.gate_id))


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, STALE_REQUEST, CONFLICT {paths}, POLICY_INVALID,
    TERMINAL_REQUIRED, SELF_APPROVAL, UNKNOWN_SIGNER, BAD_SIGNATURE, REPLAYED.
    """
    if request.print_bytes:
        return Result(
            request.gate_id, gate_model.PENDING, to_sign=decide_gate.bytes_to_sign(workspace, request)
        )
    done = decide_gate.decide(workspace, request, "gate approve")
    return Result(**outcome_fields(done.record), commit=done.commit, branch=done.branch)
