"""Rows of the tool table: tasks and checkpoints."""

from __future__ import annotations

from typing import Final

from devs_git.commands import diff, history, log
from devs_git.domain.ledger import ids
from devs_git.domain.text.trailers import AGENTS, PHASES
from devs_git.entrypoints.tools.params import (
    ANY_TASK,
    CHECKPOINT,
    LINE,
    LONG,
    MESSAGE,
    NAME,
    OID,
    ONE_TASK,
    TARGET,
    TASK,
    cursor,
    limit,
    number_schema,
)
from devs_git.entrypoints.tools.tool import FLAG, TEXT, Param, Tool

TOOLS: Final = (
    Tool(
        "list_checkpoints",
        "log",
        "List checkpoints, newest first, with the rewinds between them.",
        (limit(log.MOST), Param("task_id", ANY_TASK, "Only this task's.", "task"), cursor(ids.OID_FORM)),
        codes=("TASK_NOT_FOUND",),
    ),
    Tool(
        "get_history",
        "history",
        "What happened, as the ledger tells it: tasks, checkpoints, rewinds, gates and decisions, newest first.",
        (
            limit(history.MOST),
            Param("task_id", ANY_TASK, "Only this task's."),
            Param("contract", LINE, "Only those of this contract's tasks."),
            cursor(ids.OID_FORM),
            Param("after", OID, "An event's id: those that came after it, oldest first."),
        ),
        codes=("TASK_NOT_FOUND", "CONTRACT_NOT_FOUND"),
    ),
    Tool(
        "show_checkpoint",
        "show",
        "Show one checkpoint, live or undone.",
        (Param("checkpoint", TARGET, CHECKPOINT, "target", required=True),),
        codes=("TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND", "NO_CHECKPOINT", "HISTORY_REWRITTEN"),
    ),
    Tool(
        "checkpoint_diff",
        "diff",
        "What changed up to a checkpoint, file by file, with totals; lines on demand, up to a limit "
        "that the answer tells of.",
        (
            Param("checkpoint", TARGET, CHECKPOINT, "target", required=True),
            Param(
                "against", TEXT, "Where to begin: a checkpoint, HEAD or a commit; else the checkpoint before."
            ),
            Param("hunks", FLAG, "The changed lines, too."),
            Param("hunk_lines", number_schema(diff.MOST_LINES), "At most so many lines in all."),
        ),
        codes=("TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND", "NO_CHECKPOINT", "HISTORY_REWRITTEN", "CONFLICT"),
    ),
    Tool(
        "task_status",
        "task status",
        "Show one task, or the one that is active in this worktree.",
        (Param("task_id", ONE_TASK, "The task's id; else the active one."),),
        codes=("TASK_NOT_FOUND",),
    ),
    Tool(
        "start_task",
        "task start",
        "Make a task active in this worktree. From then on each commit is recorded as a checkpoint.",
        (
            TASK,
            Param("title", LINE, "What it is about, in one line."),
            Param("plan", LONG, "How it is to be done."),
            Param("contract", LINE, "The named line of work; else the branch."),
            Param("agent", {**TEXT, "enum": [*AGENTS]}, "The agent's role."),
            Param("client", LINE, "The agent's program."),
            Param("phase", {**TEXT, "enum": [*PHASES]}, "The phase."),
        ),
        codes=("TASK_EXISTS", "TASK_ACTIVE"),
    ),
    Tool(
        "commit_task",
        "task complete",
        "Commit everything that is new, changed or deleted, and tag the task as completed.",
        (TASK, MESSAGE),
        {"everything": True},
        codes=("TASK_NOT_FOUND", "TASK_EXISTS", "TASK_ACTIVE", "CONFLICT", "TAS_UNAPPROVED"),
    ),
    Tool(
        "create_checkpoint",
        "checkpoint",
        "Commit everything that is new, changed or deleted, and record a numbered checkpoint of "
        "the active task.",
        (MESSAGE,),
        {"everything": True},
        codes=("TASK_NOT_FOUND", "CONFLICT", "TAS_UNAPPROVED"),
    ),
    Tool(
        "write_task_result",
        "task result",
        "Record what came out of a task, in your own words. The newest result counts.",
        (TASK, Param("result", {**LONG, "minLength": 1}, "The result.", "text", required=True)),
        codes=("TASK_NOT_FOUND",),
    ),
    Tool(
        "branch_from_checkpoint",
        "branch",
        "Make a local branch at a checkpoint, without switching to it.",
        (
            Param("checkpoint", TARGET, CHECKPOINT, "target", required=True),
            Param("branch_name", NAME, "The new branch.", "name", required=True),
        ),
        codes=(
            "TASK_NOT_FOUND",
            "CHECKPOINT_NOT_FOUND",
            "NO_CHECKPOINT",
            "HISTORY_REWRITTEN",
            "INVALID_BRANCH",
        ),
    ),
)
