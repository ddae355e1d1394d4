"""Rows of the tool table: tasks and checkpoints."""

from __future__ import annotations

from typing import Final

from devs_git.commands import contract_show, diff, history, log
from devs_git.domain.checkpoints.commit_trailers import AGENTS, DEFAULT_ROLE
from devs_git.domain.ledger import ids, paging
from devs_git.domain.ledger.event_keys import PHASES
from devs_git.domain.resume import choices, start_command
from devs_git.domain.timeline import kinds, positions
from devs_git.entrypoints.tools.params import (
    ACTIVE_TASK,
    ANY_TASK,
    CHECKPOINT,
    FORCE,
    LINE,
    LONG,
    MESSAGE,
    MOMENT,
    NAME,
    OWN_FILES,
    PRESERVE,
    SESSION,
    STATE,
    STATE_CODES,
    TASK,
    UNTRACKED,
    cursor,
    limit,
    number_schema,
    some_of,
    text_schema,
)
from devs_git.entrypoints.tools.tool import FLAG, TEXT, Param, Tool

TOOLS: Final = (
    Tool(
        "list_checkpoints",
        "log",
        "List checkpoints, newest first, with the rewinds between them, and moments if you ask.",
        (
            limit(log.MOST),
            Param("task_id", ANY_TASK, "Only checkpoints and moments of this task.", "task"),
            cursor(ids.OID_FORM),
            Param(
                "moments",
                FLAG,
                "Include moments: states kept before prompts and tool calls.",
            ),
            Param("session_id", TEXT, "List moments, and only those of this session.", "session"),
        ),
        codes=("TASK_NOT_FOUND",),
    ),
    Tool(
        "get_history",
        "history",
        "List what was recorded, newest first: tasks, checkpoints, changed files, messages, gates, rewinds.",
        (
            limit(history.MOST),
            Param("event_types", some_of(kinds.TYPES), "Only these types.", "types"),
            Param("task_id", ANY_TASK, "Only this task."),
            Param("contract", TEXT, "Only this contract."),
            Param("phase", {**TEXT, "enum": [*PHASES]}, "Only this phase."),
            Param("agent", {**TEXT, "enum": [*AGENTS]}, "Only this role."),
            Param("actor", TEXT, "Only this person or session."),
            Param("from", TEXT, "Not before this time: ISO 8601, or 2 days ago.", "since"),
            Param("to", TEXT, "Not after this time.", "until"),
            cursor(positions.FORM),
            Param(
                "after",
                text_schema(positions.FORM, empty=True),
                "The id of an event: list what came after it, oldest first.",
            ),
        ),
        codes=("TASK_NOT_FOUND", "CONTRACT_NOT_FOUND"),
    ),
    Tool(
        "show_checkpoint",
        "show",
        "Show one task, one checkpoint, undone or not, or one moment.",
        (Param("checkpoint", STATE, f"{CHECKPOINT} {MOMENT}", "target", required=True),),
        codes=(*(code for code in STATE_CODES if code != "NO_CHECKPOINT"), "HISTORY_REWRITTEN"),
    ),
    Tool(
        "checkpoint_diff",
        "diff",
        "Show what a task changed, or since a moment: files and totals. With hunks also the changed lines, "
        "up to a limit (`truncated`).",
        (
            Param(
                "checkpoint",
                text_schema(r"[\s\S]+"),
                f"{CHECKPOINT} {MOMENT} Or a commit.",
                "target",
                required=True,
            ),
            Param(
                "against",
                TEXT,
                "The checkpoint, moment or commit to compare with. Default: where the task began; "
                "of task-10@3 the one before; of a moment the working tree.",
            ),
            Param("hunks", FLAG, "Include the changed lines."),
            Param(
                "hunk_lines",
                number_schema(diff.MOST_LINES),
                "The most changed lines in the answer.",
            ),
        ),
        codes=(*STATE_CODES, "HISTORY_REWRITTEN", "CONFLICT"),
        more="With a moment alone it says what changed since then in the working tree, untracked files, too: `moment:-1` is "
        "here the state before the last turn.",
    ),
    Tool(
        "task_status",
        "task status",
        "Show one task, or the active task of this worktree.",
        (ACTIVE_TASK,),
        codes=("TASK_NOT_FOUND",),
    ),
    Tool(
        "start_task",
        "task start",
        "Make a task active in this worktree. From then on each commit is recorded as a checkpoint.",
        (
            TASK,
            Param("title", LINE, "The subject of the task, in one line."),
            Param("plan", LONG, "The plan for the task."),
            Param("contract", LINE, "Its contract (line of work). Default: the branch."),
            Param("agent", {**TEXT, "enum": [*AGENTS]}, "The role of the agent."),
            Param("client", LINE, "The program that runs the agent."),
            Param("phase", {**TEXT, "enum": [*PHASES]}, "Its phase. Default: that of the contract."),
            Param("parent", ANY_TASK, "The task that it is a part of."),
            Param("spawned_by", SESSION, "The session that starts it."),
        ),
        {"usual_agent": DEFAULT_ROLE},
        codes=("TASK_NOT_FOUND", "TASK_EXISTS", "TASK_ACTIVE"),
    ),
    Tool(
        "commit_task",
        "task complete",
        "Commit all that is new, changed or deleted, and tag the task as completed.",
        (ACTIVE_TASK, MESSAGE, *OWN_FILES),
        {"everything": True, "by_tool": True},
        codes=("TASK_NOT_FOUND", "TASK_EXISTS", "TASK_ACTIVE", "CONFLICT", "TAS_UNAPPROVED"),
    ),
    Tool(
        "create_checkpoint",
        "checkpoint",
        "Commit all that is new, changed or deleted, and record a numbered checkpoint of the active task.",
        (MESSAGE, *OWN_FILES),
        {"everything": True, "by_tool": True},
        codes=("TASK_NOT_FOUND", "CONFLICT", "TAS_UNAPPROVED"),
    ),
    Tool(
        "write_task_result",
        "task result",
        "Record the result of a task, in your own words. The newest result counts.",
        (TASK, Param("result", {**LONG, "minLength": 1}, "The result.", "text", required=True)),
        codes=("TASK_NOT_FOUND",),
    ),
    Tool(
        "show_contract",
        "contract show",
        "Show a contract (a line of work): its phase, its tasks, its supervisor's messages.",
        (
            Param("contract", TEXT, "Its name. Default: that of the active task, else the branch.", "name"),
            limit(contract_show.MOST),
            cursor(paging.CURSOR_FORM),
        ),
        codes=("CONTRACT_NOT_FOUND",),
    ),
    Tool(
        "resume_task",
        "resume",
        "Go on with a task: what a new session must know, or its own session, and the command that starts it. "
        "Without a task: list them.",
        (
            Param("task_id", TEXT, "Or a contract; task-10@2: up to there.", "target"),
            Param("contract", TEXT, "A contract with a task's name."),
            Param(
                "resume_mode",
                {**TEXT, "enum": ["", *choices.MODES]},
                "The last three: from an earlier state.",
                "mode",
            ),
            Param("checkpoint_id", TEXT, "For from_checkpoint.", "checkpoint"),
            Param("fork", FLAG, "A new task, no rewind."),
            Param("new_task_name", LINE, "Its id.", "name"),
            Param("new_task_plan", LONG, "Its plan.", "plan"),
            Param("preserve", PRESERVE.schema, "As in rewind_to_task."),
            Param("untracked", UNTRACKED.schema, "As there."),
            Param(
                "additional_context",
                {**TEXT, "maxLength": choices.LONGEST},
                "Told besides.",
                "context",
            ),
            Param("to", {**TEXT, "enum": ["", *start_command.CLIENTS]}, "The client."),
            Param(
                "tokens",
                {"type": "integer", "minimum": choices.LEAST, "maximum": choices.MOST},
                "The most of the bundle.",
            ),
            FORCE,
            limit(choices.ROWS),
            Param("cursor", TEXT, "An earlier next_cursor."),
        ),
        codes=(
            "TASK_NOT_FOUND",
            "CHECKPOINT_NOT_FOUND",
            "CONTRACT_NOT_FOUND",
            "NO_CHECKPOINT",
            "MESSAGE_NOT_FOUND",
            "TASK_RUNNING",
            "GATE_BLOCKED",
            "HISTORY_REWRITTEN",
            "GIT_RESET_FAILED",
            "TASK_EXISTS",
            "INVALID_BRANCH",
            "CONFLICT",
        ),
        moves_tree=True,
    ),
    Tool(
        "branch_from_checkpoint",
        "branch",
        "Create a local branch at a checkpoint, without switching to it.",
        (
            Param("checkpoint", STATE, CHECKPOINT, "target", required=True),
            Param("branch_name", NAME, "The name of the new branch.", "name", required=True),
        ),
        codes=(*STATE_CODES, "HISTORY_REWRITTEN", "INVALID_BRANCH"),
    ),
)
