"""Arguments that several tools take."""

from __future__ import annotations

from typing import Final

from devs_git.entrypoints.tools.tool import COUNT, TEXT, Param

CHECKPOINT: Final = "A checkpoint: task-10 (its completion), task-10@3 (its third numbered one), or the oid of one, seven digits of it at least."
TASK: Final = Param("task_id", TEXT, "The task's id: 10 or task-10.", required=True)
LIMIT: Final = Param("limit", {**COUNT, "minimum": 1}, "At most so many rows.")
CURSOR: Final = Param("cursor", TEXT, "The next_cursor of an earlier answer: go on there.")
PRESERVE: Final = Param(
    "preserve",
    {"type": "string", "enum": ["branch", "create_branch", "stash", "discard"]},
    "What is left of the present state beside the backup that is always kept: a branch, a stash entry, or neither. "
    "Without it a clean tree leaves a branch, and tracked changes refuse the call.",
)
BRANCH_NAME: Final = Param("branch_name", TEXT, "What the preserved branch is called.")
MESSAGE: Final = Param("message", TEXT, "The commit's and the checkpoint's message.")
