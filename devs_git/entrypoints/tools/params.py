"""Parameters that several tools share, and the schemas of their values.

A schema refuses no value that the verb accepts. The verb may still refuse a value that the schema accepts, such as a name
with `..`, and then says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from devs_git.domain.checkpoints import branch_names, rewind_selection
from devs_git.domain.ledger import ids
from devs_git.domain.moments import names
from devs_git.domain.text import field_values
from devs_git.entrypoints.tools.tool import COUNT, FLAG, TEXT, Param


def text_schema(pattern: str, *, empty: bool = False, most: int = 0) -> dict[str, Any]:
    """The schema of a text that matches the pattern as a whole, or is `empty` if that is allowed; `most`: its highest length."""
    anchored = f"^({pattern})?$" if empty else f"^{pattern}$"
    return {**TEXT, "pattern": anchored, **({"maxLength": most} if most else {})}


def number_schema(most: int) -> dict[str, Any]:
    """The schema of a number from 1 to `most`."""
    return {**COUNT, "minimum": 1, "maximum": most}


def some_of(names: Sequence[str]) -> dict[str, Any]:
    """The schema of a list of these names."""
    return {"type": "array", "items": {**TEXT, "enum": [*names]}}


def limit(most: int) -> Param:
    return Param("limit", number_schema(most), "Rows at most.")


def cursor(pattern: str) -> Param:
    return Param("cursor", text_schema(pattern, empty=True), "An earlier next_cursor.")


TARGET: Final = text_schema(ids.TARGET_FORM)
LINE: Final = text_schema(field_values.VALUE_FORM, most=field_values.MAX_VALUE)
LONG: Final = {**TEXT, "maxLength": field_values.MAX_TEXT}
NAME: Final = text_schema(branch_names.FORM, most=branch_names.LONGEST)
ONE_TASK: Final = text_schema(ids.TASK_FORM)
ANY_TASK: Final = text_schema(ids.TASK_FORM, empty=True)
SESSION: Final = text_schema(field_values.SESSION_FORM, empty=True)
OID: Final = text_schema(ids.OID_FORM, empty=True)
# A checkpoint, a snapshot or a moment.
STATE: Final = text_schema(f"({ids.TARGET_FORM}|{names.SNAPSHOT_FORM}|{names.FORM})")
# The codes if no checkpoint, or no state, has the name that was given.
CHECKPOINT_CODES: Final = ("TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND", "NO_CHECKPOINT")
STATE_CODES: Final = (*CHECKPOINT_CODES, "SNAPSHOT_NOT_FOUND", "MOMENT_NOT_FOUND")
MOMENT: Final = "Or a moment: moment:-1 (the last), moment:14:32, moment:SESSION/3 (its third prompt), moment:3fa9c1d2; or snapshot/NAME."
CHECKPOINT: Final = "A checkpoint: task-10 (its completion), task-10@3, or an oid."
TASK: Final = Param("task_id", ONE_TASK, "The task: 10 or task-10.", required=True)
ACTIVE_TASK: Final = Param("task_id", ONE_TASK, "Default: the active task of this worktree.")
OWN_FILES: Final = (
    Param(
        "mine",
        FLAG,
        "Commit only whole files that no other session or person wrote since HEAD; name the others.",
    ),
    Param(
        "session",
        TEXT,
        "With mine: the id of your session. Needed if several work here.",
    ),
)
PRESERVE: Final = Param(
    "preserve",
    {**TEXT, "enum": ["create_branch", *rewind_selection.PRESERVE]},
    "How to save the state besides the backup. Default: tracked changes refuse the call.",
)
BRANCH_NAME: Final = Param("branch_name", NAME, "The branch's name.")
UNTRACKED: Final = Param(
    "untracked",
    {**TEXT, "enum": list(rewind_selection.UNTRACKED)},
    "What goes into the backup. save: what is in the way; remove: all but ignored files.",
)
FORCE: Final = Param("force", FLAG, "Do it anyway.")
MESSAGE: Final = Param("message", LONG, "Of the commit and the checkpoint.")
