"""A policy is put into force by a decision, and decisions are made under the one in force."""

from __future__ import annotations

import pytest

from devs_git.commands import gate_reject
from devs_git.workspace import Workspace
from tests.support.gate_scene import approve, ask, commit, genesis, in_force, yes
from tests.support.refusals import refusal

Reject = gate_reject.Request


def yes_person(workspace: Workspace) -> str:
    return workspace.identity[1]


def propose(workspace: Workspace, text: str) -> str:
    commit(workspace.top, {"devs-policy.yaml": text})
    return ask(workspace, kind="POLICY_CHANGE")


@pytest.mark.quick
def test_a_policy_counts_once_it_is_approved_and_not_before(ledgered: Workspace) -> None:
    in_force(ledgered)
    policy = f"genesis: '{genesis(ledgered)}'\napprovers:\n  - principal: bob@example.org\n"
    gate_id = propose(ledgered, policy)
    assert Workspace.open(ledgered.top).policy.approvers == ()
    approve(ledgered, gate_id)
    assert [one.principal for one in Workspace.open(ledgered.top).policy.approvers] == ["bob@example.org"]
    event = next(ledgered.ledger.events())
    assert (event.type, event.get("Devs-Gate"), event.get("Devs-Event-Name")) == (
        "policy.set",
        gate_id,
        "GATE_RESOLVED",
    )
    # From here on only bob puts another into force, whatever the tracked file says.
    gate_id = propose(ledgered, policy.replace("bob", "ada"))
    assert refusal(lambda: approve(Workspace.open(ledgered.top), gate_id)).code == "UNKNOWN_SIGNER"


@pytest.mark.parametrize(("kind", "code"), [("MANUAL", "UNKNOWN_SIGNER"), ("POLICY_CHANGE", "STALE_REQUEST")])
def test_the_policy_in_force_when_it_is_written_counts(kind: str, code: str, ledgered: Workspace) -> None:
    in_force(ledgered)
    if kind == "MANUAL":
        gate_id = ask(ledgered, kind=kind)
    else:
        gate_id = propose(ledgered, f"genesis: '{genesis(ledgered)}'\nbackup_limit: 5MB\n")

    def slowly(_text: str) -> None:
        in_force(ledgered, approvers=[{"principal": "bob@example.org"}])

    assert refusal(lambda: approve(ledgered, gate_id, ask=slowly)).code == code
    assert ledgered.ledger.open_gates() == (gate_id,)


def test_whoever_decides_sees_what_would_change_whatever_the_request_says(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[{"principal": yes_person(ledgered)}])
    many = "".join(f"  - principal: p{number}@example.org\n" for number in range(50))
    gate_id = propose(ledgered, f"genesis: '{genesis(ledgered)}'\napprovers:\n{many}")
    asked: list[str] = []
    approve(ledgered, gate_id, ask=asked.append)
    assert any(line[0] == "-" and line.endswith(yes_person(ledgered)) for line in asked[0].splitlines())
    assert asked[0].endswith("\nApprove it?")
    assert f"More lines are not shown (66). See: devs-git gate show {gate_id}" in asked[0]
    assert asked[0].count("\n") < 50


def test_what_is_approved_is_the_policy_as_it_was_proposed(ledgered: Workspace) -> None:
    in_force(ledgered)
    text = f"genesis: '{genesis(ledgered)}'\nbackup_limit: 5MB\n"
    gate_id = propose(ledgered, text)
    commit(ledgered.top, {"devs-policy.yaml": text.replace("5MB", "9MB")})
    approve(ledgered, gate_id)
    assert Workspace.open(ledgered.top).policy.backup_limit == 5_000_000


def test_a_policy_that_changed_meanwhile_makes_a_request_stale(ledgered: Workspace) -> None:
    in_force(ledgered)
    gate_id = propose(ledgered, f"genesis: '{genesis(ledgered)}'\nbackup_limit: 5MB\n")
    in_force(ledgered, backup_limit="7MB")
    assert refusal(lambda: approve(ledgered, gate_id)).code == "STALE_REQUEST"
    gate_reject.run(ledgered, Reject(gate_id, "Stale.", ask=yes))
    assert Workspace.open(ledgered.top).policy.backup_limit == 7_000_000


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("genesis: '" + "0" * 40 + "'\n", "genesis"),
        ("genesis: {}\napproval: {{minimum: signed}}\n", "approvers"),
        ("genesis: {}\nunknown: 1\n", "unknown"),
        ("", "devs-policy.yaml"),
    ],
)
def test_a_policy_that_cannot_be_in_force_is_not_asked_for(
    text: str, field: str, ledgered: Workspace
) -> None:
    in_force(ledgered)
    if text:
        commit(ledgered.top, {"devs-policy.yaml": text.format(f"'{genesis(ledgered)}'")})
    error = refusal(lambda: ask(ledgered, kind="POLICY_CHANGE"))
    assert (error.code, error.details["field"]) == ("POLICY_INVALID", field)
    assert ledgered.ledger.open_gates() == ()
