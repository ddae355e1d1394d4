"""verify judges decisions and policies by the policy that was in force then, and believes no trailer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from devs_git.commands import gate_approve, verify
from devs_git.domain.gates import signed_decision
from devs_git.domain.ledger.events import LEDGER, Draft, Event
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import gate_files, policy_file
from devs_git.workspace import Workspace
from tests.support.gate_scene import NEW, TAS, Key, ask, commit, decision, genesis, in_force, make_key

Run = Callable[..., str]
Approve = gate_approve.Request


def yes(_text: str) -> None:
    """A person who answers y."""


def codes(workspace: Workspace, part: str = "ledger", **how: Any) -> list[str]:
    result = verify.run(Workspace.open(workspace.top), verify.Request((part,), **how))
    return [finding.code for finding in result.findings if finding.severity == "error"]


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    folder = tmp_path_factory.mktemp("keys")
    return {name: make_key(folder, name) for name in ("ada", "rogue")}


@pytest.fixture
def signed(ledgered: Workspace, keys: dict[str, Key]) -> Workspace:
    approver = {"principal": "ada@example.org", "key": keys["ada"].public}
    data = {"approvers": [approver], "approval": {"minimum": "signed"}}
    in_force(ledgered, **data)
    return ledgered


def by_hand(workspace: Workspace, gate_id: str, record: dict[str, Any], signature: bytes = b"") -> None:
    """A decision that somebody writes with git alone."""
    files: list[tuple[str, bytes | None]] = [
        (gate_files.decision_path(gate_id), yaml_documents.dump(record, "decision")),
        (gate_files.marker_path(gate_id), None),
    ]
    if signature:
        files.append((gate_files.signature_path(gate_id), signature))
    workspace.append(lambda _tip: Draft(Event("gate.resolved", "gate: approved", ()), tuple(files)))


def forged(workspace: Workspace, gate_id: str, **more: Any) -> dict[str, Any]:
    record = {
        "gate_id": gate_id,
        "decision": "APPROVED",
        "resolution_reason": None,
        "reviewer_id": "ada@example.org",
        "resolved_at": "2001-02-03T04:05:06.789Z",
        "approval": "unsigned",
        "request": gate_files.find(workspace.ledger.tip(), gate_id).request_oid,
        "tas_before": None,
        "tas_after": None,
        "nonce": "0" * 32,
    }
    return record | more


@pytest.mark.quick
def test_decisions_that_our_verbs_wrote_verify_and_unsigned_ones_where_they_may_be(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    gate_id = ask(signed)
    gate_approve.run(signed, Approve(gate_id, sign=True, key=str(keys["ada"].path)))
    assert codes(signed) == codes(signed, require="signed") == []


@pytest.mark.quick
def test_an_unsigned_decision_is_found_where_signed_ones_are_required(ledgered: Workspace) -> None:
    gate_approve.run(ledgered, Approve(ask(ledgered), ask=yes))
    assert codes(ledgered) == []
    assert codes(ledgered, require="signed") == ["BAD_SIGNATURE"]


def test_with_a_range_only_decisions_that_its_base_did_not_know_must_be_signed(
    ledgered: Workspace, keys: dict[str, Key], git: Run
) -> None:
    """Who names the first approvers cannot sign that; whoever merged it answered for it."""
    in_force(ledgered)
    row = f"{{principal: ada@example.org, key: '{keys['ada'].public}'}}"
    commit(ledgered.top, {"devs-policy.yaml": f"genesis: '{genesis(ledgered)}'\napprovers: [{row}]\n"})
    gate_approve.run(ledgered, Approve(ask(ledgered, kind="POLICY_CHANGE"), ask=yes))
    git("commit", "-q", "--allow-empty", "-m", f"bound\n\nDevs-Ledger: {git('rev-parse', LEDGER)}")
    git("commit", "-q", "--allow-empty", "-m", "merged on the web page")
    base = git("rev-parse", "HEAD")
    both = ["BAD_SIGNATURE", "POLICY_INVALID"]  # the decision, and so the policy that it put into force
    assert codes(ledgered, require="signed") == both
    assert codes(ledgered, require="signed", range=f"{base}~2..{base}") == both
    assert codes(ledgered, require="signed", range=f"{base}..") == []
    by_hand(ledgered, (gate_id := ask(ledgered)), forged(ledgered, gate_id, reviewer_id="ada@example.org"))
    assert codes(ledgered, range=f"{base}..") == []
    assert codes(ledgered, require="signed", range=f"{base}..") == ["BAD_SIGNATURE"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, "BAD_SIGNATURE"),
        ({"approval": "signed"}, "BAD_SIGNATURE"),
        ({"request": "1" * 40}, "STALE_REQUEST"),
        ({"tas_after": "1" * 40}, "STALE_REQUEST"),
        ({"gate_id": "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"}, "REPLAYED"),
        ({"decision": "PENDING_APPROVAL"}, "LEDGER_MUTATED"),
        ({"status": "APPROVED"}, "LEDGER_MUTATED"),
    ],
)
def test_a_forged_decision_is_found(change: dict[str, Any], code: str, signed: Workspace) -> None:
    gate_id = ask(signed)
    by_hand(signed, gate_id, forged(signed, gate_id) | change)
    assert codes(signed) == [code]


def test_a_signature_of_another_decision_or_key_is_found(signed: Workspace, keys: dict[str, Key]) -> None:
    first = ask(signed)
    gate_approve.run(signed, Approve(first, sign=True, key=str(keys["ada"].path)))
    taken = decision(signed, first)
    signature = signed.ledger.tip().read(gate_files.signature_path(first)) or b""
    second = ask(signed)
    by_hand(signed, second, forged(signed, second, approval="signed", nonce=taken["nonce"]), signature)
    assert codes(signed) == ["BAD_SIGNATURE"]
    third = ask(signed)
    record = forged(signed, third, approval="signed")
    by_hand(signed, third, record, keys["rogue"].sign(b"anything"))
    assert codes(signed) == ["BAD_SIGNATURE", "BAD_SIGNATURE"]
    fourth = ask(signed)
    record = forged(signed, fourth, approval="signed")
    message = signed_decision.of_record(record, genesis(signed)).canonical()
    by_hand(signed, fourth, record, keys["rogue"].sign(message))
    assert codes(signed) == ["BAD_SIGNATURE", "BAD_SIGNATURE", "UNKNOWN_SIGNER"]


def test_a_decision_is_not_blamed_for_a_copy_of_it_at_another_gate(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    gate_id = ask(signed)
    gate_approve.run(signed, Approve(gate_id, sign=True, key=str(keys["ada"].path)))
    other = ask(signed)
    tip = signed.ledger.tip()
    files = [
        (path(other), tip.read(path(gate_id)))
        for path in (gate_files.decision_path, gate_files.signature_path)
    ]
    copied = Draft(Event("gate.resolved", "x", ()), (*files, (gate_files.marker_path(other), None)))
    signed.append(lambda _tip: copied)
    found = verify.run(Workspace.open(signed.top), verify.Request(("ledger",))).findings
    assert {(one.code, one.ref) for one in found} == {("REPLAYED", signed.ledger.tip().oid)}


def test_a_policy_counts_from_its_event_on_and_not_before(ledgered: Workspace, keys: dict[str, Key]) -> None:
    in_force(ledgered)
    gate_approve.run(ledgered, Approve(ask(ledgered), ask=yes))
    row = f"{{principal: ada@example.org, key: '{keys['ada'].public}'}}"
    text = f"genesis: '{genesis(ledgered)}'\napprovers: [{row}]\napproval: {{minimum: signed}}\n"
    commit(ledgered.top, {"devs-policy.yaml": text})
    gate_approve.run(ledgered, Approve(ask(ledgered, kind="POLICY_CHANGE"), ask=yes))
    assert codes(ledgered) == []  # decided unsigned, when that was enough
    later = ask(ledgered)
    by_hand(ledgered, later, forged(ledgered, later))
    assert codes(ledgered) == ["BAD_SIGNATURE"]


def test_a_policy_that_nobody_approved_is_found(ledgered: Workspace) -> None:
    in_force(ledgered, backup_limit="5MB")
    ask(ledgered, kind="MANUAL")
    assert codes(ledgered) == []
    record = {"genesis": genesis(ledgered), "backup_limit": "6MB"}
    event = ledgered.event("policy.set", "policy: by hand", verb_name="init")
    ledgered.append(lambda _tip: Draft(event, (("policy.yaml", policy_file.in_force(record)),)))
    assert codes(ledgered) == ["POLICY_INVALID"]


def test_the_commit_of_a_landing_is_innocent_and_stays_so_when_rebased(ledgered: Workspace, git: Run) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    gate_approve.run(ledgered, Approve(ask(ledgered, text=NEW), ask=yes))
    assert codes(ledgered, "commits") == []
    git("checkout", "-q", "--detach", "HEAD~2")
    git("commit", "-q", "--allow-empty", "-m", "another base")
    git("cherry-pick", "main~1", "main")
    assert codes(ledgered, "commits") == []


@pytest.mark.parametrize("more", [{"a.txt": "smuggled\n"}, {"TAS.md": NEW + "smuggled\n"}])
def test_a_gate_id_on_a_commit_that_lands_nothing_helps_nobody(
    more: dict[str, str], ledgered: Workspace, git: Run
) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    gate_id = ask(ledgered, text=NEW)
    frozen = git("rev-parse", LEDGER)
    for name, text in {"TAS.md": NEW, **more}.items():
        (ledgered.top / name).write_text(text)
    git("add", "-A")
    git("commit", "-qm", f"x\n\nGate-Id: {gate_id}\nDevs-Ledger: {frozen}")
    assert codes(ledgered, "commits") == ["COMMITTED_WHILE_FROZEN"]
