"""The contents of an abstract ledger as arguments of the program's function, and the function's answers in our short names."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from devs_git.domain.belief import Belief, DecisionRecord, Records, RequestRecord, believe
from devs_git.domain.gates import policy as policies
from devs_git.values import replace
from tests.support.belief.abstract_ledger import (
    Decision,
    Ledger,
    Person,
    Policy,
    Request,
    Signature,
    decision_path,
    gates_with,
    signature_path,
)
from tests.support.belief.findings import forged_events, rollback
from tests.support.belief.oracle import Oracle
from tests.support.belief.steps import oid, steps


def public(key: str) -> str:
    """The public key of this name, in the form of OpenSSH; '' for none."""
    return f"ssh-ed25519 {base64.b64encode(key.encode()).decode()} {key.replace(' ', '-')}" if key else ""


def records(ledger: Ledger) -> Records:
    """The policies, requests and decisions in the ledger's files, without those that cannot be read."""
    what = ledger.what
    decided = {}
    for event in ledger.events.values():
        before = ledger.tree(event.parents[0]) if event.parents else {}
        for gate in gates_with({path: "" for path in event.tree if path not in before}, "decision.yaml"):
            said, made = event.tree[decision_path(gate)], event.tree.get(signature_path(gate), "")
            if isinstance(what[said], Decision):
                decided[oid(said), oid(made)] = _decided(ledger, what[said], what.get(made))
    return Records(
        policies={oid(name): _policy(one) for name, one in what.items() if isinstance(one, Policy)},
        requests={oid(name): _asked(one) for name, one in what.items() if isinstance(one, Request)},
        decisions=decided,
    )


def _policy(one: Policy) -> policies.Policy:
    def rows(people: tuple[Person, ...]) -> tuple[policies.Approver, ...]:
        return tuple(policies.Approver(row.principal, public(row.key)) for row in people)

    return replace(
        policies.parse({}),
        genesis=oid("e0"),
        approvers=rows(one.approvers),
        agents=rows(one.agents),
        approval_minimum=one.minimum,
        notify=one.notify,
    )


def _asked(one: Request) -> RequestRecord:
    return RequestRecord(
        one.gate, one.kind, one.requested_by, oid(one.before), oid(one.proposes), oid(one.after)
    )


def _decided(ledger: Ledger, one: Decision, made: object) -> DecisionRecord:
    """`made` is the content of the signature's file; None if there is no such file."""
    good = isinstance(made, Signature) and ledger.what[made.over] == one.statement
    flaw = "" if (good if one.approval == "signed" else made is None) else "BAD_SIGNATURE"
    signer = public(made.key) if isinstance(made, Signature) and not flaw else ""
    said = made.over if isinstance(made, Signature) and signer else ""
    return DecisionRecord(
        one.gate, oid(one.request), one.decision, one.reviewer, one.approval, signer, flaw, said=said
    )


def events_added_twice(found: Mapping[str, list[str]]) -> set[str]:
    """The events that add a file that only one event may add, if several events do."""
    return {event for event, reasons in found.items() if any("is asked by another" in one for one in reasons)}


def differences(ledger: Ledger) -> list[str]:
    """The differences between the answers of the function and of the reference, in words.

    If two events add a file that only one may add, the function and the reference must report them, and nothing else is
    compared: the rule does not say which of the two events is right, because a clone that has one refuses the other.
    """
    oracle, ours = Oracle(ledger), Believed(ledger)
    theirs = forged_events(oracle)
    if twice := events_added_twice(theirs):
        return [f"{event} is no forgery" for event in sorted(twice - ours.forged_events())]
    found = [f"{event} is forged: {theirs[event]}" for event in theirs.keys() - ours.forged_events()]
    found += [f"{event} is not forged: {ours.why(event)}" for event in ours.forged_events() - theirs.keys()]
    for event in ledger.events:
        pairs = [
            ("the policies", oracle.chain(event), ours.chain(event)),
            ("the policy in force", oracle.chain(event)[-1:], tuple(filter(None, [ours.in_force(event)]))),
            ("the open gates", oracle.open_gates(event), ours.open_gates(event)),
            ("the decisions", oracle.decisions(event), ours.decisions(event)),
        ]
        found += [
            f"{what} at {event} are {right}, not {wrong}" for what, right, wrong in pairs if right != wrong
        ]
        for old in ledger.events:
            if bool(reasons := rollback(oracle, old, event)) != ours.rollback(old, event):
                found.append(f"from {old} to {event}: {reasons or 'no rollback'}")
    return found


class Believed:
    """The answers of the program's function about a ledger, in the names of the oracle."""

    def __init__(self, ledger: Ledger) -> None:
        self.names = {oid(name): name for name in ledger.events} | {"": ""}
        self.belief: Belief = believe(steps(ledger), records(ledger))

    def chain(self, event: str) -> tuple[str, ...]:
        return tuple(self.names[one] for one in self.belief.chain(oid(event)))

    def in_force(self, event: str) -> str:
        return self.names[self.belief.policy(oid(event))]

    def open_gates(self, event: str) -> frozenset[str]:
        return frozenset(self.belief.open_gates(oid(event)))

    def decisions(self, event: str) -> dict[str, str]:
        return {gate: self.names[one] for gate, one in self.belief.decisions(oid(event)).items()}

    def forged_events(self) -> set[str]:
        return {self.names[one.where] for one in self.belief.findings if one.severity == "error"}

    def rollback(self, old: str, new: str) -> bool:
        return bool(self.belief.rollback(oid(old), oid(new)))

    def why(self, event: str) -> list[str]:
        return [one.message for one in self.belief.findings if one.where == oid(event)]
