"""gate approve: a person says yes; a proposed TAS or policy is put in place with it, both or neither (DESIGN 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from devs_git.domain import gates
from devs_git.domain.deciding import Answer, checked
from devs_git.storage import deciding
from devs_git.workspace import Workspace


@dataclass(frozen=True)
class Request:
    """How it is proved: `ask` puts the question on a terminal (None: there is none), or `sign` with `key` or ssh-agent,
    or a `signature` that was made elsewhere over the bytes `signed`. `print_bytes` only says what there is to sign.
    """

    gate_id: str
    reason: str = ""
    ask: Callable[[str], None] | None = field(default=None, repr=False)
    sign: bool = False
    key: str = ""
    signature: bytes = b""
    signed: bytes = b""
    print_bytes: bool = False

    def __post_init__(self) -> None:
        checked(self.answer)

    @property
    def answer(self) -> Answer:
        told = {name: value for name, value in vars(self).items() if name != "print_bytes"}
        return Answer(decision=gates.APPROVED, **told)


@dataclass(frozen=True)
class Result:
    """The decision; `commit` and `branch` where a proposed text landed. With `print_bytes`: what there is to sign."""

    gate_id: str
    status: str
    resolution_reason: str | None = None
    reviewer_id: str | None = None
    resolved_at: str | None = None
    approval: str | None = None
    commit: str = ""
    branch: str = ""
    to_sign: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, STALE_REQUEST, GIT_RESET_FAILED, CONFLICT, POLICY_INVALID,
    TERMINAL_REQUIRED, SELF_APPROVAL, UNKNOWN_SIGNER, BAD_SIGNATURE, REPLAYED.
    """
    if request.print_bytes:
        text = deciding.to_sign(workspace, request.answer)
        return Result(request.gate_id, gates.PENDING, to_sign=text)
    done = deciding.decide(workspace, request.answer, "gate approve")
    record = done.record
    return Result(
        request.gate_id,
        record["decision"],
        record["resolution_reason"],
        record["reviewer_id"],
        record["resolved_at"],
        record["approval"],
        done.commit,
        done.branch,
    )
