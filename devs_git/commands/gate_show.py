"""`gate show`: one gate on one page: what is asked, what would change, which commands wait, how to answer. Tier 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devs_git.domain.gates import deciders, gate_model, tas_sections
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.gates.policy import Policy
from devs_git.domain.verbs import VERBS, VerbRequest
from devs_git.operations.gates import named_gate
from devs_git.storage.documents import tas_file
from devs_git.storage.ledger import checked_tip, gate_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    gate_id: str

    def __post_init__(self) -> None:
        gate_model.gate_name(self.gate_id)


@immutable
class Result:
    """`missing`: what the request names and this repository lacks. `notes`: what the person who decides should know.

    `frozen`: the verbs that wait while the gate is open. `diff`: of the TAS, or of the policy.
    """

    gate_id: str
    gate_type: str
    agent_id: str | None
    task_id: str | None
    blocker_description: str
    proposed_changes: Mapping[str, Any] | None
    status: str
    resolution_reason: str | None
    reviewer_id: str | None
    resolved_at: str | None
    approval: str | None
    created_at: str
    branch: str | None
    git_head: str | None
    request: str
    tas_path: str | None
    tas_before: str | None
    tas_after: str | None
    diff: str
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    frozen: tuple[str, ...]
    approve: str
    reject: str
    requested_by: str | None = None


def settle(workspace: Workspace, request: Request) -> Request:
    """The request with the whole id of its gate."""
    return replace(request, gate_id=named_gate.find(workspace, request.gate_id))


def run(workspace: Workspace, request: Request) -> Result:
    """GATE_NOT_FOUND, NOT_INITIALIZED."""
    from devs_git.operations.gates import gate_change  # not needed for the list of tools

    tip = workspace.ledger.require()
    gate = gate_files.find(tip, request.gate_id)
    policy = checked_tip.policy_at(tip)
    before = tas_file.text(workspace.store_git, gate.text("tas_before"))
    waits = request.gate_id in gate_files.open_ids(tip)
    decision: Mapping[str, Any] = gate.decision or {}
    asked = gate.request
    return Result(
        gate_id=gate.gate_id,
        gate_type=gate.gate_type,
        agent_id=asked.get("agent_id"),
        task_id=asked.get("task_id"),
        blocker_description=gate.text("blocker_description"),
        proposed_changes=asked.get("proposed_changes"),
        status=gate.status,
        resolution_reason=decision.get("resolution_reason"),
        reviewer_id=decision.get("reviewer_id"),
        resolved_at=decision.get("resolved_at"),
        approval=decision.get("approval"),
        created_at=gate.text("created_at"),
        branch=asked.get("branch"),
        git_head=asked.get("git_head"),
        request=gate.request_oid,
        tas_path=asked.get("tas_path"),
        tas_before=asked.get("tas_before"),
        tas_after=asked.get("tas_after"),
        diff=gate_change.as_diff(tip, gate, before),
        missing=tuple(_find_missing(tip, gate, before)),
        notes=tuple(_notes(gate, policy, before, workspace.identity[1] if waits else "", waits=waits)),
        frozen=tuple(name for name, row in VERBS.items() if not row.runs_while_frozen) if waits else (),
        approve=f"devs-git gate approve {gate.gate_id}",
        reject=f"devs-git gate reject {gate.gate_id} --reason …",
        requested_by=asked.get("requested_by"),
    )


def _find_missing(tip: Tip, gate: Gate, before: str) -> list[str]:
    found = []
    task = gate.text("task_id")
    if task and task not in listing.of_tasks(tip, task).tasks:
        found.append(f"The task {task} is not known here.")
    if gate.gate_type == gate_model.TAS_REVISION:
        if not gate.request.get("tas_before"):
            found.append(f"{gate.text('tas_path')} did not exist when the request was made.")
        else:
            found += [
                f"{gate.text('tas_path')} has no section {name}."
                for name in gate.sections
                if not tas_sections.find(before, name)
            ]
    return found


def _notes(gate: Gate, policy: Policy, before: str, mail: str, *, waits: bool) -> list[str]:
    found = []
    if gate.flaw:
        found.append(f"The decision in the ledger does not count: {gate.flaw}.")
    if not waits:
        return found
    found.append(deciders.who_decides(policy, mail) or gate_model.NO_APPROVER)
    if policy.approvers and policy.approval_minimum == gate_model.SIGNED:
        found.append("The policy asks for a signed decision: add --sign.")
    if gate.proposed_text is not None:
        others = tas_sections.changed_outside(before, gate.proposed_text, gate.sections)
        found += [
            f"The proposed text also changes sections that the request does not name: {name}."
            for name in others
        ]
    elif gate.gate_type == gate_model.TAS_REVISION:
        found.append(
            "The request proposes no text. After an approval, a person or an agent may change these sections on this branch."
        )
    return found
