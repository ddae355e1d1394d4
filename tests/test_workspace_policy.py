"""The policy in force is the ledger's, read when it is asked for."""

from __future__ import annotations

import pytest

from devs_git.domain.gates.policy import parse
from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick


def in_force(workspace: Workspace, text: str) -> Workspace:
    event = workspace.event("policy.set", "policy: x", verb_name="init")
    workspace.append(lambda _tip: Draft(event, (("policy.yaml", text.encode()),)))
    return Workspace.open(workspace.top)


def test_without_a_ledger_the_defaults_hold(workspace: Workspace) -> None:
    assert workspace.policy == parse({})
    assert workspace.checkpoint_on_commit


@pytest.mark.parametrize("line", ["checkpoint_on_commit: false", '"checkpoint_on_commit": false'])
def test_the_policy_of_the_ledger_counts_and_not_the_tracked_file(line: str, ledgered: Workspace) -> None:
    (ledgered.top / "devs-policy.yaml").write_text("checkpoint_on_commit: true\n")
    workspace = in_force(ledgered, f"genesis: '{'0' * 40}'\n{line}\n")
    assert not workspace.policy.checkpoint_on_commit
    assert not workspace.checkpoint_on_commit


def test_a_damaged_policy_is_refused_with_its_line(ledgered: Workspace) -> None:
    workspace = in_force(ledgered, "genesis: x\n")
    with pytest.raises(DevsError) as caught:
        _ = workspace.policy
    assert (caught.value.code, caught.value.details["line"]) == ("POLICY_INVALID", 1)
