"""Rows of the tool table: what tools printed and what was said."""

from __future__ import annotations

from typing import Final

from devs_git.commands import conversation_show, trace_get, trace_put, trace_search
from devs_git.domain.ledger import ids, paging
from devs_git.domain.text import plain_text
from devs_git.entrypoints.tools.params import ANY_TASK, cursor, limit, number_schema, text_schema
from devs_git.entrypoints.tools.tool import COUNT, FLAG, TEXT, Param, Tool

_LINE: Final = text_schema(plain_text.LINE_FORM, most=trace_put.MOST_OF_A_NAME)

TOOLS: Final = (
    Tool(
        "get_task_trace",
        "trace get",
        "The full, verbatim output of a tool call whose output you got shortened, or a part of it.",
        (
            Param(
                "traceId",
                {**TEXT, "minLength": 1},
                "The id that stands in the shortened output.",
                "trace_id",
                required=True,
            ),
            Param("offset", COUNT, "Begin at this byte."),
            Param("limit", {**COUNT, "minimum": trace_get.LONGEST_LETTER}, "At most so many bytes."),
        ),
        reads_traces=True,
        codes=("TRACE_NOT_FOUND", "INVALID_INPUT"),
        invalid="INVALID_INPUT",
    ),
    Tool(
        "search_traces",
        "trace search",
        'Find stored tool outputs, or messages: words, "phrases", prefix*, -not, and task: tool: session: agent: '
        "error:yes since: before:.",
        (
            Param("query", TEXT, "What to look for."),
            Param(
                "in",
                {"type": "string", "enum": ["traces", "messages"]},
                "Look there: in outputs, if not said, or in what was said in conversations.",
                "within",
            ),
            limit(trace_search.MOST),
            cursor(paging.CURSOR_FORM),
            Param("rewound", FLAG, "Include rewound tasks."),
        ),
        reads_traces=True,
    ),
    Tool(
        "store_trace",
        "trace put",
        "Store a tool's whole output, so that it can be found and handed on shortened.",
        (
            Param("output", TEXT, "The output.", required=True, verbatim=True),
            Param(
                "traceId",
                {**TEXT, "maxLength": trace_put.MOST_OF_AN_ID},
                "Its id; else a new one.",
                "trace_id",
            ),
            Param("task_id", ANY_TASK, "The task. Default: the active task."),
            Param("tool_name", _LINE, "The tool that printed it."),
            Param("input", TEXT, "The arguments of the tool.", verbatim=True),
            Param("session_id", _LINE, "The agent's session."),
            Param("is_error", FLAG, "The call failed."),
            Param("duration_ms", COUNT, "How long it took."),
        ),
        reads_traces=True,
    ),
    Tool(
        "get_conversation",
        "conversation show",
        "What was said in an agent's session: for a task, up to a checkpoint or a message, or in the last session of this "
        "worktree. Long tool results are shortened and name their trace.",
        (
            Param("task_id", ANY_TASK, "Only what was said for this task.", "task"),
            Param("session_id", TEXT, "The agent's session.", "session"),
            Param(
                "checkpoint",
                text_schema(ids.TARGET_FORM, empty=True),
                "Up to this checkpoint: task-10 or task-10@3.",
                "at",
            ),
            Param("snapshot_id", TEXT, "Up to this named state.", "snapshot"),
            Param("message_id", TEXT, "Up to this message.", "message"),
            Param("include_tool_calls", FLAG, "What was asked of tools, too; yes if not said.", "tool_calls"),
            Param("include_tool_results", FLAG, "What tools answered, too; yes if not said.", "tool_results"),
            Param("limit", number_schema(conversation_show.MOST), "The last so many messages."),
            Param(
                "cursor",
                text_schema(paging.CURSOR_FORM, empty=True),
                "The next_cursor of an earlier answer: the messages before those.",
            ),
        ),
        reads_traces=True,
        codes=(
            "TASK_NOT_FOUND",
            "CHECKPOINT_NOT_FOUND",
            "NO_CHECKPOINT",
            "SNAPSHOT_NOT_FOUND",
            "MESSAGE_NOT_FOUND",
        ),
    ),
)
