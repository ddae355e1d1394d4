"""Rows of the tool table: gates. Tools can request a gate and read gates; none decides one."""

from __future__ import annotations

from typing import Final

from devs_git.commands import gate_list
from devs_git.domain.checkpoints.commit_trailers import AGENTS
from devs_git.domain.gates import gate_model
from devs_git.domain.text import plain_text
from devs_git.entrypoints.tools.params import ONE_TASK, limit, text_schema
from devs_git.entrypoints.tools.tool import TEXT, Param, Tool

_LINE: Final = text_schema(plain_text.form())
_TEXT: Final = {**text_schema(plain_text.form("\n\t")), "minLength": gate_model.LEAST}

TOOLS: Final = (
    Tool(
        "request_tas_revision",
        "gate request",
        "Ask a person to approve a change of the Technical Architecture Specification (TAS). Until the person decides, "
        "no work can be written: wait, because no tool decides.",
        (
            Param(
                "agent_id",
                {**TEXT, "enum": [*AGENTS]},
                "Your role.",
                required=True,
            ),
            Param("task_id", ONE_TASK, "The task that is blocked.", required=True),
            Param(
                "blocker_description",
                {**_TEXT, "maxLength": gate_model.MOST},
                "What blocks the task: 20 to 2000 characters.",
                required=True,
            ),
            Param(
                "proposed_changes",
                {
                    "type": "object",
                    "properties": {
                        "sections_to_modify": {
                            "type": "array",
                            "items": {**_LINE, "minLength": 1, "maxLength": gate_model.SECTION_MOST},
                            "minItems": 1,
                            "description": "Numbers or headings of sections; at least one.",
                        },
                        "rationale": {
                            **_TEXT,
                            "description": "Why the TAS should change: 20 characters or more.",
                        },
                        "risk_assessment": {
                            **_TEXT,
                            "description": "What could go wrong: 20 characters or more.",
                        },
                        "proposed_text": {
                            **text_schema(plain_text.form("\n\t\r")),
                            "minLength": 1,
                            "description": "The whole TAS after the change.",
                        },
                    },
                    "required": ["sections_to_modify", "rationale", "risk_assessment"],
                    "additionalProperties": False,
                },
                "The change.",
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
                {**TEXT, "enum": [*gate_model.STATUSES, gate_list.ALL]},
                "Their status. Default: those that wait.",
            ),
            Param(
                "gate_type",
                {**TEXT, "enum": [*gate_model.TYPES]},
                "Their type.",
            ),
            limit(gate_list.MOST),
            Param("cursor", TEXT, "An earlier next_cursor."),
        ),
    ),
    Tool(
        "get_gate",
        "gate show",
        "Show one gate: what is asked, what is refused meanwhile, and the decision.",
        (Param("gate_id", text_schema(gate_model.GATE_ID_FORM), "Its id.", required=True),),
        codes=("GATE_NOT_FOUND",),
    ),
)
