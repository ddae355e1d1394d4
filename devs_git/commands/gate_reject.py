"""gate reject: a person says no, with a reason that reaches the agent. Nothing of the repository is touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from devs_git.domain import gates
from devs_git.domain.deciding import Answer, checked
from devs_git.storage import deciding
from devs_git.workspace import Workspace


@dataclass(frozen=True)
class Request:
    """As for `gate approve`; `reason` must say something."""

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
        return Answer(decision=gates.REJECTED, **told)


@dataclass(frozen=True)
class Result:
    """The decision. With `print_bytes`: what there is to sign."""

    gate_id: str
    status: str
    resolution_reason: str | None = None
    reviewer_id: str | None = None
    resolved_at: str | None = None
    approval: str | None = None
    to_sign: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND, GATE_ALREADY_RESOLVED, TERMINAL_REQUIRED, SELF_APPROVAL, UNKNOWN_SIGNER, BAD_SIGNATURE, REPLAYED."""
    if request.print_bytes:
        text = deciding.to_sign(workspace, request.answer)
        return Result(request.gate_id, gates.PENDING, to_sign=text)
    record = deciding.decide(workspace, request.answer, "gate reject").record
    return Result(
        request.gate_id,
        record["decision"],
        record["resolution_reason"],
        record["reviewer_id"],
        record["resolved_at"],
        record["approval"],
    )
