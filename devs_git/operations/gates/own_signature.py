"""Sign something with the key that the policy in force has for the person at work."""

from __future__ import annotations

from pathlib import Path

from devs_git.domain.gates.policy import Approver, Policy
from devs_git.domain.gates.signed_decision import NAMESPACE
from devs_git.errors import DevsError
from devs_git.storage.documents import signatures
from devs_git.workspace import Workspace


def signers(policy: Policy) -> tuple[Approver, ...]:
    """The people and agents whose keys are known. Agents come first: a key in both lists belongs to an agent."""
    return (*policy.agents, *policy.approvers)


def make(workspace: Workspace, policy: Policy, message: bytes, key: str, namespace: str = NAMESPACE) -> bytes:
    """The signature of `message`, with the private key in the file `key`, or for '' with the approver's key in ssh-agent.

    UNKNOWN_SIGNER if the policy does not say which key that is; BAD_SIGNATURE if ssh-keygen cannot sign.
    """
    if key:
        return signatures.sign(message, Path(key).expanduser(), namespace)
    with_key = [one for one in policy.approvers if one.key]
    mine = [one for one in with_key if one.principal == workspace.identity[1]] or with_key
    if len(mine) != 1:
        raise DevsError(
            "UNKNOWN_SIGNER",
            "The policy in force has no key for you."
            if not mine
            else "The policy in force has several keys, and devs-git cannot tell which one is yours.",
            hint="Name your key: --key ~/.ssh/id_ed25519",
        )
    with signatures.key_file(mine[0].key) as path:
        return signatures.sign(message, path, namespace)
