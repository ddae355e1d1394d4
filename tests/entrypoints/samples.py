"""Sample arguments of tools by their names; all others are a text."""

from __future__ import annotations

from devs_git.entrypoints.tools.table import TOOLS

ARGUMENTS: dict[str, dict[str, object]] = {
    "checkpoint": {"checkpoint": "task-1"},
    "task_id": {"task_id": "1"},
    "branch_name": {"branch_name": "other"},
    "result": {"result": "It works."},
    "gate_id": {"gate_id": "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"},
    "traceId": {"traceId": "t-1"},
    "output": {"output": "printed"},
    "to_message_id": {"to_message_id": "m1"},
    "agent_id": {"agent_id": "developer"},
    "blocker_description": {"blocker_description": "The contract contradicts the data."},
    "proposed_changes": {
        "proposed_changes": {
            "sections_to_modify": ["2.3"],
            "rationale": "It says two things about one field.",
            "risk_assessment": "Clients that rely on the first reading.",
        }
    },
}


def sample(name: str) -> dict[str, object]:
    """Valid arguments for a tool: the required ones, the task if it takes one, and one where it needs one of several."""
    found: dict[str, object] = {}
    for one in TOOLS[name].params:
        if one.required or one.name in ("task_id", "to_message_id"):
            found |= ARGUMENTS.get(one.name, {one.name: "1"})
    return found
