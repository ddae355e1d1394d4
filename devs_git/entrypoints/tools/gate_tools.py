"""Rows of the tool table: asking a person. No tool decides."""

from __future__ import annotations

from typing import Final

from devs_git.entrypoints.tools.tool import TEXT, Param, Tool

TOOLS: Final = (
    Tool(
        "request_tas_revision",
        "gate request",
        "Ask a person to let the Technical Architecture Specification be revised. All write "
        "work freezes until a person has decided; wait for that. No tool decides.",
        (
            Param(
                "agent_id",
                {"type": "string"},
                "Your role: researcher, architect, developer or reviewer.",
                required=True,
            ),
            Param("task_id", TEXT, "The task that is blocked.", required=True),
            Param(
                "blocker_description", TEXT, "What stands in the way: 20 to 2000 characters.", required=True
            ),
            Param(
                "proposed_changes",
                {
                    "type": "object",
                    "properties": {
                        "sections_to_modify": {
                            "type": "array",
                            "items": TEXT,
                            "description": "Headings or numbers; one at least.",
                        },
                        "rationale": {"type": "string", "description": "Why: 20 characters or more."},
                        "risk_assessment": {
                            "type": "string",
                            "description": "What could go wrong: 20 characters or more.",
                        },
                        "proposed_text": {
                            "type": "string",
                            "description": "The whole TAS as it should become.",
                        },
                    },
                    "required": ["sections_to_modify", "rationale", "risk_assessment"],
                    "additionalProperties": False,
                },
                "What is to be changed.",
                required=True,
            ),
        ),
        {"gate_type": "TAS_REVISION"},
        codes=("GATE_ALREADY_ACTIVE", "POLICY_INVALID"),
    ),
    Tool(
        "list_gates",
        "gate list",
        "List the gates that wait for a person's decision.",
        (
            Param(
                "status",
                {"type": "string", "enum": ["PENDING_APPROVAL", "APPROVED", "REJECTED", "ALL"]},
                "Which; else those that wait.",
            ),
            Param(
                "gate_type",
                {"type": "string", "enum": ["TAS_REVISION", "MANUAL", "POLICY_CHANGE"]},
                "Only of this type.",
            ),
        ),
    ),
    Tool(
        "get_gate",
        "gate show",
        "Show one gate: what is asked, what is frozen, and once decided the decision with its reason.",
        (Param("gate_id", TEXT, "The gate's id.", required=True),),
        codes=("GATE_NOT_FOUND",),
    ),
)
