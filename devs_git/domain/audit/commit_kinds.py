"""Which kinds of commits `verify` judged. Every commit is of one kind, and the last line of the output counts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.audit.frozen_commits import Bound, Witness

BOUND, LANDED, UNBOUND, EARLY = "bound", "landed", "unbound", "early"
# The kinds with their words in that line, in its order.
KINDS: Final[Mapping[str, str]] = {
    BOUND: "bound to an event",
    LANDED: "of an approved text",
    "unseen": "made without knowing of a gate",
    "regressed": "not in the order of the ledger",
    "frozen": "made while a gate was open",
    "unknown": "bound to an event that is not here",
    UNBOUND: "bound to no event",
    EARLY: "from before devs-git",
}
# The worst comes last: a commit with several findings is of the last kind.
_OF: Final = {
    "UNSEEN_AT_FREEZE": "unseen",
    "LEDGER_REGRESSION": "regressed",
    "COMMITTED_WHILE_FROZEN": "frozen",
    "LEDGER_ROLLBACK": "unknown",
}


def count(commits: Iterable[Bound], witness: Witness, findings: Iterable[Finding]) -> dict[str, int]:
    """How many of `commits` are of each of KINDS, given what was found of them."""
    order = list(_OF)
    worst: dict[str, str] = {}
    for one in findings:
        if one.code in _OF and order.index(one.code) >= order.index(worst.get(one.where, order[0])):
            worst[one.where] = one.code
    counted = dict.fromkeys(KINDS, 0)
    for commit in commits:
        counted[_kind(commit, witness, worst.get(commit.oid, ""))] += 1
    return counted


def _kind(commit: Bound, witness: Witness, code: str) -> str:
    if not commit.ledger:
        return EARLY if commit.oid in witness.early else UNBOUND
    return _OF[code] if code else LANDED if commit.oid in witness.landed else BOUND


def describe(counted: Mapping[str, int]) -> str:
    """The kinds in words. Those without a commit are left out, except `unbound`."""
    return ", ".join(
        f"{number} {KINDS[kind]}" for kind, number in counted.items() if number or kind == UNBOUND
    )
