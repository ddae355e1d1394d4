"""Which schema each record of the ledger has, and which fields each schema must require.

The schemas in `schemas/` describe the fields. The required ones are repeated here, so that `verify schemas` finds a schema
that no longer requires one of them.
"""

from __future__ import annotations

import re
from typing import Final

from devs_git.domain.ledger.ids import FOLDERS_FORM

REQUEST: Final = "request"  # the schema depends on the type of gate
_PLACES: Final = (
    (re.compile(r"policy\.yaml"), "policy"),
    (re.compile(r"gates/[^/]+/request\.yaml"), REQUEST),
    (re.compile(r"gates/[^/]+/decision\.yaml"), "decision"),
    (re.compile(rf"{FOLDERS_FORM}[^/]+/[^/]+\.yaml"), "task"),
    (re.compile(r"rewinds/[^/]+\.yaml"), "rewind"),
    (re.compile(r"directives/[^/]+\.yaml"), "directive"),
)
_ASKED: Final = ("gate_id", "gate_type", "agent_id", "task_id", "blocker_description", "created_at", "branch")
_STOOD: Final = ("git_head", "heads")
REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "policy": ("genesis",),
    "gate-request": (*_ASKED, *_STOOD),
    "tas-revision-request": (*_ASKED, *_STOOD, "proposed_changes", "tas_path", "tas_before", "tas_after"),
    "decision": (
        *("gate_id", "decision", "resolution_reason", "reviewer_id", "resolved_at", "approval", "request"),
        *("tas_before", "tas_after", "nonce"),
    ),
    "task": ("task_id",),
    "rewind": ("rewind_id", "target", "from_commit", "to_commit", "backup"),
    "directive": ("directive_id", "text", "created_at"),
    "trace": ("trace_id", "created_at", "task_id", "session_id", "tool_name", "is_error", "input", "parts"),
    "trace-part": ("part",),
    "session": ("session_id", "client", "messages"),
    "message": ("message_id", "role", "created_at", "body", "native"),
    "resume-bundle": (
        *("schema", "mode", "task", "code", "changes", "gates", "directives", "rewound", "conversation"),
        *("omitted", "tokens"),
    ),
}


def noun_of(path: str) -> str:
    """The name of the schema for a file of the ledger, REQUEST for a gate's request; '' if no record belongs there."""
    return next((noun for form, noun in _PLACES if form.fullmatch(path)), "")
