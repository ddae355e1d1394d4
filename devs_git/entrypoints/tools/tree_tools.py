"""Rows of the tool table: the working tree and the operations that move it."""

from __future__ import annotations

from typing import Final

from devs_git.commands import diff, snapshot_list
from devs_git.domain.checkpoints import branch_names, plan_id
from devs_git.domain.ledger import ids
from devs_git.domain.moments import names
from devs_git.entrypoints.tools.params import (
    BRANCH_NAME,
    CHECKPOINT,
    FORCE,
    LINE,
    LONG,
    NAME,
    PRESERVE,
    STATE_CODES,
    UNTRACKED,
    limit,
    number_schema,
    text_schema,
)
from devs_git.entrypoints.tools.tool import FLAG, TEXT, Param, Tool

_SNAPSHOT: Final = f"snapshot/{branch_names.CHARACTERS}*"
_PLACE: Final = f"{ids.TARGET_FORM}|{names.FORM}|{_SNAPSHOT}"
_PLACE_TEXT: Final = (
    CHECKPOINT
    + " Or a moment: moment:-1 (the last), moment:14:32, moment:SESSION/3 (its third prompt), moment:3fa9c1d2;"
    " or snapshot/NAME."
)

TOOLS: Final = (
    Tool("git_status", "status", "Show branch, changed files, active task and open gates of this worktree."),
    Tool(
        "git_diff",
        "diff",
        "Show what the working tree changed since HEAD, staged or not: files and totals. With hunks also the changed lines, up to a limit (`truncated`).",
        (
            Param("against", TEXT, "The checkpoint, moment or commit to compare with. Default: HEAD."),
            Param("hunks", FLAG, "Include the changed lines."),
            Param(
                "hunk_lines",
                number_schema(diff.MOST_LINES),
                "The most changed lines in the answer.",
            ),
        ),
        codes=(*STATE_CODES, "CONFLICT"),
    ),
    Tool(
        "list_snapshots",
        "snapshot list",
        "List the snapshots: saved working trees on local branches.",
        (limit(snapshot_list.MOST), Param("cursor", TEXT, "An earlier next_cursor.")),
    ),
    Tool(
        "create_snapshot",
        "snapshot create",
        "Save the working tree with its untracked files as a commit on a local branch, "
        "without touching HEAD, index or files.",
        (Param("message", TEXT, "A description of this state, in one line."),),
        codes=("CONFLICT",),
    ),
    Tool(
        "git_checkout",
        "checkout",
        "Switch this worktree to a local branch. Branches of remotes and special refs are refused.",
        (
            Param("branch_name", NAME, "A local branch.", required=True),
            Param(
                "repo_path",
                TEXT,
                "The worktree to switch. Default: the one that is served.",
                worktree=True,
            ),
        ),
        moves_tree=True,
        codes=("INVALID_BRANCH", "CHECKOUT_FAILED", "CHECKOUT_TIMEOUT"),
    ),
    Tool(
        "restore_files",
        "restore",
        "Bring files of a checkpoint or snapshot back as a new commit; undo_rewind takes it back. "
        "It is refused if it would overwrite changes or untracked files; files of a moment come into the "
        "working tree without a commit, and what they overwrite is saved first.",
        (
            Param(
                "checkpoint",
                text_schema(f"({_PLACE})", most=branch_names.LONGEST),
                _PLACE_TEXT,
                "target",
                required=True,
            ),
            Param(
                "paths",
                {"type": "array", "items": {**TEXT, "minLength": 1}},
                "Paths to bring back, relative to the root. Default: all.",
            ),
        ),
        moves_tree=True,
        codes=(*STATE_CODES, "HISTORY_REWRITTEN", "GIT_RESET_FAILED", "CONFLICT"),
    ),
    Tool(
        "preview_rewind",
        "rewind",
        "Show what rewind_to_task would do, and write nothing: tasks and files that change, what refuses it (blocked_by), and "
        "what is not covered. Pass the plan_id of the answer to rewind_to_task.",
        (
            Param(
                "task_id",
                text_schema(f"({_PLACE})", most=branch_names.LONGEST),
                _PLACE_TEXT,
                "target",
                required=True,
            ),
            PRESERVE,
            BRANCH_NAME,
            UNTRACKED,
        ),
        {"dry_run": True},
        codes=(
            *STATE_CODES,
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "TASK_EXISTS",
            "INVALID_BRANCH",
            "CONFLICT",
        ),
        more="An open gate does not refuse it; the answer names the gate in `blocked_by`.",
    ),
    Tool(
        "rewind_to_task",
        "rewind",
        "Go back to a checkpoint: branch and tracked files become what they were then; all that moves is saved before, and "
        "undo_rewind brings every byte back; of a moment, uncommitted changes and untracked files come back, too. "
        "Call preview_rewind first: a call with its plan_id does exactly that, or answers PLAN_STALE.",
        (
            Param(
                "task_id",
                text_schema(_PLACE, empty=True, most=branch_names.LONGEST),
                "As in preview_rewind.",
                "target",
            ),
            FORCE,
            Param("dry_run", FLAG, "Say what would happen; write nothing."),
            PRESERVE,
            BRANCH_NAME,
            UNTRACKED,
            Param(
                "plan_id",
                text_schema(plan_id.FORM, empty=True),
                "The plan_id of preview_rewind, instead of the other arguments.",
            ),
        ),
        moves_tree=True,
        codes=(
            *STATE_CODES,
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "TASK_EXISTS",
            "PLAN_STALE",
            "INVALID_BRANCH",
            "CONFLICT",
        ),
        more="Tasks that were finished later become rewound. Untracked and ignored files stay. A file that was not tracked "
        "then is removed from the working tree. A backup ref has the state before. Ignored files, nested repositories and "
        "submodules are not covered; `not_covered` names them. `dry_run` does the same as `preview_rewind`, but clients "
        "ask a person before each call of a tool that is marked as destructive.",
    ),
    Tool(
        "drop_task",
        "drop",
        "Undo one task in the middle, and keep the later ones, by a new commit; undo_rewind takes that back. "
        "A conflict with later changes changes nothing, and names the files.",
        (
            Param("task_id", text_schema(ids.TASK_FORM), "The task: 10 or task-10.", required=True),
            Param("dry_run", FLAG, "Only say what would happen."),
        ),
        moves_tree=True,
        codes=(
            "TASK_NOT_FOUND",
            "NO_CHECKPOINT",
            "TASK_ACTIVE",
            "TAS_UNAPPROVED",
            "GIT_RESET_FAILED",
            "PLAN_STALE",
            "CONFLICT",
        ),
    ),
    Tool(
        "fork_task",
        "fork",
        "Start a new task from an earlier state, in a branch and worktree of its own, with the conversation up to there. The "
        "source does not change.",
        (
            Param(
                "task_id",
                text_schema(f"({_PLACE})", most=branch_names.LONGEST),
                "A task, task-10@2, task-10@0 (where it began), or a moment.",
                "target",
                required=True,
            ),
            Param("new_task_name", LINE, "The id of the new task, or a title.", "name", required=True),
            Param("new_task_plan", LONG, "Its plan.", "plan"),
            Param(
                "fork_from_type",
                {**TEXT, "enum": ["checkpoint", "timestamp", "message_id"]},
                "What fork_from_value is.",
                "from_type",
            ),
            Param(
                "fork_from_value",
                TEXT,
                "A checkpoint; or a time or message: the newest state not after it.",
                "from_value",
            ),
            Param("include_conversation", FLAG, "Default: true.", "conversation"),
            Param(
                "to",
                {**TEXT, "enum": ["", "claude", "codex"]},
                "The client of the session. Default: its own.",
            ),
            Param("create_branch", FLAG, "Default: true."),
            Param("branch_name", NAME, "Default: the new id.", "branch"),
        ),
        codes=(
            *STATE_CODES,
            "MESSAGE_NOT_FOUND",
            "TASK_EXISTS",
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "INVALID_BRANCH",
            "CONFLICT",
        ),
        more="The worktree is beside the repository: `repo-task-10b` beside `repo`. Without `create_branch` its HEAD is "
        "detached. `to_do` says what a person has to do before gates reach the worktree.",
    ),
    Tool(
        "undo_rewind",
        "undo",
        "Return from the last rewind, drop, restore or undo of this worktree and branch, to the byte. A second call redoes it.",
        (
            Param("rewind_id", TEXT, "The id of an earlier operation. Default: the last one.", "op_id"),
            PRESERVE,
            BRANCH_NAME,
            UNTRACKED,
            Param("dry_run", FLAG, "Say what would happen; write nothing."),
        ),
        moves_tree=True,
        codes=(
            "NOTHING_TO_UNDO",
            "TASK_EXISTS",
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "INVALID_BRANCH",
            "CONFLICT",
        ),
    ),
)
