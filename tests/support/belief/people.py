"""The part of the reference about people: which names are one person, and who may decide."""

from __future__ import annotations

import unicodedata

from tests.support.belief.abstract_ledger import Decision, Ledger, Policy, Signature, signature_path

ROLES = ("researcher", "architect", "developer", "reviewer")


def plain(principal: str) -> str:
    """The form in which principals are compared. Upper and lower case and the Unicode form make no difference."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", principal).casefold())


def person(policy: Policy, principal: str) -> set[str]:
    """All names of this person. Two principals with the same key are one person."""
    names = {plain(principal)}
    rows = (*policy.approvers, *policy.agents)
    while True:
        keys = {row.key for row in rows if row.key and plain(row.principal) in names}
        more = names | {plain(row.principal) for row in rows if row.key in keys}
        if more == names:
            return names
        names = more


def may_decide(policy: Policy, reviewer: str, requested_by: str) -> bool:
    """Whether this person may decide: it is an approver (if the policy names any), no agent, and not the one who asked."""
    same = person(policy, reviewer)
    agents = {*ROLES, *(row.principal for row in policy.agents)}
    if same & {plain(name) for name in agents} or (requested_by and plain(requested_by) in same):
        return False
    names = {plain(row.principal) for row in policy.approvers}
    return not names or plain(reviewer) in names


def signed_by_reviewer(ledger: Ledger, policy: Policy, event: str, said: Decision) -> bool:
    """Whether the decision has a good signature by a key of the person whom it names as reviewer."""
    made = ledger.what.get(ledger.tree(event).get(signature_path(said.gate), ""))
    if not isinstance(made, Signature) or ledger.what[made.over] != said.statement:
        return False
    owners = [row.principal for row in (*policy.agents, *policy.approvers) if row.key == made.key]
    return any(plain(owner) in person(policy, said.reviewer) for owner in owners)
