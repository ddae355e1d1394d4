"""What approving and rejecting a gate have in common: a person's answer, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from devs_git.domain.gates import gate_model
from devs_git.domain.text import plain_text
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.values import field, immutable

REASON_MOST: Final = 2000


@immutable
class Answer(VerbRequest):
    """`ask` asks one question on a terminal and raises if the answer is no. It is None if there is no terminal.

    The answer is signed if `sign` is set (with the private key at `key`, or by ssh-agent), or with a `signature` over the
    bytes `signed`. `print_bytes` only prints the bytes to sign. `decision` is the verb's decision.
    """

    decision: ClassVar[str]

    gate_id: str
    reason: str = ""
    ask: Callable[[str], None] | None = field(default=None, repr=False)
    sign: bool = False
    key: str = ""
    signature: bytes = b""
    signed: bytes = b""
    print_bytes: bool = False

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{gate_id, reason, signature, sign}; a rejection needs a reason."""
        gate_model.gate_name(self.gate_id)
        if self.decision == gate_model.REJECTED and not self.reason:
            hint = 'Say why: --reason "We keep the old format."'
            raise invalid("reason", "A rejection needs a reason.", hint=hint)
        least = 1 if self.decision == gate_model.REJECTED or self.reason else 0
        plain_text.check_text("reason", self.reason, least=least, most=REASON_MOST)
        if bool(self.signature) != bool(self.signed):
            raise invalid(
                "signature", "A signature needs the bytes that were signed.", hint="Add: --signed FILE"
            )
        if self.signature and (self.sign or self.key):
            raise invalid("sign", "Sign here or give a signature, not both.")

    @property
    def approval(self) -> str:
        return gate_model.SIGNED if self.sign or self.signature else gate_model.UNSIGNED


@immutable
class Outcome:
    """The decision. With `print_bytes`: the waiting gate's status, and the bytes to sign."""

    gate_id: str
    status: str
    resolution_reason: str | None = None
    reviewer_id: str | None = None
    resolved_at: str | None = None
    approval: str | None = None
    to_sign: str = ""


def outcome_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """The members of an outcome that are in the decision's record."""
    same = ("gate_id", "resolution_reason", "reviewer_id", "resolved_at", "approval")
    return {"status": record["decision"], **{name: record[name] for name in same}}
