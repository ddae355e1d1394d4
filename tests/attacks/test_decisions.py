"""Deciding without being allowed to: what the verb refuses, and what `verify` finds where a hand wrote the ledger."""

from __future__ import annotations

import base64
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_request, gate_show
from devs_git.domain.gates import signed_decision
from devs_git.domain.ledger.events import LEDGER
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import gate_files
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.commands.test_verify_gates import forged
from tests.support.attacker import by_hand, codes_in, decision_files, on_top
from tests.support.gate_scene import (
    BLOCKER,
    CHANGES,
    NEW,
    TAS,
    Key,
    approve,
    ask,
    commit,
    decision,
    genesis,
    in_force,
)
from tests.support.refusals import refusal
from tests.support.terminal_person import at_terminal

Approve = gate_approve.Request
Keys = dict[str, Key]


def to_sign(workspace: Workspace, gate_id: str) -> bytes:
    return gate_approve.run(workspace, Approve(gate_id, print_bytes=True)).to_sign.encode()


def bring(workspace: Workspace, gate_id: str, said: bytes, signature: bytes) -> str:
    """The code with which the verb refuses a signature."""
    request = Approve(gate_id, signed=said, signature=signature)
    return refusal(partial(gate_approve.run, workspace, request)).code


def write(workspace: Workspace, gate_id: str, signature: bytes = b"", **record: Any) -> None:
    """A decision past the verb."""
    data = yaml_documents.dump(forged(workspace, gate_id, **record), "decision")
    by_hand(*decision_files(gate_id, data, signature))


@pytest.mark.quick
def test_a_decision_forged_in_yaml(signed: Workspace) -> None:
    gate_id = ask(signed)
    write(signed, gate_id)
    assert codes_in("ledger") == {"BAD_SIGNATURE"}


def test_duplicate_status_keys(signed: Workspace) -> None:
    gate_id = ask(signed)
    text = yaml_documents.dump(forged(signed, gate_id), "decision") + b"status: REJECTED\nstatus: APPROVED\n"
    by_hand(*decision_files(gate_id, text))
    assert "LEDGER_MUTATED" in codes_in("ledger")
    assert gate_files.find(signed.ledger.tip(), gate_id).status == "PENDING_APPROVAL"


def test_a_forged_author(ledgered: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    in_force(ledgered, approvers=[{"principal": "grace@example.org"}])
    gate_id = ask(ledgered)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Grace")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "grace@example.org")
    write(Workspace.open(), gate_id, reviewer_id="grace@example.org")
    assert codes_in("ledger") == set()  # who may decide unsigned, anybody may claim to be
    assert codes_in("ledger", require="signed") == {"BAD_SIGNATURE"}


def test_a_faked_terminal(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    assert at_terminal(ledgered.top, "gate", "approve", gate_id, typed="y\n")[0] == 0
    assert codes_in("ledger", require="signed") == {"BAD_SIGNATURE"}


def test_an_agents_environment_or_no_terminal(ledgered: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    gate_id = ask(ledgered)
    assert refusal(lambda: gate_approve.run(ledgered, Approve(gate_id))).code == "TERMINAL_REQUIRED"
    monkeypatch.setenv("CLAUDECODE", "1")
    request = Approve(gate_id, ask=lambda _text: None)
    assert refusal(lambda: gate_approve.run(Workspace.open(), request)).code == "TERMINAL_REQUIRED"


def test_a_rogue_key_with_a_local_allowed_signers_override(
    signed: Workspace, keys: Keys, tmp_path: Path
) -> None:
    gate_id = ask(signed)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ada@example.org {keys['rogue'].public}\n")
    for key, value in (
        ("allowedSignersFile", str(allowed)),
        ("program", "true"),
        ("defaultKeyCommand", "true"),
    ):
        signed.git.run("config", f"gpg.ssh.{key}", value)
    said = to_sign(signed, gate_id)
    signature = keys["rogue"].sign(said)
    assert bring(signed, gate_id, said, signature) == "UNKNOWN_SIGNER"
    nonce = str(signed_decision.read(said).nonce)  # type: ignore[union-attr]
    write(signed, gate_id, signature, approval="signed", nonce=nonce)
    assert codes_in("ledger") == {"UNKNOWN_SIGNER"}


def test_an_ssh_keygen_on_path_that_says_yes(
    signed: Workspace, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate_id = ask(signed)
    said = to_sign(signed, gate_id)
    program = tmp_path / "bin" / "ssh-keygen"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho ada@example.org\n")
    program.chmod(0o755)
    signature = in_the_name_of(keys["ada"], keys["rogue"].sign(said), keys["rogue"])
    with monkeypatch.context() as there:
        there.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        gate_approve.run(signed, Approve(gate_id, signed=said, signature=signature))
    assert codes_in("ledger") == {"BAD_SIGNATURE"}


def in_the_name_of(other: Key, signature: bytes, signer: Key) -> bytes:
    """A signature that names another key than the one that made it."""
    begin, *lines, end = signature.decode().strip().splitlines()
    theirs, mine = (base64.b64decode(key.public.split()[1]) for key in (other, signer))
    blob = base64.b64decode("".join(lines)).replace(mine, theirs)
    return "\n".join((begin, base64.b64encode(blob).decode(), end, "")).encode()


def test_an_agents_key(signed: Workspace, keys: Keys) -> None:
    gate_id = ask(signed)
    said = to_sign(signed, gate_id)
    signature = keys["bot"].sign(said)
    assert bring(signed, gate_id, said, signature) == "SELF_APPROVAL"
    nonce = str(signed_decision.read(said).nonce)  # type: ignore[union-attr]
    write(signed, gate_id, signature, approval="signed", nonce=nonce, reviewer_id="bot@example.org")
    assert codes_in("ledger") == {"SELF_APPROVAL"}


def test_a_signature_for_another_gate(signed: Workspace, keys: Keys) -> None:
    first, second = ask(signed, kind="MANUAL"), ask(signed, kind="MANUAL")
    said = to_sign(signed, first)
    signature = keys["ada"].sign(said)
    assert bring(signed, second, said, signature) == "REPLAYED"
    nonce = str(signed_decision.read(said).nonce)  # type: ignore[union-attr]
    write(signed, second, signature, approval="signed", nonce=nonce)
    assert codes_in("ledger") == {"BAD_SIGNATURE"}


def test_a_signature_for_another_repository(signed: Workspace, keys: Keys) -> None:
    gate_id = ask(signed)
    said = to_sign(signed, gate_id).replace(genesis(signed).encode(), b"1" * 40)
    signature = keys["ada"].sign(said)
    assert bring(signed, gate_id, said, signature) == "REPLAYED"
    nonce = str(signed_decision.read(said).nonce)  # type: ignore[union-attr]
    write(signed, gate_id, signature, approval="signed", nonce=nonce)
    assert codes_in("ledger") == {"BAD_SIGNATURE"}


def test_a_signature_for_another_text(signed: Workspace, keys: Keys) -> None:
    commit(signed.top, {"TAS.md": TAS})
    gate_id = ask(signed, text=NEW)
    meant = signed_decision.read(to_sign(signed, gate_id))
    assert meant
    said = replace(meant, tas_after="2" * 40).canonical()
    signature = keys["ada"].sign(said)
    assert bring(signed, gate_id, said, signature) == "STALE_REQUEST"
    told = {"tas_before": meant.tas_before, "tas_after": "2" * 40, "nonce": meant.nonce}
    write(signed, gate_id, signature, approval="signed", **told)
    assert "STALE_REQUEST" in codes_in("ledger")


def test_the_policy_changed_in_the_same_range(signed: Workspace, keys: Keys) -> None:
    base = signed.git.text("rev-parse", "HEAD")
    row = f"{{principal: rogue@example.org, key: '{keys['rogue'].public}'}}"
    commit(signed.top, {"devs-policy.yaml": f"genesis: '{genesis(signed)}'\napprovers: [{row}]\n"})
    gate_id = ask(signed)
    said = to_sign(signed, gate_id)
    nonce = str(signed_decision.read(said).nonce)  # type: ignore[union-attr]
    told = {"approval": "signed", "nonce": nonce, "reviewer_id": "rogue@example.org"}
    write(signed, gate_id, keys["rogue"].sign(said), **told)
    assert codes_in("ledger", "commits", range=f"{base}..HEAD") >= {"UNKNOWN_SIGNER"}


def test_an_agents_key_committed_to_the_tracked_policy(signed: Workspace, keys: Keys) -> None:
    row = f"{{principal: x@example.org, key: '{keys['rogue'].public}'}}"
    commit(signed.top, {"devs-policy.yaml": f"genesis: '{genesis(signed)}'\napprovers: [{row}]\n"})
    gate_id = ask(signed)
    said = to_sign(signed, gate_id)
    assert bring(Workspace.open(), gate_id, said, keys["rogue"].sign(said)) == "UNKNOWN_SIGNER"


def test_a_policy_put_into_force_by_hand(signed: Workspace) -> None:
    data = f"genesis: '{genesis(signed)}'\n".encode()
    by_hand(("policy.yaml", data), kind="policy.set")
    assert codes_in("ledger") == {"POLICY_INVALID"}


def test_and_option_like_gate_ids(signed: Workspace) -> None:
    for bad in ("../../HEAD", "..", "-x", "--output=x", "a/b", "a b", "", "\u202ex"):
        assert refusal(partial(Approve, bad)).code == "INVALID_ARGUMENTS"
        assert refusal(partial(gate_show.Request, bad)).code == "INVALID_ARGUMENTS"
    by_hand(("gates/--output=x/request.yaml", b"a: b\n"), ("open/--output=x", b""))
    assert "LEDGER_MUTATED" in codes_in("ledger")
    assert signed.top.is_dir()


def test_a_request_that_is_repeated_in_a_loop(signed: Workspace) -> None:
    ask(signed)
    tip = signed.ledger.tip().oid
    told = {"agent_id": "architect", "task_id": "task-10", "blocker_description": BLOCKER}
    request = gate_request.Request(gate_type="TAS_REVISION", proposed_changes=CHANGES, **told)
    for _ in range(20):
        assert refusal(partial(gate_request.run, signed, request)).code == "GATE_ALREADY_ACTIVE"
    assert signed.ledger.tip().oid == tip


def test_a_decision_on_a_line_from_before_the_policy(ledgered: Workspace, policy: dict[str, Any]) -> None:
    gate_id = ask(ledgered)
    before = ledgered.ledger.tip().oid
    in_force(ledgered, **policy)
    data = yaml_documents.dump(forged(ledgered, gate_id), "decision").decode()
    files = ((gate_files.decision_path(gate_id), data), (gate_files.marker_path(gate_id), None))
    side = on_top(*files, parent=before)
    ledgered.store_git.run("update-ref", LEDGER, on_top(*files, also=side))
    # A clone that was offline could have decided so; a merge that lets it count is forged.
    assert codes_in("ledger") == {"LEDGER_MUTATED"}
    assert codes_in("ledger", require="signed") >= {"BAD_SIGNATURE", "LEDGER_MUTATED"}


def test_a_decision_taken_back_or_given_twice(signed: Workspace, keys: Keys) -> None:
    gate_id = ask(signed)
    gate_approve.run(signed, Approve(gate_id, sign=True, key=str(keys["ada"].path)))
    again = Approve(gate_id, sign=True, key=str(keys["ada"].path))
    assert refusal(lambda: gate_approve.run(signed, again)).code == "GATE_ALREADY_RESOLVED"
    assert codes_in("ledger", require="signed") == set()
    other = yaml_documents.dump(decision(signed, gate_id) | {"decision": "REJECTED"}, "decision")
    by_hand((gate_files.decision_path(gate_id), other))
    assert "LEDGER_MUTATED" in codes_in("ledger")


def test_an_older_approved_text_of_the_tas_brought_back_after_a_later_approval(
    signed: Workspace, keys: Keys
) -> None:
    commit(signed.top, {"TAS.md": TAS})
    for text in (NEW, TAS):
        approve(signed, ask(signed, text=text), sign=True, key=str(keys["ada"].path))
    assert codes_in("tas") == set()
    commit(signed.top, {"TAS.md": NEW})
    assert codes_in("tas", range="HEAD~1..HEAD") == {"TAS_UNAPPROVED"}
