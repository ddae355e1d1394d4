"""Whether a policy lets a decision count: who decided, with which key, and who asked.

Two principals of a policy with one key are one person.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from functools import cache

from devs_git.domain.checkpoints.commit_trailers import AGENTS
from devs_git.domain.gates.deciders import principal, who_decides
from devs_git.domain.gates.gate_model import SIGNED
from devs_git.domain.gates.policy import Approver, Policy
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError


@cache
def same_key(key: str) -> tuple[str, bytes]:
    """A public key in the form for comparison: its kind and bytes, without the comment."""
    kind, text = [*key.split()[:2], "", ""][:2]
    try:
        return kind, base64.b64decode(text)
    except ValueError:
        return kind, text.encode()


def holders(key: str, among: Iterable[Approver]) -> list[Approver]:
    """Those of `among` with this key."""
    return [one for one in among if one.key and same_key(one.key) == same_key(key)]


def person(policy: Policy, name: str) -> frozenset[str]:
    """All principals of a policy that are the same person as `name`, because they share keys, directly or by others."""
    found = {principal(name)}
    listed = (*policy.agents, *policy.approvers)
    grown = True
    while grown:
        keys = {same_key(one.key) for one in listed if one.key and principal(one.principal) in found}
        more = {principal(one.principal) for one in listed if one.key and same_key(one.key) in keys} - found
        found |= more
        grown = bool(more)
    return frozenset(found)


def _other(policy: Policy, *, is_approver: bool) -> str:
    """Who may decide instead."""
    if not policy.approvers:
        return "Another person"
    return "Another approver" if is_approver else "An approver"


def _way_out(policy: Policy, reviewer: str) -> str:
    at_terminal = "The policy in force names no approver, so decide at a terminal, without a signature: devs-git gate approve ID"
    return who_decides(policy, reviewer) or at_terminal


def refusal(
    policy: Policy, requested_by: str, reviewer: str, key: str, gate_id: str = ""
) -> DevsError | None:
    """Why a decision by `reviewer` does not count under `policy`; None if it counts.

    `key` is that of its signature, '' for none. BAD_SIGNATURE, SELF_APPROVAL, UNKNOWN_SIGNER.
    """
    if not key and policy.approvers and policy.approval_minimum == SIGNED:
        return DevsError(
            "BAD_SIGNATURE",
            "The policy in force asks for a signed decision.",
            hint=f"Sign it: devs-git gate approve {gate_id} --sign" if gate_id else "",
        )
    if key and not (found := holders(key, (*policy.agents, *policy.approvers))):
        return DevsError(
            "UNKNOWN_SIGNER",
            "No approver of the policy in force has the key of this signature.",
            hint=_way_out(policy, reviewer),
        )
    if key and principal(reviewer) not in {principal(one.principal) for one in found}:
        who = printable(found[0].principal, "")
        return DevsError("BAD_SIGNATURE", f"The signature is by {who}, not by {printable(reviewer, '')}.")
    same = person(policy, reviewer)
    agents = {principal(one.principal) for one in policy.agents} | {principal(name) for name in AGENTS}
    is_approver = principal(reviewer) in {principal(one.principal) for one in policy.approvers}
    if same & agents or (requested_by and principal(requested_by) in same):
        reason = "this is an agent" if same & agents else "they asked for this"
        return DevsError(
            "SELF_APPROVAL",
            f"{printable(reviewer, '')} may not decide: {reason}.",
            hint=f"{_other(policy, is_approver=is_approver)} must decide.",
        )
    if policy.approvers and not is_approver:
        return DevsError(
            "UNKNOWN_SIGNER",
            f"{printable(reviewer, '')} is not an approver in the policy in force.",
            hint=_way_out(policy, reviewer),
        )
    return None
