"""Signed decisions: verified with our own call and our own signers, and refused with the code that says why."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_reject
from devs_git.domain.gates import signed_decision
from devs_git.errors import DevsError
from devs_git.storage.ledger import gate_files
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.gate_scene import NEW, TAS, Key, ask, commit, decision, genesis, in_force, make_key

Approve = gate_approve.Request


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    folder = tmp_path_factory.mktemp("keys")
    return {name: make_key(folder, name) for name in ("ada", "rogue", "bot")}


@pytest.fixture
def signed(ledgered: Workspace, keys: dict[str, Key]) -> Workspace:
    """Ada is the approver, by her key alone; bot is known to be an agent."""
    in_force(
        ledgered,
        approvers=[{"principal": "ada@example.org", "key": keys["ada"].public}],
        agents=[{"principal": "bot@example.org", "key": keys["bot"].public}],
        approval={"minimum": "signed"},
    )
    return ledgered


def code(run: Callable[[], Any]) -> str:
    with pytest.raises(DevsError) as caught:
        run()
    return caught.value.code


def to_sign(workspace: Workspace, gate_id: str, **more: Any) -> bytes:
    return gate_approve.run(workspace, Approve(gate_id, print_bytes=True, **more)).to_sign.encode()


def bring(
    workspace: Workspace, gate_id: str, message: bytes, signature: bytes, **more: Any
) -> gate_approve.Result:
    return gate_approve.run(workspace, Approve(gate_id, signed=message, signature=signature, **more))


@pytest.mark.quick
def test_a_signature_by_the_approvers_key_decides_without_a_terminal(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    gate_id = ask(signed)
    done = gate_approve.run(signed, Approve(gate_id, sign=True, key=str(keys["ada"].path)))
    assert (done.status, done.approval, done.reviewer_id) == ("APPROVED", "signed", "ada@example.org")
    assert next(signed.ledger.events()).get("Devs-Approval") == "signed"


def test_what_is_kept_can_be_verified_by_anybody_with_the_ledger_alone(
    signed: Workspace, keys: dict[str, Key], tmp_path: Path
) -> None:
    gate_id = ask(signed)
    gate_approve.run(signed, Approve(gate_id, reason="Fine.", sign=True, key=str(keys["ada"].path)))
    message = signed_decision.of_record(decision(signed, gate_id), genesis(signed)).canonical()
    (tmp_path / "sig").write_bytes(signed.ledger.tip().read(gate_files.signature_path(gate_id)) or b"")
    (tmp_path / "allowed").write_text(f"ada@example.org {keys['ada'].public}\n")
    words = ["ssh-keygen", "-Y", "verify", "-I", "ada@example.org", "-n", "devs-gate@v1"]
    subprocess.run(
        [*words, "-s", tmp_path / "sig", "-f", tmp_path / "allowed"],
        input=message,
        check=True,
        capture_output=True,
    )


def test_the_bytes_bind_repository_gate_request_texts_decision_and_nonce(signed: Workspace) -> None:
    commit(signed.top, {"TAS.md": TAS})
    gate_id = ask(signed, text=NEW)
    lines = dict(line.split(" ") for line in to_sign(signed, gate_id).decode().splitlines()[1:])
    git = signed.store_git
    assert lines == {
        "repository": genesis(signed),
        "gate": gate_id,
        "request": git.text("rev-parse", f"refs/heads/devs/ledger:gates/{gate_id}/request.yaml"),
        "tas-before": git.text("rev-parse", "HEAD:TAS.md"),
        "tas-after": gate_files.find(signed.ledger.tip(), gate_id).request["tas_after"],
        "decision": "APPROVED",
        "nonce": lines["nonce"],
        "reason": "-",
    }
    assert to_sign(signed, gate_id).decode().splitlines()[0] == "devs-gate@v1"


def test_signing_may_happen_elsewhere(signed: Workspace, keys: dict[str, Key]) -> None:
    gate_id = ask(signed)
    before = signed.ledger.tip().oid
    message = to_sign(signed, gate_id)
    assert signed.ledger.tip().oid == before
    assert bring(signed, gate_id, message, keys["ada"].sign(message)).approval == "signed"
    assert decision(signed, gate_id)["nonce"] == signed_decision.read(message).nonce  # type: ignore[union-attr]


def test_a_rejection_can_be_signed_too(signed: Workspace, keys: dict[str, Key]) -> None:
    gate_id = ask(signed)
    asked = gate_reject.Request(gate_id, "No.", sign=True, key=str(keys["ada"].path))
    assert gate_reject.run(signed, asked).approval == "signed"


def test_a_key_that_the_policy_does_not_name_is_unknown_whatever_git_is_told(
    signed: Workspace, keys: dict[str, Key], tmp_path: Path
) -> None:
    gate_id = ask(signed)
    (tmp_path / "allowed").write_text(f"ada@example.org {keys['rogue'].public}\n")
    signed.git.run("config", "gpg.ssh.allowedSignersFile", str(tmp_path / "allowed"))
    signed.git.run("config", "gpg.ssh.program", "true")
    (Path.home() / ".ssh").mkdir()
    (Path.home() / ".ssh" / "allowed_signers").write_text(f"ada@example.org {keys['rogue'].public}\n")
    request = Approve(gate_id, sign=True, key=str(keys["rogue"].path))
    assert code(lambda: gate_approve.run(signed, request)) == "UNKNOWN_SIGNER"
    assert signed.ledger.open_gates() == (gate_id,)


@pytest.mark.quick
def test_an_agents_key_does_not_approve_what_agents_ask(signed: Workspace, keys: dict[str, Key]) -> None:
    gate_id = ask(signed)
    request = Approve(gate_id, sign=True, key=str(keys["bot"].path))
    assert code(lambda: gate_approve.run(signed, request)) == "SELF_APPROVAL"


def test_a_key_that_is_an_agents_too_does_not_approve(ledgered: Workspace, keys: dict[str, Key]) -> None:
    row = {"key": keys["ada"].public}
    in_force(ledgered, approvers=[{"principal": "ada", **row}], agents=[{"principal": "bot", **row}])
    request = Approve(ask(ledgered), sign=True, key=str(keys["ada"].path))
    assert code(lambda: gate_approve.run(ledgered, request)) == "SELF_APPROVAL"


@pytest.mark.quick
def test_whoever_asked_does_not_approve(signed: Workspace, keys: dict[str, Key]) -> None:
    gate_id = ask(signed, requested_by="ada@example.org")
    request = Approve(gate_id, sign=True, key=str(keys["ada"].path))
    assert code(lambda: gate_approve.run(signed, request)) == "SELF_APPROVAL"


def test_an_agents_key_in_the_tracked_policy_alone_is_unknown(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    row = f"  - {{principal: x@example.org, key: '{keys['rogue'].public}'}}"
    commit(signed.top, {"devs-policy.yaml": f"genesis: '{genesis(signed)}'\napprovers:\n{row}\n"})
    gate_id = ask(signed)
    request = Approve(gate_id, sign=True, key=str(keys["rogue"].path))
    assert code(lambda: gate_approve.run(Workspace.open(signed.top), request)) == "UNKNOWN_SIGNER"


@pytest.mark.quick
def test_another_namespace_or_changed_bytes_are_a_bad_signature(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    gate_id = ask(signed)
    message = to_sign(signed, gate_id)
    ada = keys["ada"]
    cases = (
        (message, ada.sign(message, namespace="git")),
        (message, ada.sign(message, namespace="file")),
        (message.replace(b"APPROVED", b"REJECTED"), ada.sign(message)),
        (message + b"\n", ada.sign(message + b"\n")),
        (b"hello\n", ada.sign(b"hello\n")),
        (message, b"no signature"),
        (message, b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"),
    )
    for said, made in cases:
        assert code(partial(bring, signed, gate_id, said, made)) == "BAD_SIGNATURE"
    rejected = message.replace(b"APPROVED", b"REJECTED")
    assert code(lambda: bring(signed, gate_id, rejected, ada.sign(rejected))) == "BAD_SIGNATURE"
    other = to_sign(signed, gate_id, reason="One reason.")
    assert code(lambda: bring(signed, gate_id, other, ada.sign(other), reason="Another.")) == "BAD_SIGNATURE"
    assert signed.ledger.open_gates() == (gate_id,)


@pytest.mark.quick
def test_a_signature_for_another_gate_or_repository_is_replayed(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    ada = keys["ada"]
    first = ask(signed, kind="MANUAL")
    message = to_sign(signed, first)
    signature = ada.sign(message)
    bring(signed, first, message, signature)
    second = ask(signed, kind="MANUAL")
    assert code(lambda: bring(signed, second, message, signature)) == "REPLAYED"
    elsewhere = to_sign(signed, second).replace(genesis(signed).encode(), b"1" * 40)
    assert code(lambda: bring(signed, second, elsewhere, ada.sign(elsewhere))) == "REPLAYED"


@pytest.mark.quick
def test_a_signature_for_another_text_is_stale(signed: Workspace, keys: dict[str, Key]) -> None:
    commit(signed.top, {"TAS.md": TAS})
    gate_id = ask(signed, text=NEW)
    said = signed_decision.read(to_sign(signed, gate_id))
    assert said
    for part in ("request", "tas_before", "tas_after"):
        message = replace(said, **{part: "2" * 40}).canonical()
        assert code(partial(bring, signed, gate_id, message, keys["ada"].sign(message))) == "STALE_REQUEST"


def test_a_policy_that_is_revoked_while_one_signs_decides_no_more(
    signed: Workspace, keys: dict[str, Key]
) -> None:
    """The policy in force when the decision is written counts, not the one when it was begun."""
    gate_id = ask(signed)
    message = to_sign(signed, gate_id)
    in_force(signed, approvers=[{"principal": "bob@example.org", "key": keys["rogue"].public}])
    assert (
        code(lambda: bring(Workspace.open(signed.top), gate_id, message, keys["ada"].sign(message)))
        == "UNKNOWN_SIGNER"
    )


@pytest.mark.quick
def test_the_own_key_is_found_in_the_policy_for_ssh_agent(
    signed: Workspace, keys: dict[str, Key], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = subprocess.run(
        ["ssh-agent", "-s", "-a", tmp_path / "agent"], capture_output=True, text=True, check=True
    )
    pid = done.stdout.split("SSH_AGENT_PID=")[1].split(";")[0]
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    try:
        subprocess.run(["ssh-add", "-q", keys["ada"].path], check=True, capture_output=True)
        assert gate_approve.run(signed, Approve(ask(signed), sign=True)).reviewer_id == "ada@example.org"
    finally:
        subprocess.run(["kill", pid], check=True)


def test_whose_key_is_not_in_ssh_agent_is_told_how_to_name_its_file(
    signed: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with pytest.raises(DevsError) as caught:
        gate_approve.run(signed, Approve(ask(signed), sign=True))
    assert caught.value.code == "BAD_SIGNATURE"
    assert "--key ~/.ssh/" in caught.value.hint


@pytest.mark.quick
def test_without_any_approver_a_signature_is_by_nobody_known(
    ledgered: Workspace, keys: dict[str, Key]
) -> None:
    gate_id = ask(ledgered)
    assert code(lambda: gate_approve.run(ledgered, Approve(gate_id, sign=True))) == "UNKNOWN_SIGNER"
    request = Approve(gate_id, sign=True, key=str(keys["ada"].path))
    assert code(lambda: gate_approve.run(ledgered, request)) == "UNKNOWN_SIGNER"
    missing = Approve(gate_id, sign=True, key="/nowhere/key")
    assert code(lambda: gate_approve.run(ledgered, missing)) == "INVALID_ARGUMENTS"
