"""What a person at a terminal says yes to, where nothing in this clone can tell: a policy never seen here, or which of two ledgers stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from devs_git.errors import DevsError, invalid
from devs_git.storage.ledger.first_sight import policy_difference
from devs_git.values import immutable
from devs_git.workspace import Workspace

_OID: Final = re.compile(r"[0-9a-f]{4,40}", re.ASCII)


@immutable
class Consent:
    """What a person accepts: the policy whose blob begins with `policy`, and the ledger whose tip begins with `tip`, of two
    that exclude each other; '' for none. `at_terminal`: a person may be there.
    """

    policy: str = ""
    at_terminal: bool = False
    tip: str = ""

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{accept_policy, let_stand}."""
        for name, oid, what in (
            ("accept_policy", self.policy, "a policy"),
            ("let_stand", self.tip, "a ledger's tip"),
        ):
            if oid and not _OID.fullmatch(oid):
                raise invalid(name, f"{oid!r} is no oid of {what}.", hint="Give at least 4 digits.")


def policy_check(context: Workspace, remote: str, person: Consent) -> Callable[[str, str], None]:
    """A check of the policy that would be in force, told by its blob, beside the one that is: CONFLICT, TERMINAL_REQUIRED."""

    def accept(before: str, after: str) -> None:
        found = policy_difference(context.ledger, remote, before, after, context.git)
        if found and person.policy and after.startswith(person.policy):
            _require_person(context, person)
        elif found:
            raise found

    return accept


def ledger_choice(context: Workspace, person: Consent) -> Callable[[str], bool]:
    """Whether a person chose the ledger with this tip; TERMINAL_REQUIRED where nobody is there to choose."""

    def is_chosen(tip: str) -> bool:
        found = bool(person.tip) and tip.startswith(person.tip)
        if found:
            _require_person(context, person)
        return found

    return is_chosen


def _require_person(context: Workspace, person: Consent) -> None:
    if person.at_terminal and not context.agent_variable:
        return
    raise DevsError(
        "TERMINAL_REQUIRED",
        "A policy of a ledger that was never seen here is accepted by a person at a terminal."
        if person.policy
        else "Which of two ledgers stands is chosen by a person at a terminal.",
        hint="Run it in a terminal of your own.",
    )
