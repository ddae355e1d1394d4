"""The content of a ledger's documents, by the oids of their blobs. The rule reads these values and no file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from devs_git.domain.belief import allowed
from devs_git.domain.gates.gate_model import APPROVED, POLICY_CHANGE
from devs_git.domain.gates.policy import Policy
from devs_git.values import field, immutable

UNREADABLE: Final = "LEDGER_MUTATED"


@immutable
class RequestRecord:
    """A request. `gate_id` is the gate that it names. Only a policy change has `policy_before` and `proposes`, the blobs of
    policies, else ''. `after` is the event before it, '' if it names none (version 0.1).
    """

    gate_id: str
    gate_type: str
    requested_by: str = ""
    policy_before: str = ""
    proposes: str = ""
    after: str = ""


@immutable
class DecisionRecord:
    """A decision. `request` is the blob of the request that it answers. `key` is the public key with a valid signature over
    the whole decision, '' if it is unsigned. `flaw` is the code of the reason why it decides nothing, '' for none; `why` is
    that reason in words, and `damaged` a file that cannot be read, if that is the reason. `said` identifies the statement
    that `key` signed: it is the same for each copy.
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
        """A value that all copies of one signed decision share; None if it is unsigned."""
        return (self.said, allowed.same_key(self.key)) if self.key else None

    def sets_policy(self, asked: RequestRecord) -> bool:
        """Whether it sets the policy in force."""
        return asked.gate_type == POLICY_CHANGE and self.decision == APPROVED


@immutable
class Records:
    """Policies and requests by blob; decisions by blob and blob of the signature ('' for none). Unreadable ones are missing."""

    policies: Mapping[str, Policy] = field(default_factory=dict)
    requests: Mapping[str, RequestRecord] = field(default_factory=dict)
    decisions: Mapping[tuple[str, str], DecisionRecord] = field(default_factory=dict)

    def is_copy(self, request: str, parents: tuple[str, ...]) -> bool:
        """Whether a request names an event that is no parent of the event which adds it. Such a copy requests nothing."""
        says = self.requests.get(request)
        return bool(says and says.after and says.after not in parents)
