"""A person's answer to a gate, before it is proved: the one value that approving and rejecting have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from devs_git.domain import gates, plain_text
from devs_git.errors import invalid

REASON_MOST: Final = 2000


@dataclass(frozen=True)
class Answer:
    """`ask` puts one question on a terminal and raises where the answer is no; None: there is no terminal.

    Signed is what has `sign` (with the private key at `key`, or by ssh-agent), or a `signature` over the bytes `signed`.
    """

    gate_id: str
    decision: str
    reason: str = ""
    ask: Callable[[str], None] | None = field(default=None, repr=False)
    sign: bool = False
    key: str = ""
    signature: bytes = b""
    signed: bytes = b""

    @property
    def approval(self) -> str:
        return gates.SIGNED if self.sign or self.signature else gates.UNSIGNED


def checked(answer: Answer) -> None:
    """INVALID_ARGUMENTS{gate_id, reason, signature, sign}; a rejection needs a reason."""
    gates.gate_id(answer.gate_id)
    least = 1 if answer.decision == gates.REJECTED or answer.reason else 0
    plain_text.checked("reason", answer.reason, least=least, most=REASON_MOST)
    if bool(answer.signature) != bool(answer.signed):
        raise invalid(
            "signature", "A signature comes with the bytes that were signed.", hint="Add: --signed FILE"
        )
    if answer.signature and (answer.sign or answer.key):
        raise invalid("sign", "Sign here or bring a signature, not both.")
