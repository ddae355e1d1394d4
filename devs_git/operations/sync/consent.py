"""What only a person at a terminal can decide: to accept an unknown policy, and which of two ledgers to keep."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from devs_git.errors import DevsError, invalid
from devs_git.values import immutable
from devs_git.workspace import Workspace

_OID: Final = re.compile(r"[0-9a-f]{4,40}", re.ASCII)


@immutable
class Consent:
    """`policy`: how the blob of the accepted policy begins. `tip`: how the tip of the ledger to keep begins, of two that
    exclude each other. '' for none. `at_terminal`: a person may be there. `command`: what the person types again.
    """

    policy: str = ""
    at_terminal: bool = False
    tip: str = ""
    command: str = "devs-git init"

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{accept_policy, let_stand}."""
        for name, oid, what in (
            ("accept_policy", self.policy, "a policy"),
            ("let_stand", self.tip, "the newest event of a ledger"),
        ):
            if oid and not _OID.fullmatch(oid):
                raise invalid(
                    name, f"{oid!r} is not the oid of {what}.", hint="Give at least 4 digits of it."
                )


def policy_check(workspace: Workspace, remote: str, person: Consent) -> Callable[[str, str], None]:
    """A function that takes the blobs of the policy in force and of the next one, and raises CONFLICT or TERMINAL_REQUIRED
    if a person has to accept the next one.
    """
    from devs_git.storage.ledger.unknown_ledger import policy_difference

    def accept(before: str, after: str) -> None:
        found = policy_difference(workspace.ledger, remote, before, after, workspace.git)
        if found and person.policy and after.startswith(person.policy):
            _require_person(workspace, person)
        elif found:
            accept = f"{person.command} --accept-policy {after[:12]}"
            found.hint += f"A person must read the policy (git show {after}), and then accept it: {accept}"
            raise found

    return accept


def ledger_choice(workspace: Workspace, person: Consent) -> Callable[[str], bool]:
    """A function that says whether a person chose the ledger with this tip. It raises TERMINAL_REQUIRED without a person."""

    def is_chosen(tip: str) -> bool:
        found = bool(person.tip) and tip.startswith(person.tip)
        if found:
            _require_person(workspace, person)
        return found

    return is_chosen


def _require_person(workspace: Workspace, person: Consent) -> None:
    if person.at_terminal and not workspace.agent_variable:
        return
    raise DevsError(
        "TERMINAL_REQUIRED",
        "Only a person at a terminal can accept a policy that this clone never saw."
        if person.policy
        else "Only a person at a terminal can choose between two ledgers.",
        hint="Run the command in a terminal of your own.",
    )
