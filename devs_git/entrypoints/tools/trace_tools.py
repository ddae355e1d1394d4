"""Rows of the tool table: traces and conversations."""

from __future__ import annotations

from typing import Final

from devs_git.commands import conversation_show, conversation_snapshots, trace_get, trace_put, trace_search
from devs_git.domain.ledger import ids, paging
from devs_git.domain.recall.conversation_snapshots import CURSOR_FORM
from devs_git.domain.text import plain_text
from devs_git.entrypoints.tools.params import (
    ANY_TASK,
    CHECKPOINT_CODES,
    FORCE,
    LINE,
    PRESERVE,
    SESSION,
    UNTRACKED,
    cursor,
    limit,
    number_schema,
    text_schema,
)
from devs_git.entrypoints.tools.tool import COUNT, FLAG, TEXT, Param, Tool

_EXIT_CODE: Final = {
    "type": "integer",
    "minimum": trace_put.EXIT_CODES[0],
    "maximum": trace_put.EXIT_CODES[-1],
}
_LINE: Final = text_schema(plain_text.form(), most=trace_put.MOST_OF_A_NAME)

TOOLS: Final = (
    Tool(
        "get_task_trace",
        "trace get",
        "Get the whole stored output of an earlier tool call, or a part of it. search_traces finds its id.",
        (
            Param(
                "traceId",
                {**TEXT, "minLength": 1},
                "The id of the trace.",
                "trace_id",
                required=True,
            ),
            Param("offset", COUNT, "The byte to begin at."),
            Param("limit", {**COUNT, "minimum": trace_get.LONGEST_LETTER}, "The highest number of bytes."),
        ),
        codes=("TRACE_NOT_FOUND", "INVALID_INPUT"),
        invalid="INVALID_INPUT",
    ),
    Tool(
        "search_traces",
        "trace search",
        "Find stored outputs of tools, or messages. Where hooks are installed, they store what your tools print.",
        (
            Param(
                "query",
                TEXT,
                'Words, "phrases", prefix*, -not, and the filters task: tool: session: agent: error:yes since: before:.',
            ),
            Param(
                "in",
                {"type": "string", "enum": ["traces", "messages"]},
                "What to search: outputs of tools (the default), or messages of conversations.",
                "within",
            ),
            limit(trace_search.MOST),
            cursor(paging.CURSOR_FORM),
            Param("rewound", FLAG, "Include rewound tasks."),
        ),
    ),
    Tool(
        "store_trace",
        "trace put",
        "Store the whole output of a tool that no hook stores, for search_traces.",
        (
            Param("output", TEXT, "The output.", required=True, verbatim=True),
            Param(
                "traceId",
                {**TEXT, "maxLength": trace_put.MOST_OF_AN_ID},
                "The id of the trace. Default: a new one.",
                "trace_id",
            ),
            Param("task_id", ANY_TASK, "The task. Default: the active task."),
            Param("tool_name", _LINE, "The tool that printed it."),
            Param("input", TEXT, "The arguments of the tool.", verbatim=True),
            Param("session_id", _LINE, "The session of the agent."),
            Param("is_error", FLAG, "The call failed."),
            Param("exit_code", _EXIT_CODE, "The exit code of the call: it failed unless this is 0."),
            Param("duration_ms", COUNT, "The duration of the call, in milliseconds."),
        ),
    ),
    Tool(
        "get_conversation",
        "conversation show",
        "Get the messages of an agent's session: for a task, up to a checkpoint or a message, or of the last session of this "
        "worktree. Long tool results are shortened here and name their trace.",
        (
            Param("task_id", ANY_TASK, "Only messages of this task.", "task"),
            Param("session_id", TEXT, "The session of the agent.", "session"),
            Param(
                "checkpoint",
                text_schema(ids.TARGET_FORM, empty=True),
                "Up to this checkpoint: task-10 or task-10@3.",
                "at",
            ),
            Param("snapshot_id", TEXT, "Up to this snapshot.", "snapshot"),
            Param("message_id", TEXT, "Up to this message.", "message"),
            Param("include_tool_calls", FLAG, "Include the arguments of tools (the default).", "tool_calls"),
            Param(
                "include_tool_results", FLAG, "Include the results of tools (the default).", "tool_results"
            ),
            Param(
                "include_system", FLAG, "Include the client's own instructions at the beginning.", "system"
            ),
            Param("limit", number_schema(conversation_show.MOST), "The number of messages, from the end."),
            Param(
                "cursor",
                text_schema(paging.CURSOR_FORM, empty=True),
                "The next_cursor of an earlier answer, for the messages before.",
            ),
        ),
        codes=(*CHECKPOINT_CODES, "SNAPSHOT_NOT_FOUND", "MESSAGE_NOT_FOUND"),
    ),
    Tool(
        "create_conversation_snapshot",
        "conversation snapshot",
        "Record the state of a conversation: by default, of the last session of this worktree.",
        (
            Param("task_id", ANY_TASK, "The last session of this task.", "task"),
            Param("session_id", TEXT, "The session.", "session"),
        ),
        codes=("MESSAGE_NOT_FOUND",),
    ),
    Tool(
        "list_conversation_snapshots",
        "conversation snapshots",
        "List the recorded states of conversations, newest first.",
        (
            Param("task_id", ANY_TASK, "Only this task.", "task"),
            limit(conversation_snapshots.MOST),
            cursor(CURSOR_FORM),
        ),
    ),
    Tool(
        "rewind_conversation",
        "conversation rewind",
        "Take the last messages of a session back: start_command goes on in a new one, cut there. "
        "Give one of by_message_count, to_message_id and to_timestamp; undo_rewind takes it back.",
        (
            Param(
                "by_message_count",
                {**COUNT, "minimum": 1},
                "So many go.",
                "by_messages",
            ),
            Param("to_message_id", TEXT, "The last one that stays.", "to_message"),
            Param("to_timestamp", TEXT, "Until then, all stay.", "to"),
            Param("session_id", SESSION, "Default: the last one here.", "session"),
            Param("contract", LINE, "Its supervisor's session.", "contract"),
            Param("rewind_code", FLAG, "The code goes back, too.", "code"),
            Param("preserve", PRESERVE.schema, "As in rewind_to_task."),
            Param("untracked", UNTRACKED.schema, "As there."),
            Param("dry_run", FLAG, "Only say what would happen."),
            FORCE,
        ),
        moves_tree=True,
        codes=("MESSAGE_NOT_FOUND", "CONTRACT_NOT_FOUND", "MOMENT_NOT_FOUND", "GIT_RESET_FAILED"),
    ),
)
