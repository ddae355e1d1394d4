"""Whether every decision and every policy in a ledger counts, judged by the policy in force at the event before it.

A decision must decide the request beside it, by whoever the policy let decide then, with a signature where it claims
one; a policy after the first must be the one that a decision in the same event approved. Merges bring only what was
judged at its own event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from devs_git.domain import decisions, gates
from devs_git.domain.audit_commits import Bound
from devs_git.domain.audit_ledger import Step
from devs_git.domain.decisions import Statement
from devs_git.domain.gates import Gate
from devs_git.domain.policy import IN_FORCE, PROPOSED
from devs_git.domain.report import Finding
from devs_git.errors import DevsError
from devs_git.storage import deciding, documents, proposal
from devs_git.storage import gates as store
from devs_git.storage.git_program import Git, split_z
from devs_git.storage.ledger import Ledger, Tip

_DECISION: Final = "/decision.yaml"


def judge(ledger: Ledger, steps: Sequence[Step], genesis: str, *, signed: bool) -> Iterator[Finding]:
    """Findings about decisions and policies; with `signed` every unsigned decision is one."""
    for step in steps:
        if len(step.event.parents) == 1:
            for change in step.edges[0]:
                if change.path.startswith("gates/") and change.path.endswith(_DECISION) and not change.old:
                    yield from _decision(
                        ledger, step, change.path[6 : -len(_DECISION)], genesis, signed=signed
                    )
                elif change.path == IN_FORCE and change.old and change.new:
                    yield from _policy(ledger, step, change.new)


def _decision(ledger: Ledger, step: Step, gate_id: str, genesis: str, *, signed: bool) -> Iterator[Finding]:
    try:
        _check(
            Tip(ledger, step.event.oid), Tip(ledger, step.event.parents[0]), gate_id, genesis, signed=signed
        )
    except DevsError as error:
        what = error.message.rstrip(".")
        yield _finding(error.code, f"Gate {gate_id}, decided by event {step.event.oid[:12]}: {what}.", step)


def _check(tip: Tip, before: Tip, gate_id: str, genesis: str, *, signed: bool) -> None:
    """Raises what is wrong with the decision that came with `tip`."""
    gate = store.find(tip, gate_id)
    if not gate.decision:
        code = gate.flaw if gate.flaw in ("REPLAYED", "STALE_REQUEST") else "LEDGER_MUTATED"
        raise DevsError(code, f"its decision decides nothing: {gate.flaw}")
    deciding.require_allowed(store.policy_at(before), gate, _proof(tip, gate, genesis))
    if signed and gate.decision["approval"] != gates.SIGNED:
        raise DevsError("BAD_SIGNATURE", "its decision is unsigned")


def _proof(tip: Tip, gate: Gate, genesis: str) -> deciding.Proof:
    """What the ledger holds as the proof of a decision; BAD_SIGNATURE where it claims one that is not there."""
    assert gate.decision is not None
    said: Statement = decisions.of_record(gate.decision, genesis)
    signature = tip.read(store.signature_path(gate.gate_id)) or b""
    if (gate.decision["approval"] == gates.SIGNED) != bool(signature):
        raise DevsError("BAD_SIGNATURE", "its decision and its signature do not go together")
    return deciding.Proof(gate.decision["reviewer_id"], said, signature)


def _policy(ledger: Ledger, step: Step, blob: str) -> Iterator[Finding]:
    tip = Tip(ledger, step.event.oid)
    for change in step.edges[0]:
        if change.path.startswith("gates/") and change.path.endswith(_DECISION) and not change.old:
            try:
                gate = store.find(tip, change.path[6 : -len(_DECISION)])
                proposed = gate.text("proposed_policy").encode()
                loaded = documents.load(proposed, PROPOSED, "policy", code="POLICY_INVALID")
            except DevsError:
                continue
            if gate.status == gates.APPROVED and gates.blob_oid(proposal.in_force(loaded)) == blob:
                return
    text = f"Event {step.event.oid[:12]} puts a policy into force that no decision approved."
    yield _finding("POLICY_INVALID", text, step)


def _finding(code: str, text: str, step: Step) -> Finding:
    return Finding(code, "error", text, f"See: git show {step.event.oid[:12]}", step.event.oid)


def landed(ledger: Ledger, git: Git, commits: Iterable[Bound]) -> frozenset[str]:
    """The commits that put an approved text in place and do nothing else, wherever they were rebased to.

    A trailer `Gate-Id` is only a claim: the commit must change the TAS to the approved blob, and no other path.
    """
    tip = ledger.tip()
    return frozenset(commit.oid for commit in commits if commit.gate and _lands(tip, git, commit))


def _lands(tip: Tip, git: Git, commit: Bound) -> bool:
    try:
        gate = store.find(tip, gates.gate_id(commit.gate))
    except DevsError:
        return False
    if not gate.decision or not decisions.lands(gate, gate.status) or len(commit.parents) != 1:
        return False
    parts = split_z(git.run("diff-tree", "-r", "-z", "--no-renames", commit.parents[0], commit.oid))
    return (
        len(parts) == 2
        and parts[1] == gate.text("tas_path")
        and parts[0].split()[3] == gate.request.get("tas_after")
    )
