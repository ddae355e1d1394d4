"""One decision at the event that brought it: whether it is good there."""

from __future__ import annotations

from devs_git.domain.belief import allowed, layout
from devs_git.domain.belief.layout import Brought
from devs_git.domain.belief.records import UNREADABLE, DecisionRecord, RequestRecord
from devs_git.domain.gates.gate_model import UNSIGNED
from devs_git.domain.gates.policy import Policy
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.errors import DevsError
from devs_git.values import immutable


@immutable
class Claim:
    """A decision at its event. `at` and `gate` are numbers of the walk. `wrong` says why it is not valid there; None if it is."""

    number: int
    at: int
    gate: int
    files: Brought
    says: DecisionRecord | None
    asked: RequestRecord | None
    wrong: DevsError | None = None

    def same(self, other: Claim | None) -> bool:
        """Whether the other decision is a copy: the same signed statement."""
        mine = self.says.signed if self.says else None
        return bool(mine and other and other.says and other.says.signed == mine)

    @property
    def sets_policy(self) -> bool:
        return bool(self.says and self.asked and self.says.sets_policy(self.asked))


@immutable
class Place:
    """The facts at the event of a decision. `asked`, `decided`: its gate was requested, or decided, by an earlier event.
    `request`: the blob of the request. `policy`: the blob of the policy in force, '' for none. `asked_under`: the request
    was made under that policy. `rules`: the policy that judges the decision. `again`: that is an older policy, because the
    newer ones knew a copy of the decision. `held`: the policy in the event's tree. `must_sign`: the decision must be
    signed. `readable`: the proposed policy can be read.
    """

    asked: bool
    decided: bool
    request: str
    policy: str
    asked_under: bool
    rules: Policy | None
    again: bool
    held: str
    must_sign: bool
    readable: bool


def wrong(claim: Claim, place: Place) -> DevsError | None:
    """Why a decision is not valid at its event; None if it is. `damaged` is a file that cannot be read, if that is the reason."""
    says, asked = claim.says, claim.asked
    if not place.asked or asked is None:
        damaged = f"gates/{claim.files.gate_id}/{layout.REQUEST}" if place.asked else ""
        return DevsError(UNREADABLE, "its decision does not count: there is no request", damaged=damaged)
    if says is None:
        return DevsError(UNREADABLE, "its decision cannot be read")
    if says.flaw:
        return DevsError(says.flaw, says.why, damaged=says.damaged)
    if says.gate_id != claim.files.gate_id:
        return DevsError("REPLAYED", "its decision is about another gate")
    if asked.gate_id != claim.files.gate_id:
        return DevsError(UNREADABLE, "its decision does not count: the request is another gate's")
    if says.request != place.request:
        return DevsError("STALE_REQUEST", "its decision is about another request")
    if place.decided or not place.policy:
        what = "the gate was decided before" if place.decided else "there was no policy yet"
        return DevsError(UNREADABLE, what)
    return _signed(says, place) or _policy(claim, asked, place) or _allowed(claim, place)


def _signed(says: DecisionRecord, place: Place) -> DevsError | None:
    if place.must_sign and says.approval == UNSIGNED:
        return DevsError("BAD_SIGNATURE", "its decision is unsigned")
    if (says.approval == UNSIGNED) != (not says.key):
        return DevsError("BAD_SIGNATURE", "its decision and its signature do not match")
    return None


def _policy(claim: Claim, asked: RequestRecord, place: Place) -> DevsError | None:
    if not claim.sets_policy:
        return None
    if asked.policy_before != place.policy or not place.asked_under:
        return DevsError("POLICY_INVALID", "its policy was asked for under another policy")
    if asked.proposes != place.held:
        return DevsError("POLICY_INVALID", "it approves another policy than the one of its event")
    return None if place.readable else DevsError("POLICY_INVALID", "its policy cannot be read")


def _allowed(claim: Claim, place: Place) -> DevsError | None:
    why = policy_refusal(claim, place.rules)
    if why and place.again:
        return DevsError("REPLAYED", "its signature was used before, for a decision that no longer counts")
    return why


def policy_refusal(claim: Claim, rules: Policy | None) -> DevsError | None:
    """Why a policy does not allow a decision; None if it does."""
    if rules is None or claim.says is None or claim.asked is None:
        return DevsError("POLICY_INVALID", "the policy in force cannot be read", damaged=IN_FORCE)
    return allowed.refusal(rules, claim.asked.requested_by, claim.says.reviewer, claim.says.key)
