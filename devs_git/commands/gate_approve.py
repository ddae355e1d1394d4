"""gate approve: a person says yes; a proposed TAS or policy is put in place with it, both or neither (DESIGN 2)."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain import gates
from devs_git.domain.deciding import Answer, Outcome, told
from devs_git.storage import deciding
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(Answer):
    """A reason is welcome, but not needed."""

    decision: ClassVar[str] = gates.APPROVED


@immutable
class Result(Outcome):
    """`commit` and `branch` where a proposed text landed."""

    commit: str = ""
    branch: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, STALE_REQUEST, GIT_RESET_FAILED, CONFLICT, POLICY_INVALID,
    TERMINAL_REQUIRED, SELF_APPROVAL, UNKNOWN_SIGNER, BAD_SIGNATURE, REPLAYED.
    """
    if request.print_bytes:
        return Result(request.gate_id, gates.PENDING, to_sign=deciding.to_sign(workspace, request))
    done = deciding.decide(workspace, request, "gate approve")
    return Result(**told(done.record), commit=done.commit, branch=done.branch)
