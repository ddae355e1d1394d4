"""What the documents of a ledger say, by the oids of their blobs: the rule reads these values and no file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from devs_git.domain.belief import allowed
from devs_git.domain.gates.gate_model import APPROVED, POLICY_CHANGE
from devs_git.domain.gates.policy import Policy
from devs_git.values import field, immutable

UNREADABLE: Final = "LEDGER_MUTATED"


@immutable
class Asked:
    """A request. `gate_id` is the gate that it names itself; `policy_before` and `proposes` are blobs of policies ('' for none), which
    only a policy change has. `after` is the event that it follows, '' where it names none (version 0.1).
    """

    gate_id: str
    gate_type: str
    requested_by: str = ""
    policy_before: str = ""
    proposes: str = ""
    after: str = ""


@immutable
class Decided:
    """A decision. `request` is the blob of the request that it answers; `key` the public key whose signature over the
    whole decision is good, '' where it is unsigned. `flaw` is the code of what makes it decide nothing, '' for nothing,
    `why` that in words, `damaged` the file of the ledger that cannot be read, where that is why. `said` names the
    statement that `key` signed: the same for each copy, however its files are written.
    """

    gate_id: str
    request: str
    decision: str
    reviewer: str
    approval: str
    key: str = ""
    flaw: str = ""
    why: str = ""
    damaged: str = ""
    said: str = ""

    @property
    def signed(self) -> object:
        """What is the same for all copies of one signed decision; None where it is unsigned."""
        return (self.said, allowed.same_key(self.key)) if self.key else None

    def sets_policy(self, asked: Asked) -> bool:
        """Whether it puts a policy into force."""
        return asked.gate_type == POLICY_CHANGE and self.decision == APPROVED


@immutable
class Records:
    """Policies and requests by blob, decisions by blob and blob of the signature ('' for none). What cannot be read is absent."""

    policies: Mapping[str, Policy] = field(default_factory=dict)
    requests: Mapping[str, Asked] = field(default_factory=dict)
    decisions: Mapping[tuple[str, str], Decided] = field(default_factory=dict)

    def is_copy(self, request: str, parents: tuple[str, ...]) -> bool:
        """Whether a request names another event than those that the event which brings it follows: then that asks nothing."""
        says = self.requests.get(request)
        return bool(says and says.after and says.after not in parents)
