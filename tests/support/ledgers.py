"""Make ledgers for tests, and put policies into force without a person."""

from __future__ import annotations

import uuid
from typing import Any

from devs_git.domain.gates import gate_model as asked
from devs_git.domain.gates.policy import first
from devs_git.domain.ledger.events import IN_FORCE, LEDGER, Draft, RefUpdate
from devs_git.storage.documents import yaml_documents
from devs_git.storage.git import refs
from devs_git.storage.ledger import gate_files, policy_file
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace


def begin(workspace: Workspace) -> None:
    """A genesis and the first policy, as `init` writes them."""
    genesis = Draft(
        workspace.event("ledger.created", "ledger: begin", verb_name="init"),
        (("README.md", b"The ledger.\n"),),
    )
    policy_file.begin_ledger(workspace.ledger, genesis, lambda root: _policy(workspace, first(root)))


def _policy(workspace: Workspace, record: dict[str, Any]) -> Draft:
    event = workspace.event("policy.set", "policy: of a test", verb_name="init")
    return Draft(event, ((IN_FORCE, policy_file.in_force(record)),))


def root_of(workspace: Workspace) -> str:
    return workspace.store_git.text("rev-list", "--max-parents=0", LEDGER)


def first_policy(workspace: Workspace) -> str:
    """The event that set the first policy."""
    return policy_file.first_event(workspace.store_git, LEDGER)


def in_force(workspace: Workspace, **record: Any) -> None:
    """Put a policy into force: as the first policy if the ledger has no later event, else by an unsigned decision."""
    whole = {"genesis": root_of(workspace), **record}
    tip = workspace.ledger.tip()
    if len(list(workspace.ledger.events())) > 2:
        put_policy_in_force(workspace, **record)
        return
    event = workspace.ledger.write_commit(Tip(workspace.ledger, whole["genesis"]), _policy(workspace, whole))
    move = RefUpdate(LEDGER, event.oid, tip.oid)
    refs.transaction(workspace.ledger.git, [move], "devs: another first policy")
    workspace.ledger.note_checked(event.oid)


def put_policy_in_force(workspace: Workspace, **record: Any) -> None:
    """Put a policy into force by a request and an unsigned decision."""
    whole = {"genesis": root_of(workspace), **record}
    gate_id = str(uuid.uuid4())
    text = yaml_documents.dump(whole, "policy", comment="").decode()
    before = asked.blob_oid(workspace.ledger.tip().read(IN_FORCE) or b"")
    request: dict[str, Any] = {
        "gate_id": gate_id,
        "gate_type": "POLICY_CHANGE",
        "agent_id": None,
        "task_id": None,
        "blocker_description": "A test wants another policy.",
        "proposed_policy": text,
        "policy_before": before,
        "created_at": "2001-02-03T04:05:06.000Z",
        "branch": None,
        "git_head": None,
        "heads": {},
    }
    data = yaml_documents.dump(request, gate_files.schema_of("POLICY_CHANGE"), comment="")
    files = (
        (gate_files.request_path(gate_id), data),
        (gate_files.marker_path(gate_id), gate_files.marker("POLICY_CHANGE")),
    )
    event = workspace.event("gate.requested", "gate: a test asks", ("Devs-Gate", gate_id), verb_name="init")
    workspace.append(lambda _tip: Draft(event, files))
    decision = {
        "gate_id": gate_id,
        "decision": asked.APPROVED,
        "resolution_reason": None,
        "reviewer_id": workspace.identity[1],
        "resolved_at": "2001-02-03T04:05:06.000Z",
        "approval": asked.UNSIGNED,
        "request": asked.blob_oid(data),
        "tas_before": None,
        "tas_after": None,
        "nonce": "0" * 32,
    }
    said = (
        (
            gate_files.decision_path(gate_id),
            yaml_documents.dump(decision, gate_files.DECISION_SCHEMA, comment=""),
        ),
        (gate_files.marker_path(gate_id), None),
        (IN_FORCE, policy_file.in_force(whole)),
    )
    done = workspace.event("policy.set", "policy: of a test", ("Devs-Gate", gate_id), verb_name="init")
    workspace.append(lambda _tip: Draft(done, said))
