"""`gate request`: ask a person to decide. Write commands are refused until there is an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devs_git.domain.gates import deciders, gate_model
from devs_git.domain.gates.gate_model import Question
from devs_git.domain.ledger.event_gates import GateRequested
from devs_git.domain.ledger.events import Draft
from devs_git.domain.text.times import stamp
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.gates import notify
from devs_git.operations.gates.request_gate import GateRequest
from devs_git.storage.ledger import checked_tip, gate_files
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """The fields of `domain.gates.gate_model.Question`; `proposed_changes` is a mapping."""

    gate_type: Any = None
    agent_id: Any = None
    task_id: Any = None
    blocker_description: Any = None
    proposed_changes: Mapping[str, Any] | None = None
    requested_by: Any = None

    def __post_init__(self) -> None:
        _ = self.question

    @property
    def question(self) -> Question:
        return gate_model.question(vars(self))


@immutable
class Result:
    """The new gate. `notes`: who may answer it."""

    gate_id: str
    status: str
    notes: tuple[str, ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """Open the gate; GATE_ALREADY_ACTIVE{existing_gate_id}, POLICY_INVALID, NOT_INITIALIZED."""
    asked = request.question
    workspace.ledger.require()
    asking = GateRequest(workspace.git, workspace.store_git, workspace.new_gate_id(), asked)

    def build(tip: Tip) -> Draft:
        _refuse_second(tip, asked)
        file = asking.file(tip, stamp(workspace.clock()))
        marker = gate_files.marker(asked.gate_type)
        files = (
            (gate_files.request_path(asking.gate_id), file),
            (gate_files.marker_path(asking.gate_id), marker),
        )
        return Draft(_event(workspace, asking), files)

    workspace.append(build)
    policy = checked_tip.policy_at(workspace.ledger.tip())
    _tell(workspace, asking, policy.notify)
    anybody = f"Each person at a terminal may answer it: devs-git gate approve {asking.gate_id}"
    who = deciders.who_decides(policy, workspace.identity[1]) or anybody
    return Result(asking.gate_id, gate_model.PENDING, (who,))


def _refuse_second(tip: Tip, asked: Question) -> None:
    """GATE_ALREADY_ACTIVE: only one TAS revision may wait. The check and the write are one compare-and-swap of the ledger."""
    active = gate_files.active_revision(tip) if asked.gate_type == gate_model.TAS_REVISION else ""
    if active:
        raise DevsError(
            "GATE_ALREADY_ACTIVE",
            f"Another TAS revision already waits for a decision: gate {active}.",
            hint=f"Wait for it: devs-git gate wait {active}",
            existing_gate_id=active,
        )


def _event(workspace: Workspace, asking: GateRequest) -> Any:
    asked = asking.asked
    content = GateRequested(asking.gate_id, asked.gate_type, asked.agent_id, asked.task_id)
    return workspace.event_of(content, gate_model.subject(asked), verb_name="gate request")


def _tell(workspace: Workspace, asking: GateRequest, command: str) -> None:
    if command:
        asked = asking.asked
        facts = {
            "gate_type": asked.gate_type,
            "gate_id": asking.gate_id,
            "agent_id": asked.agent_id,
            "task_id": asked.task_id,
        }
        notify.start(command, workspace.places.top or workspace.places.common, GateRequested.NAME, facts)
