"""Rows of the tool table: the working tree, and what moves it."""

from __future__ import annotations

from typing import Final

from devs_git.commands import diff
from devs_git.domain.checkpoints import branch_names, plan_id
from devs_git.domain.ledger import ids
from devs_git.entrypoints.tools.params import (
    BRANCH_NAME,
    CHECKPOINT,
    NAME,
    PRESERVE,
    UNTRACKED,
    number_schema,
    text_schema,
)
from devs_git.entrypoints.tools.tool import FLAG, TEXT, Param, Tool

TOOLS: Final = (
    Tool("git_status", "status", "Show working tree, branch, active task and open gates of this worktree."),
    Tool(
        "git_diff",
        "diff",
        "What the working tree has, staged or not, that HEAD has not: file by file, with totals; lines on demand, up to a "
        "limit that the answer tells of. Untracked files are not in it: git_status names them.",
        (
            Param("against", TEXT, "Instead of HEAD: a checkpoint or a commit."),
            Param("hunks", FLAG, "The changed lines, too."),
            Param("hunk_lines", number_schema(diff.MOST_LINES), "At most so many lines in all."),
        ),
        codes=("TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND", "NO_CHECKPOINT", "CONFLICT"),
    ),
    Tool("list_snapshots", "snapshot list", "List the snapshots: saved working trees on local branches."),
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
        "Switch this worktree to a local branch, to look around or work there. Remotes' branches, "
        "special refs and anything like an option are refused.",
        (
            Param("branch_name", NAME, "A local branch.", required=True),
            Param(
                "repo_path",
                TEXT,
                "The worktree to switch: of this repository; else the one that is served.",
                worktree=True,
            ),
        ),
        moves_tree=True,
        codes=("INVALID_BRANCH", "CHECKOUT_FAILED", "CHECKOUT_TIMEOUT"),
    ),
    Tool(
        "restore_files",
        "restore",
        "Bring files of a checkpoint or snapshot back as a new commit on this branch: history is kept. "
        "Refused where tracked changes or untracked files would be overwritten; undo_rewind takes it back.",
        (
            Param(
                "checkpoint",
                text_schema(
                    f"({ids.TARGET_FORM}|snapshot/{branch_names.CHARACTERS}*)", most=branch_names.LONGEST
                ),
                CHECKPOINT + " Or a snapshot's branch.",
                "target",
                required=True,
            ),
            Param(
                "paths",
                {"type": "array", "items": {**TEXT, "minLength": 1}},
                "Only these, relative to the repository's root; else all.",
            ),
        ),
        moves_tree=True,
        codes=(
            "TASK_NOT_FOUND",
            "CHECKPOINT_NOT_FOUND",
            "NO_CHECKPOINT",
            "SNAPSHOT_NOT_FOUND",
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "CONFLICT",
        ),
    ),
    Tool(
        "rewind_to_task",
        "rewind",
        "Go back to a checkpoint: branch and tracked files become what they were then, tasks finished "
        "since become rewound. Untracked and ignored files stay where they are; a file tracked now and absent then leaves, "
        "and stays reachable. Everything that moves is kept behind a backup ref first, and undo_rewind brings it back to the "
        "byte. Not covered: ignored files, nested repositories and submodules (not_covered names them). Call it with dry_run "
        "first: that writes nothing and gives a plan_id; a call with this plan_id does exactly that, or answers PLAN_STALE.",
        (
            Param("task_id", text_schema(ids.TARGET_FORM, empty=True), CHECKPOINT, "target"),
            Param("dry_run", FLAG, "Only say what would happen."),
            PRESERVE,
            BRANCH_NAME,
            UNTRACKED,
            Param(
                "plan_id",
                text_schema(plan_id.FORM, empty=True),
                "A dry run's plan_id, in place of the other arguments.",
            ),
        ),
        moves_tree=True,
        codes=(
            "TASK_NOT_FOUND",
            "CHECKPOINT_NOT_FOUND",
            "NO_CHECKPOINT",
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "PLAN_STALE",
            "INVALID_BRANCH",
            "CONFLICT",
        ),
    ),
    Tool(
        "undo_rewind",
        "undo",
        "Return to before the last rewind, restore or undo of this worktree and branch, to the byte. Calling it "
        "again goes forward again.",
        (
            Param("rewind_id", TEXT, "An operation further back; else the last.", "op_id"),
            PRESERVE,
            BRANCH_NAME,
            UNTRACKED,
            Param("dry_run", FLAG, "Only say what would happen."),
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
