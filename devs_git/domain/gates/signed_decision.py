"""The bytes that a signature on a decision covers, and the code if they are not the expected ones.

The bytes are text, one line for each fact, so that a person can read them before signing elsewhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.gates.gate_model import APPROVED, Gate
from devs_git.values import fields, immutable

NAMESPACE: Final = "devs-gate@v1"
NONE: Final = "-"
_VALUE: Final = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)


@immutable
class Statement:
    """A decision as it is signed. Oids are full. `tas_before` and `tas_after` are '-' if there is none.

    `repository` is the ledger's genesis, `reason` the SHA-256 of the reason's UTF-8 bytes ('-' without a reason).
    """

    repository: str
    gate: str
    request: str
    tas_before: str
    tas_after: str
    decision: str
    nonce: str
    reason: str

    def canonical(self) -> bytes:
        """The bytes to sign, always the same for the same statement."""
        lines = (f"{name.replace('_', '-')} {getattr(self, name)}\n" for name in fields(self))
        return (f"{NAMESPACE}\n" + "".join(lines)).encode()


def state(gate: Gate, repository: str, decision: str, reason: str, nonce: str) -> Statement:
    """The statement to sign for this decision on this gate."""
    return Statement(
        repository=repository,
        gate=gate.gate_id,
        request=gate.request_oid,
        tas_before=gate.request.get("tas_before") or NONE,
        tas_after=gate.request.get("tas_after") or NONE,
        decision=decision,
        nonce=nonce,
        reason=reason_digest(reason),
    )


def of_record(record: Mapping[str, Any], repository: str) -> Statement:
    """The statement that the signature of a decision in the ledger must cover."""
    return Statement(
        repository=repository,
        gate=record["gate_id"],
        request=record["request"],
        tas_before=record["tas_before"] or NONE,
        tas_after=record["tas_after"] or NONE,
        decision=record["decision"],
        nonce=record["nonce"],
        reason=reason_digest(record["resolution_reason"] or ""),
    )


def reason_digest(reason: str) -> str:
    return hashlib.sha256(reason.encode()).hexdigest() if reason else NONE


def read(data: bytes) -> Statement | None:
    """The statement in signed bytes; None if they are not exactly in the form of `canonical`."""
    names = list(fields(Statement))
    lines = data.decode("ascii", "replace").split("\n")[1:-1]
    words = [line.partition(" ")[2] for line in lines]
    if len(words) != len(names) or not all(_VALUE.fullmatch(word) for word in words):
        return None
    found = Statement(**dict(zip(names, words, strict=True)))
    return found if found.canonical() == data else None


def mismatch(said: Statement | None, meant: Statement) -> str:
    """The code if a signed statement is not the expected one, else ''. The nonce may differ."""
    if said is None:
        return "BAD_SIGNATURE"
    if (said.repository, said.gate) != (meant.repository, meant.gate):
        return "REPLAYED"
    if (said.request, said.tas_before, said.tas_after) != (meant.request, meant.tas_before, meant.tas_after):
        return "STALE_REQUEST"
    return "" if (said.decision, said.reason) == (meant.decision, meant.reason) else "BAD_SIGNATURE"


def lands(gate: Gate, decision: str) -> bool:
    """Whether the decision lands a proposed text in the repository."""
    return decision == APPROVED and gate.proposed_text is not None
